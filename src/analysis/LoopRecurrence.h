//===- LoopRecurrence.h - what a loop adds to a value each time -----------===//
//
//   scf.for .. iter_args(%p = %init) {
//     ..                                      %p is, in iteration n,
//     %q = tile.addptr %p, %a        ==>        %init + n * (a - b)
//     %r = tile.addptr %q, %b
//     scf.yield %r
//   }
//
// The amounts do not change within the loop. An inner loop that adds to the
// same value counts as its trips times what it adds.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_ANALYSIS_LOOPRECURRENCE_H
#define TESELA_ANALYSIS_LOOPRECURRENCE_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace tesela::analysis {

struct Recurrence {
  struct Step {
    /// The addition, subtraction or pointer addition.
    mlir::Operation *op;
    /// What it adds; defined outside the loop.
    mlir::Value amount;
    bool subtracts;
    /// Loops inside this one that repeat it, each as often whenever it runs.
    llvm::SmallVector<mlir::scf::ForOp, 1> repeats;
  };
  mlir::scf::ForOp loop;
  mlir::Value init;
  llvm::SmallVector<Step, 2> steps;
};

/// The recurrence of a value that an `scf.for` carries, if it is one.
std::optional<Recurrence> matchRecurrence(mlir::BlockArgument carried);

/// The same for the value that leaves the loop: after as many iterations as the
/// loop has.
std::optional<Recurrence> matchRecurrence(mlir::OpResult result);

} // namespace tesela::analysis

#endif // TESELA_ANALYSIS_LOOPRECURRENCE_H
