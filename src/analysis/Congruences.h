//===- Congruences.h - what a value is modulo a power of two --------------===//

#ifndef TESELA_ANALYSIS_CONGRUENCES_H
#define TESELA_ANALYSIS_CONGRUENCES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace tesela::analysis {

/// value == residue modulo 2^bits, for a scalar and for every element of a
/// tile. Holds of the value's bits, read as signed or not. With 0 bits it says
/// nothing; `residue` has no more than `bits` bits, and `bits` is at most the
/// value's width, or 64 where the value is one number.
struct Congruence {
  unsigned bits = 0;
  uint64_t residue = 0;

  /// The largest power of two, up to 2^62, that divides the value for certain.
  int64_t divisor() const;
  bool operator==(const Congruence &) const = default;
};

/// Congruences that hold for every launch, from constants and from what
/// `tile.divisibility` says of arguments. Of pointers, the address in bytes.
class Congruences {
public:
  Congruence get(mlir::Value value);

private:
  Congruence compute(mlir::Value value);
  Congruence carried(mlir::Value value);

  llvm::DenseMap<mlir::Value, Congruence> memo;
  unsigned depth = 0;
};

} // namespace tesela::analysis

#endif // TESELA_ANALYSIS_CONGRUENCES_H
