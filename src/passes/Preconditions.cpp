//===- Preconditions.cpp - what is assumed of a launch, and its check -----===//
//
// The table of IntervalTransfer.h over SSA values: the same rows as for ranges
// that are known while compiling, written into the check as arithmetic. Numbers
// of up to 32 bits cannot overflow 64; of wider ones the check also asks that
// they stay below 2^60.
//
//===----------------------------------------------------------------------===//

#include "passes/Preconditions.h"

#include "analysis/IntervalEvaluator.h"
#include "analysis/PolynomialRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tesela::analysis;

namespace tesela {
namespace {

constexpr int64_t smallest = -(int64_t(1) << 60);
constexpr int64_t largest = int64_t(1) << 60;

struct LaunchDomain {
  using Number = Value;
  using Bool = Value;
  struct Note {
    /// The interval means something only where this holds; null where always.
    Value valid;
    /// The last wrapped interval was inside its type; null where always.
    Value fits;
    /// It depends on arguments and the grid, not on what memory holds.
    bool bounded;
  };
  using Evaluator = IntervalEvaluator<LaunchDomain>;

  explicit LaunchDomain(func::FuncOp kernel)
      : kernel(kernel), builder(kernel.getContext()) {}

  Number constant(int64_t value) {
    Value &known = constants[value];
    if (!known) {
      Block &block = check().front();
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&block);
      known = arith::ConstantIntOp::create(builder, location(), value, 64);
    }
    return known;
  }
  std::optional<int64_t> known(Number value) {
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)))
      return number.getSExtValue();
    return std::nullopt;
  }
  /// The same value for the same arithmetic, so that bounds which are equal are
  /// seen to be.
  template <typename Op> Value fold(Value a, Value b) {
    Value &known = computed[{Op::getOperationName().data(), {a, b}}];
    if (!known)
      known = shared(builder.createOrFold<Op>(location(), a, b));
    return known;
  }
  Number add(Number a, Number b) { return fold<arith::AddIOp>(a, b); }
  Number sub(Number a, Number b) { return fold<arith::SubIOp>(a, b); }
  Number min(Number a, Number b) {
    return a == b ? a : fold<arith::MinSIOp>(a, b);
  }
  Number max(Number a, Number b) {
    return a == b ? a : fold<arith::MaxSIOp>(a, b);
  }
  Number div(Number a, Number b) { return fold<arith::DivSIOp>(a, b); }
  Number mul(Number a, Number b, unsigned width) {
    if (width > 32)
      requireSmallProduct(a, b);
    return fold<arith::MulIOp>(a, b);
  }
  Bool le(Number a, Number b) {
    if (a == b)
      return flag(true);
    return builder.createOrFold<arith::CmpIOp>(
        location(), arith::CmpIPredicate::sle, a, b);
  }
  Bool both(Bool p, Bool q) {
    if (!p || !q)
      return p ? p : q;
    return builder.createOrFold<arith::AndIOp>(location(), p, q);
  }
  Number select(Bool p, Number a, Number b) {
    if (a == b)
      return a;
    return shared(
        builder.createOrFold<arith::SelectOp>(location(), p, a, b));
  }

  Interval<LaunchDomain> wrap(Interval<LaunchDomain> exact, unsigned width) {
    bool isWide = width > 32;
    int64_t least = std::max(llvm::minIntN(width), smallest);
    int64_t most = std::min(llvm::maxIntN(width), largest);
    fits = both(le(constant(least), exact.lo), le(exact.hi, constant(most)));
    if (isWide) {
      valid = both(valid, fits);
      return exact;
    }
    return {select(fits, exact.lo, constant(least)),
            select(fits, exact.hi, constant(most))};
  }

  void mayWrap() { fits = flag(false); }

  Interval<LaunchDomain> limit(Interval<LaunchDomain> range, unsigned width) {
    if (width > 32)
      valid = both(valid, both(le(constant(smallest), range.lo),
                               le(range.hi, constant(largest))));
    return range;
  }

  void begin(ArrayRef<Operation *> ops) {
    op = ops.size() == 1 ? ops.front() : nullptr;
    valid = fits = Value();
  }
  Note end(ArrayRef<Note> notes) {
    Note result{valid, fits, true};
    for (const Note &note : notes) {
      result.valid = both(result.valid, note.valid);
      result.bounded &= note.bounded;
    }
    // One operand bounds the result whatever the other is.
    if (isa_and_nonnull<tile::RemSIOp, tile::RemUIOp>(op))
      result.bounded = notes[1].bounded;
    else if (isa_and_nonnull<arith::AndIOp>(op))
      result.bounded = notes[0].bounded || notes[1].bounded;
    return result;
  }

  Evaluator::Entry unknown(Value value) {
    unsigned width = integerWidth(value.getType());
    if (!width)
      return {{constant(0), constant(0)}, {{}, {}, false}};
    // The type alone bounds small numbers well enough.
    return {{constant(std::max(llvm::minIntN(width), smallest)),
             constant(std::min(llvm::maxIntN(width), largest))},
            {{}, {}, width <= 16}};
  }
  Evaluator::Entry argument(BlockArgument argument) {
    unsigned width = integerWidth(argument.getType());
    Value value = check().getArgument(argument.getArgNumber());
    begin({});
    if (!width)
      return unknown(argument);
    if (argument.getType().isIndex())
      value = builder.createOrFold<arith::IndexCastOp>(
          location(), builder.getI64Type(), value);
    else if (width < 64)
      value = builder.createOrFold<arith::ExtSIOp>(
          location(), builder.getI64Type(), value);
    Interval<LaunchDomain> range = {value, value};
    if (width > 32)
      range = wrap(range, width);
    return {range, end({})};
  }
  Interval<LaunchDomain> programId(int axis) {
    return {constant(0), sub(numPrograms(axis).lo, constant(1))};
  }
  Interval<LaunchDomain> numPrograms(int axis) {
    Value extent = check().getArgument(kernel.getNumArguments() + axis);
    extent = shared(builder.createOrFold<arith::ExtSIOp>(
        location(), builder.getI64Type(), extent));
    return {extent, extent};
  }

  /// |a * b| <= 2^60, without computing it.
  void requireSmallProduct(Number a, Number b) {
    auto magnitude = [&](Number x) { return max(x, sub(constant(0), x)); };
    Number room = div(constant(largest), max(magnitude(b), constant(1)));
    valid = both(valid, le(magnitude(a), room));
  }

  Value flag(bool value) {
    return arith::ConstantIntOp::create(builder, location(), value, 1);
  }

  /// One value for equal constants, so that equal numbers are the same value.
  Value shared(Value value) {
    APInt number;
    if (!matchPattern(value, m_ConstantInt(&number)))
      return value;
    return constant(number.getSExtValue());
  }

  Location location() { return kernel.getLoc(); }

  /// The check, made when it is first asked for.
  func::FuncOp check() {
    if (function)
      return function;
    MLIRContext *context = kernel.getContext();
    SmallVector<Type> inputs(kernel.getArgumentTypes());
    inputs.append(3, IntegerType::get(context, 32));
    auto type =
        FunctionType::get(context, inputs, IntegerType::get(context, 1));
    function = func::FuncOp::create(
        location(), (kernel.getName() + ".precondition").str(), type);
    function.addEntryBlock();
    for (unsigned i = 0; i != kernel.getNumArguments(); ++i)
      if (Attribute name = kernel.getArgAttr(i, tile::nameAttr))
        function.setArgAttr(i, tile::nameAttr, name);
    builder.setInsertionPointToEnd(&function.front());
    return function;
  }

  func::FuncOp kernel;
  OpBuilder builder;
  func::FuncOp function;
  llvm::DenseMap<int64_t, Value> constants;
  llvm::DenseMap<std::pair<const char *, std::pair<Value, Value>>, Value>
      computed;
  Operation *op = nullptr;
  Value valid, fits;
};

} // namespace

struct Preconditions::State {
  explicit State(func::FuncOp kernel) : domain(kernel), evaluator(domain) {}

  LaunchDomain domain;
  IntervalEvaluator<LaunchDomain> evaluator;
  bool general = false;

  /// What was assumed, in order. `op` is what does not wrap, or null.
  struct Assumed {
    Value condition;
    Operation *op;
  };
  SmallVector<Assumed> log;

  /// False where the condition cannot be checked or never holds.
  bool assume(const LaunchDomain::Note &note, Value condition,
              Operation *op = nullptr) {
    if (!note.bounded)
      return false;
    condition = domain.both(note.valid, condition);
    if (condition && matchPattern(condition, m_Zero()))
      return false;
    log.push_back({condition, op});
    return true;
  }
};

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
  IntegerRange range = staticRanges.get(value);
  if (range.least >= smallest && range.most <= largest)
    return true;
  if (state->general)
    return false;
  auto entry = state->evaluator.get(value);
  LaunchDomain &domain = state->domain;
  Value condition =
      domain.both(domain.le(domain.constant(smallest), entry.range.lo),
                  domain.le(entry.range.hi, domain.constant(largest)));
  return state->assume(entry.note, condition);
}

bool Preconditions::nonNegative(const Polynomial &polynomial,
                                const AtomTable &atoms) {
  auto known = polynomialRange(polynomial, atoms, staticRanges);
  if (known && known->least >= 0)
    return true;
  if (state->general)
    return false;

  LaunchDomain &domain = state->domain;
  IntervalTransfer<LaunchDomain> transfer(domain);
  SmallVector<LaunchDomain::Note> notes;
  SmallVector<std::pair<SmallVector<Interval<LaunchDomain>>, int64_t>> terms;
  for (auto &[monomial, coefficient] : polynomial.getTerms()) {
    if (coefficient < smallest || coefficient > largest)
      return false;
    SmallVector<Interval<LaunchDomain>> factors;
    for (AtomTable::Id id : monomial) {
      if (atoms[id].kind != Atom::Kind::Scalar)
        return false;
      auto entry = state->evaluator.get(atoms[id].value);
      notes.push_back(entry.note);
      factors.push_back(entry.range);
    }
    terms.push_back({std::move(factors), coefficient});
  }
  domain.begin({});
  Interval<LaunchDomain> sum = transfer.constant(0);
  for (auto &[factors, coefficient] : terms) {
    Interval<LaunchDomain> product = transfer.constant(coefficient);
    for (Interval<LaunchDomain> factor : factors)
      product = transfer.mul(product, factor, 64);
    sum = domain.wrap(transfer.add(sum, product), 64);
  }
  return state->assume(domain.end(notes),
                       domain.le(domain.constant(0), sum.lo));
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
