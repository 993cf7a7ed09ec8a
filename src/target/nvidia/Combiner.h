//===- Combiner.h - combine what threads have -----------------------------===//

#ifndef TESELA_TARGET_NVIDIA_COMBINER_H
#define TESELA_TARGET_NVIDIA_COMBINER_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"

namespace tesela::nvidia {

using Values = llvm::SmallVector<mlir::Value>;

/// Combines vectors of equally many elements with the region of a reduction or
/// a scan.
class Combiner {
public:
  Combiner(mlir::OpBuilder &b, mlir::Location loc, mlir::Block &region,
           unsigned capability);

  Values combine(llvm::ArrayRef<mlir::Value> left,
                 llvm::ArrayRef<mlir::Value> right);

private:
  /// Scalars where `lanes` is 0.
  Values inlineRegion(llvm::ArrayRef<mlir::Value> left,
                      llvm::ArrayRef<mlir::Value> right, int64_t lanes);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Block &region;
  unsigned capability;
  bool isPointwise = true;
};

/// An error of `op` where its region `combine` has no code: 8-bit floats, which
/// registers hold as bytes, with control flow.
mlir::LogicalResult checkCombination(mlir::Operation *op, mlir::Block &combine);

/// `value`, a vector, from the lane whose number differs in `mask`.
mlir::Value exchangeLanes(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value value, int64_t mask);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_COMBINER_H
