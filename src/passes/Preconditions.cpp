//===- Preconditions.cpp - what is assumed of a launch, and its check -----===//
//
// An assumption is made where it is proved, or where the launch's arguments and
// grid bound everything that it depends on: then it is a condition of the
// check.
//
//===----------------------------------------------------------------------===//

#include "passes/Preconditions.h"

#include "analysis/PolynomialRange.h"
#include "passes/LaunchDomain.h"

using namespace mlir;
using namespace tesela::analysis;

namespace tesela {

Preconditions::Preconditions(func::FuncOp kernel, bool general)
    : state(std::make_unique<State>(kernel)) {
  // A kernel that has a check already was raised before; it stands.
  auto name = (kernel.getName() + ".precondition").str();
  state->general =
      general || SymbolTable::lookupSymbolIn(kernel->getParentOp(), name);
}

Preconditions::~Preconditions() {
  if (state->domain.function)
    state->domain.function->erase();
}

bool Preconditions::isGeneral() const { return state->general; }

size_t Preconditions::mark() const { return state->log.size(); }

bool Preconditions::retract(size_t mark) {
  bool any = state->log.size() > mark;
  while (state->log.size() > mark) {
    if (Operation *op = state->log.back().op)
      staticRanges.retractNoWrap(op);
    state->log.pop_back();
  }
  return any;
}

bool Preconditions::noWrap(Operation *op) {
  bool isWide = integerWidth(op->getResult(0).getType()) > 32;
  auto isSmall = [&] {
    IntegerRange range = staticRanges.get(op->getResult(0));
    return range.least >= smallest && range.most <= largest;
  };
  if (staticRanges.neverWraps(op) && (!isWide || isSmall()))
    return true;
  if (staticRanges.isAssumed(op))
    return true;
  if (state->general)
    return false;
  auto entry = state->evaluator.get(op->getResult(0));
  if (!state->assume(entry.note, entry.note.fits, op))
    return false;
  staticRanges.assumeNoWrap(op);
  return true;
}

bool Preconditions::nonNegative(Value value) {
  if (staticRanges.get(value).least >= 0)
    return true;
  if (state->general)
    return false;
  auto entry = state->evaluator.get(value);
  LaunchDomain &domain = state->domain;
  return state->assume(entry.note,
                       domain.le(domain.constant(0), entry.range.lo));
}

bool Preconditions::small(Value value) {
  return within(value, smallest, largest);
}

bool Preconditions::within(Value value, int64_t least, int64_t most) {
  IntegerRange range = staticRanges.get(value);
  if (range.least >= least && range.most <= most)
    return true;
  if (state->general)
    return false;
  auto entry = state->evaluator.get(value);
  LaunchDomain &domain = state->domain;
  Value condition =
      domain.both(domain.le(domain.constant(least), entry.range.lo),
                  domain.le(entry.range.hi, domain.constant(most)));
  return state->assume(entry.note, condition);
}

bool Preconditions::positive(BlockArgument argument, int exponent) {
  if (state->general || !argument.getType().isF32())
    return false;
  // Positive floats are ordered as the integers of their bits are; those of
  // negative ones are negative.
  LaunchDomain &domain = state->domain;
  Value float32 = domain.check().getArgument(argument.getArgNumber());
  OpBuilder &builder = domain.builder;
  Value bits = arith::ExtSIOp::create(
      builder, domain.location(), builder.getI64Type(),
      arith::BitcastOp::create(builder, domain.location(), builder.getI32Type(),
                               float32));
  auto bitsOf = [&](int power) {
    return domain.constant(int64_t(127 + power) << 23);
  };
  Value condition = domain.both(domain.le(bitsOf(-exponent), bits),
                                domain.le(bits, bitsOf(exponent)));
  return state->assume({{}, {}, true}, condition);
}

bool Preconditions::nonNegative(const Polynomial &polynomial,
                                const AtomTable &atoms) {
  auto known = polynomialRange(polynomial, atoms, staticRanges);
  if (known && known->least >= 0)
    return true;
  if (state->general)
    return false;

  LaunchDomain &domain = state->domain;
  auto entry = state->polynomial(polynomial, atoms, {});
  return state->assume(entry.note,
                       domain.le(domain.constant(0), entry.range.lo));
}

auto Preconditions::State::polynomial(const Polynomial &polynomial,
                                      const AtomTable &atoms,
                                      ArrayRef<int64_t> shape)
    -> LaunchDomain::Evaluator::Entry {
  using Range = Interval<LaunchDomain>;
  SmallVector<LaunchDomain::Note> notes;
  auto factor = [&](const Atom &atom) -> Range {
    if (atom.kind == Atom::Kind::Iota)
      return {domain.constant(0), domain.constant(shape[atom.axis] - 1)};
    bool isCount =
        atom.kind == Atom::Kind::Iteration || atom.kind == Atom::Kind::Trips;
    auto entry =
        isCount ? evaluator.tripsOf(atom.loop) : evaluator.get(atom.value);
    notes.push_back(entry.note);
    if (atom.kind == Atom::Kind::Iteration)
      entry.range.hi = domain.max(
          domain.sub(entry.range.hi, domain.constant(1)), entry.range.lo);
    return entry.range;
  };
  // The factors first: what they come from begins and ends notes of its own.
  SmallVector<std::pair<SmallVector<Range>, int64_t>> terms;
  for (auto &[monomial, coefficient] : polynomial.getTerms()) {
    SmallVector<Range> factors;
    for (AtomTable::Id id : monomial)
      factors.push_back(factor(atoms[id]));
    terms.push_back({std::move(factors), coefficient});
  }
  IntervalTransfer<LaunchDomain> transfer(domain);
  domain.begin({});
  Range sum = transfer.constant(0);
  for (auto &[factors, coefficient] : terms) {
    Range product = domain.wrap(transfer.constant(coefficient), 64);
    for (Range next : factors)
      product = transfer.mul(product, next, 64);
    sum = domain.wrap(transfer.add(sum, product), 64);
  }
  return {sum, domain.end(notes)};
}

void Preconditions::emit() {
  LaunchDomain &domain = state->domain;
  Value holds;
  for (const State::Assumed &assumed : state->log)
    holds = domain.both(holds, assumed.condition);
  if (!holds || matchPattern(holds, m_One()))
    return;
  func::FuncOp check = domain.check();
  func::ReturnOp::create(domain.builder, domain.location(), holds);
  domain.kernel->getBlock()->getOperations().insertAfter(
      domain.kernel->getIterator(), check);
  domain.function = {};
}

} // namespace tesela
