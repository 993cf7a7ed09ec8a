//===- MemoryDependence.h - whether accesses may touch the same memory ----===//

#ifndef TESELA_ANALYSIS_MEMORYDEPENDENCE_H
#define TESELA_ANALYSIS_MEMORYDEPENDENCE_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace tesela::analysis {

enum class AccessRelation : uint8_t {
  /// They touch nothing in common.
  NoAlias,
  /// Element i of one and element j of the other are the same memory only where
  /// i = j: they may be done slice by slice, in their order within a slice.
  SameCoordinates,
  /// Anything.
  MayAlias,
};

/// On a kernel, an array of pairs of pointer arguments by number, flattened: no
/// access through one touches what an access through the other does. A launch
/// has checked it.
inline constexpr llvm::StringLiteral apartAttr = "tile.apart";

/// On a kernel, a list of arrays [p, q, s0, t0, ..] of argument numbers:
/// pointer arguments p and q are apart, or they are equal, scalars s0 and t0,
/// .. are, and no view through them names an address twice. With p = q it is
/// about the views alone that are in one block and have the same coordinates. A
/// launch has checked it.
inline constexpr llvm::StringLiteral inStepAttr = "tile.in_step";

/// How two accesses within one kernel relate, in one execution of both. An
/// atomic op that is ordered with all others (acquire, release) may alias all.
AccessRelation accessRelation(mlir::Operation *lhs, mlir::Operation *rhs);

/// The pointer, or the tile of pointers, that a load, a store or an atomic op
/// goes through; null of any other op.
mlir::Value accessPointer(mlir::Operation *access);

/// The kernel's pointer argument through which a load or store goes, or null
/// where it is not known to be one.
mlir::BlockArgument accessRoot(mlir::Operation *access);

/// Whether a view, given its constants alone, names no address twice.
bool isInjectiveView(mlir::Operation *view);

} // namespace tesela::analysis

#endif // TESELA_ANALYSIS_MEMORYDEPENDENCE_H
