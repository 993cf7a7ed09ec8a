//===- CopyPlan.h - where the factors of a loop's dots come from ----------===//

#ifndef TESELA_TARGET_NVIDIA_COPYPLAN_H
#define TESELA_TARGET_NVIDIA_COPYPLAN_H

#include "target/nvidia/WarpPlan.h"

namespace tesela::nvidia {

/// A loop whose loads run ahead of it.
struct CopiedLoop {
  mlir::scf::ForOp loop;
  llvm::SmallVector<tile::ViewLoadOp> loads;
  /// Of one slot.
  llvm::SmallVector<mlir::Type> parts;
  unsigned ring = 0;

  /// What the operands of a load are computed by in the loop, in order, of the
  /// loop's position alone; nothing where it is not so.
  static std::optional<llvm::SmallVector<mlir::Operation *>>
  slice(mlir::scf::ForOp loop, tile::ViewLoadOp load);
};

struct CopyPlan {
  std::vector<CopiedLoop> loops;
  std::vector<RingPlan> rings;
  /// What is put into shared memory where it is computed.
  llvm::MapVector<mlir::Value, gpu::StagedType> staged;
  /// Products of which a factor at least is in shared memory.
  llvm::SetVector<mlir::Operation *> dots;

  bool isCopied(tile::ViewLoadOp load) const;
};

/// Finds what is worth it, and how many slots fit.
class CopyPlanner {
public:
  CopyPlanner(mlir::func::FuncOp kernel, unsigned numWarps, unsigned numStages,
              unsigned capability)
      : kernel(kernel), numWarps(numWarps), numStages(numStages),
        capability(capability) {}

  CopyPlan plan();

private:
  bool isCandidate(tile::DotOp dot) const;
  bool mayRunAhead(mlir::scf::ForOp loop, tile::ViewLoadOp load) const;
  gpu::StagedType partOf(tile::ViewLoadOp load) const;
  gpu::StagedType stagedType(tile::DotOp dot, unsigned factor) const;
  int64_t fragmentWords(tile::DotOp dot, unsigned factor) const;
  void visit(mlir::scf::ForOp loop, bool copies);
  bool shouldStage(mlir::scf::ForOp loop, tile::DotOp dot, unsigned factor,
                   int64_t accWords) const;
  void assignRings();
  bool isFree(mlir::Operation *op) const;
  bool lendsAfterRings();
  int64_t bytes();
  bool fit();

  mlir::func::FuncOp kernel;
  unsigned numWarps, numStages, capability;
  CopyPlan result;
};

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_COPYPLAN_H
