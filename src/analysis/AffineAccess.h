//===- AffineAccess.h - addresses as sums of one term an axis -------------===//
//
// Takes a tile of pointers apart:
//
//   element at (i0, .., ik) = base + polynomial of scalars, of the positions
//                             i0 .. ik and of index tiles along one axis each
//
// in which no term mixes two axes. What cannot be proved to be of this form is
// not.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_ANALYSIS_AFFINEACCESS_H
#define TESELA_ANALYSIS_AFFINEACCESS_H

#include "analysis/AxisDependence.h"
#include "analysis/Polynomial.h"

#include "llvm/ADT/DenseMap.h"

namespace tesela::analysis {

/// What the analysis may take for granted: because it is proved, or because
/// whoever answers sees to it that it is checked.
class Assumptions {
public:
  virtual ~Assumptions() = default;
  /// The result of the addition, subtraction, multiplication, shift to the left
  /// or truncation is that of whole numbers; of 64-bit ones, it is also small
  /// as below.
  virtual bool noWrap(mlir::Operation *op) = 0;
  virtual bool nonNegative(mlir::Value value) = 0;
  /// -2^60 <= value <= 2^60.
  virtual bool small(mlir::Value value) = 0;

  /// Everything assumed after `mark` gave this number is taken back. Whether
  /// there was anything.
  virtual size_t mark() const = 0;
  virtual bool retract(size_t mark) = 0;
};

class AffineAccess {
public:
  struct Pointer {
    /// A scalar.
    mlir::Value base;
    /// In elements.
    Polynomial offset;
  };

  AffineAccess(Assumptions &assumptions, AtomTable &atoms)
      : assumptions(assumptions), atoms(atoms) {}

  /// A pointer, or a tile of pointers.
  std::optional<Pointer> pointer(mlir::Value value);

  /// An integer, or a tile of integers: equal as a whole number where `exact`,
  /// else equal modulo 2^64.
  std::optional<Polynomial> integer(mlir::Value value, bool exact);

  /// What was said of the operand of a splat, expand_dims, broadcast, permute
  /// or reshape, said of its result.
  std::optional<Polynomial> through(mlir::Operation *shapeOp,
                                    const Polynomial &source);

  /// Numbers of iterations replaced by induction variables where that is exact.
  Polynomial withInductionVariables(const Polynomial &polynomial);

  /// Takes assumptions back, and what followed from them.
  void retract(size_t mark) {
    if (!assumptions.retract(mark))
      return;
    integers.clear();
    pointers.clear();
  }

private:
  std::optional<Polynomial> computeInteger(mlir::Value value, bool exact);
  std::optional<Polynomial> opaque(mlir::Value value);
  std::optional<Polynomial> carried(mlir::Value value, bool exact);
  std::optional<Polynomial> iterations(mlir::Value value, bool exact);
  std::optional<Polynomial> product(const Polynomial &a, const Polynomial &b);
  std::optional<Pointer> computePointer(mlir::Value value);
  Polynomial scalar(mlir::Value value);

  Assumptions &assumptions;
  AtomTable &atoms;
  AxisDependence axes;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, std::optional<Polynomial>>
      integers;
  llvm::DenseMap<mlir::Value, std::optional<Pointer>> pointers;
  unsigned depth = 0;
};

} // namespace tesela::analysis

#endif // TESELA_ANALYSIS_AFFINEACCESS_H
