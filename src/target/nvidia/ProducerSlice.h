//===- ProducerSlice.h - the part of a kernel that its producer runs ------===//

#ifndef TESELA_TARGET_NVIDIA_PRODUCERSLICE_H
#define TESELA_TARGET_NVIDIA_PRODUCERSLICE_H

#include "target/nvidia/WarpPlan.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

namespace tesela::nvidia {

/// Control flow, coordinates and fills of a kernel.
class ProducerSlice {
public:
  ProducerSlice(mlir::func::FuncOp kernel, const WarpPlan &plan)
      : kernel(kernel), plan(plan) {}

  /// Finds what the slice needs; false, and why, where that is more than one
  /// thread should compute.
  bool analyse(std::string &whyNot);

  /// Writes it, of what was the kernel's body. `maps` are arguments of the
  /// kernel, one for each copy of each group, in order.
  void emit(mlir::OpBuilder &builder, mlir::Block &body,
            llvm::ArrayRef<mlir::Value> rings,
            llvm::ArrayRef<llvm::SmallVector<mlir::Value>> maps);

private:
  bool need(mlir::Value value);
  bool needControl(mlir::Operation *op);
  bool fail(llvm::StringRef reason) {
    whyNot = reason;
    return false;
  }
  void emitBlock(mlir::Block &block);
  void emitFor(mlir::scf::ForOp loop);
  void emitIf(mlir::scf::IfOp branch);
  void emitFill(unsigned group);
  llvm::SmallVector<unsigned> neededResults(mlir::Operation *op);

  mlir::func::FuncOp kernel;
  const WarpPlan &plan;
  std::string whyNot;
  llvm::DenseSet<mlir::Value> needed;
  /// Ops with regions that contain fills or needed values.
  llvm::DenseSet<mlir::Operation *> control;
  /// The load after which a group's slot is filled.
  llvm::DenseMap<mlir::Operation *, unsigned> fillAfter;

  mlir::OpBuilder *builder = nullptr;
  llvm::ArrayRef<mlir::Value> rings;
  llvm::ArrayRef<llvm::SmallVector<mlir::Value>> maps;
  mlir::IRMapping mapping;
};

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_PRODUCERSLICE_H
