//===- CpuImplementation.h - random kernels as machine code ---------------===//

#ifndef TESELA_TEST_GENERATE_CPUIMPLEMENTATION_H
#define TESELA_TEST_GENERATE_CPUIMPLEMENTATION_H

#include "generate/Differential.h"

namespace tesela::test {

/// The tile passes and the CPU target for this machine. The later half of the
/// instances runs first, and scratch memory is poisoned before each half. With
/// `general`, and where a launch's precondition does not hold, nothing is
/// assumed of the launch.
Implementation compiledForCpu(bool general = false);

} // namespace tesela::test

#endif // TESELA_TEST_GENERATE_CPUIMPLEMENTATION_H
