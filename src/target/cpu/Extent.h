//===- Extent.h - the bytes that a view may touch -------------------------===//

#ifndef TESELA_TARGET_CPU_EXTENT_H
#define TESELA_TARGET_CPU_EXTENT_H

#include "target/cpu/Slices.h"

namespace tesela::cpu {

/// A view's box, whether all of it exists or not.
struct Box {
  mlir::Value base;
  mlir::Type element;
  /// One of each an axis, as the output has them.
  llvm::SmallVector<mlir::Value, 4> offsets, strides, counts;
};

template <typename ViewOp>
Box boxOf(LoweringState &state, ViewOp view, llvm::ArrayRef<int64_t> shape) {
  Box box{state.scalars.lookup(view.getBase()),
          view.getBase().getType().getPointee(),
          {},
          {},
          {}};
  for (auto [offset, stride, count] :
       llvm::zip(view.getOffsets(), view.getStrides(), shape)) {
    box.offsets.push_back(state.scalars.lookupOrNull(offset));
    box.strides.push_back(state.scalars.lookup(stride));
    box.counts.push_back(state.index(count));
  }
  return box;
}

/// The address of the first element of a box.
mlir::Value originOf(LoweringState &state, Slices &slices, const Box &box,
                     mlir::Location loc);

/// The bytes that a box may touch, as numbers.
struct Extent {
  mlir::Value first;
  mlir::Value end;
};

Extent extentOf(LoweringState &state, Slices &slices, const Box &box,
                mlir::Value origin, mlir::Location loc);

/// Whether two extents have a byte in common.
mlir::Value overlap(mlir::OpBuilder &b, const Extent &lhs, const Extent &rhs,
                    mlir::Location loc);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_EXTENT_H
