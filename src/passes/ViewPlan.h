//===- ViewPlan.h - the coordinates of an access through a view -----------===//
//
// From an address and a mask, taken apart, to the operands of a view:
//
//   base + (pid * 64 + i) * s + (k + j)    where pid * 64 + i < M, k + j < K
//     ==>  %base[pid * 64, k] strides [s, 1] bounds [M, K] axes [0, 1]
//
// Coordinates are those of the array that the kernel works on wherever address
// and mask agree on them, so that a target can tell tiles of one array apart
// and describe the array itself. Where they do not, an axis counts from the
// tile's own corner, which needs no proof.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_PASSES_VIEWPLAN_H
#define TESELA_PASSES_VIEWPLAN_H

#include "analysis/MaskBounds.h"
#include "passes/Preconditions.h"

namespace tesela {

struct ViewPlan {
  struct Axis {
    int64_t size;
    /// Coordinate of the first element; of all of them where `isIndexed`.
    analysis::Polynomial offset;
    bool isIndexed = false;
    analysis::Polynomial stride;
    /// The coordinate is natural and less than each of these.
    llvm::SmallVector<analysis::Polynomial, 1> bounds;
  };
  mlir::Value base;
  /// From the base to the element at coordinates zero.
  analysis::Polynomial shift;
  llvm::SmallVector<Axis> axes;
  llvm::SmallVector<mlir::Value> uniform;
  llvm::SmallVector<analysis::MaskPart> rest;
};

/// Chooses the coordinates. `shape` is that of the tile; every term of the
/// pointer's offset has at most one axis.
ViewPlan planView(const analysis::AffineAccess::Pointer &pointer,
                  analysis::MaskBounds mask, llvm::ArrayRef<int64_t> shape,
                  analysis::AtomTable &atoms, Preconditions &preconditions);

} // namespace tesela

#endif // TESELA_PASSES_VIEWPLAN_H
