//===- IntegerRanges.cpp - between which numbers a value lies -------------===//
//
// The table of IntervalTransfer.h over 128-bit numbers, in which no operation
// on two 64-bit numbers overflows.
//
//===----------------------------------------------------------------------===//

#include "analysis/IntegerRanges.h"

#include "analysis/IntervalEvaluator.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tesela::analysis {
namespace {

struct ConstantDomain {
  using Number = __int128;
  using Bool = bool;
  struct Note {
    bool fits;
  };
  using Evaluator = IntervalEvaluator<ConstantDomain>;

  Number constant(int64_t value) { return value; }
  std::optional<int64_t> known(Number value) {
    if (value < INT64_MIN || value > INT64_MAX)
      return std::nullopt;
    return int64_t(value);
  }
  Number add(Number a, Number b) { return a + b; }
  Number sub(Number a, Number b) { return a - b; }
  Number mul(Number a, Number b, unsigned) { return a * b; }
  Number div(Number a, Number b) { return a / b; }
  Number min(Number a, Number b) { return a < b ? a : b; }
  Number max(Number a, Number b) { return a < b ? b : a; }
  bool le(Number a, Number b) { return a <= b; }
  bool both(bool a, bool b) { return a && b; }
  Number select(bool p, Number a, Number b) { return p ? a : b; }

  Interval<ConstantDomain> wrap(Interval<ConstantDomain> exact,
                                unsigned width) {
    Number least = llvm::minIntN(width), most = llvm::maxIntN(width);
    fits = least <= exact.lo && exact.hi <= most;
    if (fits)
      return exact;
    // Without wrapping, what lies outside the type does not happen.
    Interval<ConstantDomain> inside = {max(exact.lo, least),
                                       min(exact.hi, most)};
    if (assumed && inside.lo <= inside.hi)
      return inside;
    return {least, most};
  }

  void mayWrap() { fits = false; }

  Interval<ConstantDomain> limit(Interval<ConstantDomain> range, unsigned) {
    return range;
  }

  void begin(ArrayRef<Operation *> ops) {
    fits = true;
    assumed = !ops.empty() && llvm::all_of(ops, [&](Operation *op) {
      return assumptions.contains(op);
    });
  }
  Note end(ArrayRef<Note>) { return {fits}; }

  Evaluator::Entry unknown(Value value) {
    unsigned width = integerWidth(value.getType());
    if (!width)
      return {{0, 0}, {false}};
    return {{llvm::minIntN(width), llvm::maxIntN(width)}, {false}};
  }
  Evaluator::Entry argument(BlockArgument argument) {
    return unknown(argument);
  }
  Interval<ConstantDomain> programId(int) { return {0, INT32_MAX - 1}; }
  Interval<ConstantDomain> numPrograms(int) { return {1, INT32_MAX}; }

  llvm::DenseSet<Operation *> assumptions;
  bool fits = true, assumed = false;
};

} // namespace

struct IntegerRanges::State {
  ConstantDomain domain;
  IntervalEvaluator<ConstantDomain> evaluator{domain};
};

IntegerRanges::IntegerRanges() : state(std::make_unique<State>()) {}
IntegerRanges::~IntegerRanges() = default;

IntegerRange IntegerRanges::get(Value value) {
  auto range = state->evaluator.get(value).range;
  return {int64_t(range.lo), int64_t(range.hi)};
}

bool IntegerRanges::neverWraps(Operation *op) {
  return state->evaluator.get(op->getResult(0)).note.fits;
}

void IntegerRanges::assumeNoWrap(Operation *op) {
  if (state->domain.assumptions.insert(op).second)
    state->evaluator.forget();
}

void IntegerRanges::retractNoWrap(Operation *op) {
  if (state->domain.assumptions.erase(op))
    state->evaluator.forget();
}

bool IntegerRanges::isAssumed(Operation *op) const {
  return state->domain.assumptions.contains(op);
}

} // namespace tesela::analysis
