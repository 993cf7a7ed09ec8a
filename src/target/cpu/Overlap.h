//===- Overlap.h - whether two accesses may touch the same memory ---------===//

#ifndef TESELA_TARGET_CPU_OVERLAP_H
#define TESELA_TARGET_CPU_OVERLAP_H

#include "mlir/IR/Operation.h"

namespace tesela::cpu {

enum class Overlap : uint8_t {
  /// They touch nothing in common.
  None,
  /// Element i of one and element j of the other are the same memory only where
  /// i = j.
  SameElements,
  /// Anything.
  Unknown,
};

/// Of a load or store of tiles and another one. Without `general`, different
/// pointer arguments are the same buffer of elements or disjoint.
Overlap overlap(mlir::Operation *lhs, mlir::Operation *rhs, bool general);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_OVERLAP_H
