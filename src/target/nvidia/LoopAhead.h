//===- LoopAhead.h - a loop's iterations ahead of their time --------------===//

#ifndef TESELA_TARGET_NVIDIA_LOOPAHEAD_H
#define TESELA_TARGET_NVIDIA_LOOPAHEAD_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tesela::nvidia {

/// Where a loop is going to be.
class LoopAhead {
public:
  /// The loop's induction variable, and an i1: whether it gets there.
  struct Iteration {
    mlir::Value position, when;
  };

  /// Whether up to `most` iterations ahead can be told.
  static bool isPossible(mlir::scf::ForOp loop, int64_t most);

  explicit LoopAhead(mlir::scf::ForOp loop);

  /// Iteration `steps`, before the loop.
  Iteration before(mlir::OpBuilder &b, int64_t steps);
  /// So many after the current one, in the loop.
  Iteration within(mlir::OpBuilder &b, int64_t steps);

private:
  mlir::Value constant(mlir::OpBuilder &b, int64_t value);
  mlir::Value isWithin(mlir::OpBuilder &b, mlir::Value position, int64_t steps);

  mlir::scf::ForOp loop;
  mlir::Location loc;
  int64_t step;
  mlir::Value runs;
};

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_LOOPAHEAD_H
