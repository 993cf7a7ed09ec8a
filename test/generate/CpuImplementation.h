//===- CpuImplementation.h - random kernels as machine code ---------------===//

#ifndef TESELA_TEST_GENERATE_CPUIMPLEMENTATION_H
#define TESELA_TEST_GENERATE_CPUIMPLEMENTATION_H

#include "generate/Differential.h"
#include "target/cpu/Cpu.h"

namespace tesela::test {

/// Compiles a copy of the module for a processor; false after `error`.
bool compileFor(const TargetFacts &facts, mlir::ModuleOp module, bool general,
                Binary &binary, std::string &error);

/// The tile passes and the CPU target for this machine, or one that it is too.
/// The later half of the instances runs first, and scratch memory is poisoned
/// before each half. With `general`, and where a launch's precondition does not
/// hold, nothing is assumed of the launch.
Implementation compiledForCpu(bool general = false,
                              const TargetFacts &facts = cpu::hostFacts());

} // namespace tesela::test

#endif // TESELA_TEST_GENERATE_CPUIMPLEMENTATION_H
