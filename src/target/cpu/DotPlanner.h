//===- DotPlanner.h - from where dots read their operands -----------------===//

#ifndef TESELA_TARGET_CPU_DOTPLANNER_H
#define TESELA_TARGET_CPU_DOTPLANNER_H

#include "target/cpu/BlockPlanner.h"

namespace tesela::cpu {

struct Keeping;

/// Plans the operands of a kernel's dots, once all other homes are there.
class DotPlanner {
public:
  /// `writes` are the ops that write memory, `stored` the tiles with a home.
  DotPlanner(Planning &planning, mlir::func::FuncOp kernel,
             llvm::ArrayRef<mlir::Operation *> writes,
             const llvm::DenseSet<mlir::Value> &stored)
      : planning(planning), kernel(kernel), writes(writes), stored(stored) {}

  void run();

private:
  bool canStream(tile::DotOp dot);
  void makeOperands(tile::DotOp dot);
  void defer(mlir::scf::ForOp loop);
  void findSources(mlir::scf::ForOp loop, DeferredDots &deferred);
  void makeLoopOperand(LoopOperand &operand, int64_t iterations,
                       const Keeping &keeping);
  bool writesNothing(mlir::scf::ForOp loop);
  bool isAlone();
  bool keepRight(tile::DotOp dot);

  Planning &planning;
  mlir::func::FuncOp kernel;
  llvm::ArrayRef<mlir::Operation *> writes;
  const llvm::DenseSet<mlir::Value> &stored;
  /// Homes that are windows of larger ones.
  llvm::SmallVector<Home *> parts;
};

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_DOTPLANNER_H
