//===- MaskBounds.h - the bounds that a mask is made of -------------------===//
//
//   (rm[:, None] < M) & (rk[None, :] < K - k) & odd
//     ==>  along axis 0, position < M - rm's start;
//          along axis 1, position < K - k - rk's start;
//          and `odd`, which is no bound
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_ANALYSIS_MASKBOUNDS_H
#define TESELA_ANALYSIS_MASKBOUNDS_H

#include "analysis/AffineAccess.h"

namespace tesela::analysis {

/// One of the conditions that a mask is the conjunction of.
struct MaskPart {
  /// A scalar or a tile of i1.
  mlir::Value condition;
  /// The ops that spread the condition to the shape of the mask, the first of
  /// them last.
  llvm::SmallVector<mlir::Operation *, 2> spread;
};

struct MaskBound {
  enum class Side { Below, AtLeast };
  Side side;
  /// What is bounded: an axis' `Iota` or `Index`.
  AtomTable::Id subject;
  /// subject < limit, or subject >= limit. Equal to the limit modulo 2^64; the
  /// limit itself fits 34 bits if what is compared has at most 32.
  Polynomial limit;
  unsigned width;
  /// The two sides of the comparison.
  mlir::Value lhs, rhs;
  MaskPart part;
};

struct MaskBounds {
  llvm::SmallVector<MaskBound> bounds;
  /// Scalars of i1 that hold for the whole tile or for none of it.
  llvm::SmallVector<mlir::Value> uniform;
  llvm::SmallVector<MaskPart> rest;
};

/// Takes a mask apart; a null one has no parts.
MaskBounds findMaskBounds(mlir::Value mask, AffineAccess &access,
                          const AtomTable &atoms, Assumptions &assumptions);

} // namespace tesela::analysis

#endif // TESELA_ANALYSIS_MASKBOUNDS_H
