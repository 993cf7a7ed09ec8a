//===- Evaluator.h - the reference evaluator of tile IR -------------------===//
//
// Slow and obvious: the oracle for passes and back ends. It runs a kernel as
// emitted, after any tile pass, and with views. docs/interp.md says what it
// takes for the truth.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_INTERP_EVALUATOR_H
#define TESELA_INTERP_EVALUATOR_H

#include "support/KernelAbi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <string>

namespace tesela::interp {

/// Bytes that a kernel may touch.
struct MemoryRange {
  const void *begin = nullptr;
  size_t bytes = 0;
};

/// The layout of a kernel's argument buffer. Integers come back signed, since
/// the IR does not say.
ArgumentLayout argumentLayout(mlir::func::FuncOp kernel);

/// Runs every instance of the grid, one after the other, on arguments packed as
/// KernelAbi.h says. Memory is read and written through the pointers given.
/// With `memory`, an access outside its ranges is an error instead. False, with
/// the reason in `error`, where the kernel holds something that cannot be
/// evaluated; memory may then have been written.
bool evaluate(mlir::func::FuncOp kernel, std::array<int32_t, 3> grid,
              const void *arguments, std::string &error,
              llvm::ArrayRef<MemoryRange> memory = {});

/// What `@NAME.precondition` says of a launch with these arguments, packed for
/// the kernel. False, with the reason in `error`, where it cannot be evaluated;
/// `error` is empty where the answer is a plain no.
bool evaluatePrecondition(mlir::func::FuncOp precondition,
                          const void *arguments, std::array<int32_t, 3> grid,
                          std::string &error);

} // namespace tesela::interp

#endif // TESELA_INTERP_EVALUATOR_H
