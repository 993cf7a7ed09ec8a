//===- BlockPlanner.h - distributes one block's work over nests -----------===//

#ifndef TESELA_TARGET_CPU_BLOCKPLANNER_H
#define TESELA_TARGET_CPU_BLOCKPLANNER_H

#include "target/cpu/Plan.h"

#include "llvm/ADT/DenseSet.h"

namespace tesela::cpu {

/// A fused tile that a step computes.
struct Evaluation {
  mlir::Value tile;
  mlir::Block *block;
  int step;
  /// More often than once for each of its elements.
  bool repeated;
};

/// The plan that is being made and what the blocks' planners share.
struct Planning {
  explicit Planning(const LoweringOptions &options) : options(options) {}

  Plan plan;
  const LoweringOptions &options;
  /// Position of every op, in the order of the text.
  llvm::DenseMap<mlir::Operation *, unsigned> order;
  /// Copies to make for dots once a tile is there.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Home *, 1>> copiesOf;
  std::vector<Evaluation> evaluations;
};

class BlockPlanner {
public:
  BlockPlanner(Planning &planning, mlir::Block &block)
      : planning(planning), block(block), plan(planning.plan.blocks[&block]) {
    plan.scalars.emplace_back();
  }

  void run();

private:
  struct MemoryEvent {
    mlir::Operation *op;
    int step;
    bool isWrite;
    bool isIdentity;
  };
  struct HomeRead {
    Home *home;
    int step;
    bool isIdentity;
  };
  /// What a root needs, found by walking the tiles that it computes.
  struct Needs {
    int earliest = 0;
    llvm::SmallVector<MemoryEvent> loads;
    llvm::SmallVector<HomeRead> reads;
    llvm::SmallVector<std::pair<mlir::Value, bool>> fused;
    llvm::SmallVector<std::pair<mlir::Value, AxisMap>> seen;
  };

  int stepCount() const { return int(plan.steps.size()); }
  int appendStep(Step step);
  void require(Needs &needs, mlir::Value tile, llvm::ArrayRef<int> axes,
               llvm::ArrayRef<int64_t> nestShape, bool computesItself);
  void afterWrites(Needs &needs, mlir::Operation *load, bool isIdentity);
  int afterConflicts(mlir::Operation *store);
  void record(const Needs &needs, int step);
  int place(Root root, int earliest = 0);
  void planOp(mlir::Operation *op);
  void planTile(mlir::Value tile);
  void planScalar(mlir::Operation *op);
  void planDot(mlir::Operation *op);
  void planRegions(mlir::Operation *op);
  void planTerminator(mlir::Operation *op);
  bool writeInPlace(mlir::Value tile, Home *target);

  Planning &planning;
  mlir::Block &block;
  BlockPlan &plan;
  /// First step at whose beginning a value is there; absent: from the start.
  llvm::DenseMap<mlir::Value, int> available;
  /// The nest that stores a tile, which others in it may take from registers.
  llvm::DenseMap<mlir::Value, int> storedBy;
  llvm::SmallVector<MemoryEvent> events;
  llvm::SmallVector<HomeRead> homeReads;
};

/// The homes that an op with regions carries tiles in: of what its regions
/// begin with, and of what their terminators hand on.
llvm::SmallVector<std::pair<mlir::Value, mlir::Value>>
carriedInits(mlir::Operation *op);
llvm::SmallVector<std::pair<mlir::Value, mlir::Value>>
carriedYields(mlir::Operation *terminator);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_BLOCKPLANNER_H
