//===- CpuKernel.h - compiles a function of upstream ops and loads it -----===//

#ifndef TESELA_TEST_UNIT_CPUKERNEL_H
#define TESELA_TEST_UNIT_CPUKERNEL_H

#include "target/cpu/Cpu.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>

namespace tesela::test {

/// Parses a module of func, scf, arith, math, vector and llvm ops and lowers it
/// to the LLVM dialect, maths expanded. Null, with what went wrong in `error`,
/// where that fails.
mlir::OwningOpRef<mlir::ModuleOp> lowerText(mlir::MLIRContext &context,
                                            const std::string &text,
                                            const TargetFacts &facts,
                                            std::string &error);

/// `lowerText`, then an object file (or assembly) for the processor in `facts`.
std::string compileText(const std::string &text, const TargetFacts &facts,
                        bool asAssembly, std::string &error);

} // namespace tesela::test

#endif // TESELA_TEST_UNIT_CPUKERNEL_H
