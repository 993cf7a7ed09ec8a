//===- Preconditions.h - what is assumed of a launch, and its check -------===//
//
//   func.func @NAME(%n: i32, ..) attributes {tile.kernel}
//     ==>  func.func @NAME.precondition(%n: i32, .., %x: i32, %y: i32, %z: i32)
//              -> i1
//
// The check computes, in 64 bits and without branches, between which numbers
// each integer of the kernel lies for these arguments and this grid, and says
// whether everything that was assumed follows.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_PASSES_PRECONDITIONS_H
#define TESELA_PASSES_PRECONDITIONS_H

#include "analysis/AffineAccess.h"
#include "analysis/IntegerRanges.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>

namespace tesela {

class Preconditions : public analysis::Assumptions {
public:
  /// With `general`, only what is proved is assumed.
  Preconditions(mlir::func::FuncOp kernel, bool general);
  ~Preconditions() override;

  bool noWrap(mlir::Operation *op) override;
  bool nonNegative(mlir::Value value) override;
  bool small(mlir::Value value) override;
  size_t mark() const override;
  bool retract(size_t mark) override;

  /// least <= value <= most.
  bool within(mlir::Value value, int64_t least, int64_t most);

  /// An argument of the kernel, an f32, is between 2^-exponent and 2^exponent.
  bool positive(mlir::BlockArgument argument, int exponent);

  /// Whether only what is proved is assumed.
  bool isGeneral() const;

  /// A sum of products of scalars is not negative.
  bool nonNegative(const analysis::Polynomial &polynomial,
                   const analysis::AtomTable &atoms);

  /// What is known under the assumptions so far.
  analysis::IntegerRanges &ranges() { return staticRanges; }

  /// Puts the check beside the kernel, where one is needed.
  void emit();

  /// The check under construction, for who adds conditions of another kind.
  struct State;
  State &check() { return *state; }

private:
  analysis::IntegerRanges staticRanges;
  std::unique_ptr<State> state;
};

} // namespace tesela

#endif // TESELA_PASSES_PRECONDITIONS_H
