//===- IntegerRanges.h - between which numbers a value lies ---------------===//

#ifndef TESELA_ANALYSIS_INTEGERRANGES_H
#define TESELA_ANALYSIS_INTEGERRANGES_H

#include "mlir/IR/Value.h"

#include <memory>

namespace tesela::analysis {

/// least <= value <= most, read as signed.
struct IntegerRange {
  int64_t least, most;
};

/// Ranges that hold for every launch, of scalars and of all elements of tiles.
/// Sound also where arithmetic wraps; a value of which nothing is known has the
/// range of its type.
class IntegerRanges {
public:
  IntegerRanges();
  ~IntegerRanges();

  IntegerRange get(mlir::Value value);

  /// Whether the one result of `op` is what whole numbers would give: the
  /// addition, subtraction, multiplication, shift to the left or truncation
  /// does not wrap.
  bool neverWraps(mlir::Operation *op);

  /// From now on, ranges may rely on `op` not to wrap: someone else sees to it.
  void assumeNoWrap(mlir::Operation *op);
  /// Takes an assumption back.
  void retractNoWrap(mlir::Operation *op);
  bool isAssumed(mlir::Operation *op) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tesela::analysis

#endif // TESELA_ANALYSIS_INTEGERRANGES_H
