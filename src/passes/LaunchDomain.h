//===- LaunchDomain.h - intervals as the arithmetic of a launch's check ---===//
//
// The domain of IntervalTransfer.h whose numbers are SSA values: the same rows
// as for ranges that are known while compiling, written into the check as
// arithmetic. Numbers of up to 32 bits cannot overflow 64; of wider ones the
// check also asks that they stay below 2^60.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_PASSES_LAUNCHDOMAIN_H
#define TESELA_PASSES_LAUNCHDOMAIN_H

#include "analysis/IntervalEvaluator.h"
#include "analysis/Polynomial.h"
#include "passes/Preconditions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#include <map>

namespace tesela {

inline constexpr int64_t smallest = -(int64_t(1) << 60);
inline constexpr int64_t largest = int64_t(1) << 60;

struct LaunchDomain {
  using Number = mlir::Value;
  using Bool = mlir::Value;
  struct Note {
    /// The interval means something only where this holds; null where always.
    mlir::Value valid;
    /// The last wrapped interval was inside its type; null where always.
    mlir::Value fits;
    /// It depends on arguments and the grid, not on what memory holds.
    bool bounded;
  };
  using Evaluator = analysis::IntervalEvaluator<LaunchDomain>;

  explicit LaunchDomain(mlir::func::FuncOp kernel)
      : kernel(kernel), builder(kernel.getContext()) {}

  Number constant(int64_t value) {
    mlir::Value &known = constants[value];
    if (!known) {
      mlir::Block &block = check().front();
      mlir::OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&block);
      known =
          mlir::arith::ConstantIntOp::create(builder, location(), value, 64);
    }
    return known;
  }
  std::optional<int64_t> known(Number value) {
    llvm::APInt number;
    if (mlir::matchPattern(value, mlir::m_ConstantInt(&number)))
      return number.getSExtValue();
    return std::nullopt;
  }
  Number add(Number a, Number b) {
    return sized(fold<mlir::arith::AddIOp>(a, b),
                 1 + std::max(size(a), size(b)));
  }
  Number sub(Number a, Number b) {
    return sized(fold<mlir::arith::SubIOp>(a, b),
                 1 + std::max(size(a), size(b)));
  }
  Number min(Number a, Number b) {
    return a == b ? a
                  : sized(fold<mlir::arith::MinSIOp>(a, b),
                          std::max(size(a), size(b)));
  }
  Number max(Number a, Number b) {
    return a == b ? a
                  : sized(fold<mlir::arith::MaxSIOp>(a, b),
                          std::max(size(a), size(b)));
  }
  Number div(Number a, Number b) {
    return sized(fold<mlir::arith::DivSIOp>(a, b), size(a));
  }
  Number mul(Number a, Number b, unsigned width) {
    if (size(a) + size(b) > 62)
      requireSmallProduct(a, b);
    return sized(fold<mlir::arith::MulIOp>(a, b), size(a) + size(b));
  }
  Bool le(Number a, Number b) {
    if (a == b)
      return flag(true);
    mlir::Value &known =
        computed[{mlir::arith::CmpIOp::getOperationName().data(), {a, b}}];
    if (!known)
      known = builder.createOrFold<mlir::arith::CmpIOp>(
          location(), mlir::arith::CmpIPredicate::sle, a, b);
    return known;
  }
  Bool both(Bool p, Bool q) {
    if (!p || !q || p == q)
      return p ? p : q;
    return fold<mlir::arith::AndIOp>(p, q);
  }
  Number select(Bool p, Number a, Number b) {
    if (a == b)
      return a;
    return sized(shared(builder.createOrFold<mlir::arith::SelectOp>(location(),
                                                                    p, a, b)),
                 std::max(size(a), size(b)));
  }

  analysis::Interval<LaunchDomain> wrap(analysis::Interval<LaunchDomain> exact,
                                        unsigned width) {
    if (width > 32) {
      fits = isSmall(exact);
      valid = both(valid, fits);
      return exact;
    }
    Number least = constant(llvm::minIntN(width));
    Number most = constant(llvm::maxIntN(width));
    fits = both(le(least, exact.lo), le(exact.hi, most));
    // What wrapped may be anything.
    return {sized(select(fits, exact.lo, least), width - 1),
            sized(select(fits, exact.hi, most), width - 1)};
  }

  void mayWrap() { fits = flag(false); }

  analysis::Interval<LaunchDomain> limit(analysis::Interval<LaunchDomain> range,
                                         unsigned width) {
    if (width > 32)
      valid = both(valid, isSmall(range));
    return range;
  }

  void begin(llvm::ArrayRef<mlir::Operation *> ops) {
    op = ops.size() == 1 ? ops.front() : nullptr;
    valid = fits = mlir::Value();
  }
  Note end(llvm::ArrayRef<Note> notes) {
    Note result{valid, fits, true};
    for (const Note &note : notes) {
      result.valid = both(result.valid, note.valid);
      result.bounded &= note.bounded;
    }
    // One operand bounds the result whatever the other is.
    if (llvm::isa_and_nonnull<tile::RemSIOp, tile::RemUIOp>(op))
      result.bounded = notes[1].bounded;
    else if (llvm::isa_and_nonnull<mlir::arith::AndIOp>(op))
      result.bounded = notes[0].bounded || notes[1].bounded;
    return result;
  }

  Evaluator::Entry unknown(mlir::Value value) {
    unsigned width = analysis::integerWidth(value.getType());
    if (!width)
      return {{constant(0), constant(0)}, {{}, {}, false}};
    // The type alone bounds small numbers well enough.
    return {{constant(std::max(llvm::minIntN(width), smallest)),
             constant(std::min(llvm::maxIntN(width), largest))},
            {{}, {}, width <= 16}};
  }
  Evaluator::Entry argument(mlir::BlockArgument argument) {
    unsigned width = analysis::integerWidth(argument.getType());
    mlir::Value value = check().getArgument(argument.getArgNumber());
    begin({});
    if (!width)
      return unknown(argument);
    if (argument.getType().isIndex())
      value = builder.createOrFold<mlir::arith::IndexCastOp>(
          location(), builder.getI64Type(), value);
    else if (width < 64)
      value = sized(builder.createOrFold<mlir::arith::ExtSIOp>(
                        location(), builder.getI64Type(), value),
                    width - 1);
    analysis::Interval<LaunchDomain> range = {value, value};
    if (width > 32)
      range = wrap(range, width);
    return {range, end({})};
  }
  analysis::Interval<LaunchDomain> programId(int axis) {
    return {constant(0), sub(numPrograms(axis).lo, constant(1))};
  }
  analysis::Interval<LaunchDomain> numPrograms(int axis) {
    mlir::Value extent = check().getArgument(kernel.getNumArguments() + axis);
    extent = sized(builder.createOrFold<mlir::arith::ExtSIOp>(
                       location(), builder.getI64Type(), extent),
                   31);
    return {extent, extent};
  }

  /// |a * b| <= 2^60, without computing it.
  void requireSmallProduct(Number a, Number b) {
    auto magnitude = [&](Number x) { return max(x, sub(constant(0), x)); };
    Number room = div(constant(largest), max(magnitude(b), constant(1)));
    valid = both(valid, le(magnitude(a), room));
  }

  /// Null where that is known.
  Bool isSmall(analysis::Interval<LaunchDomain> range) {
    Bool result;
    if (size(range.lo) > 60)
      result = le(constant(smallest), range.lo);
    if (size(range.hi) > 60)
      result = both(result, le(range.hi, constant(largest)));
    return result;
  }

  /// |value| <= 2^size for certain; 63 where nothing is known.
  unsigned size(Number value) {
    if (auto number = known(value))
      return *number == INT64_MIN ? 63
                                  : llvm::Log2_64_Ceil(std::max<uint64_t>(
                                        1, *number < 0 ? -*number : *number));
    auto position = sizes.find(value);
    return position == sizes.end() ? 63 : position->second;
  }
  Number sized(Number value, unsigned atMost) {
    if (atMost < 63) {
      auto [position, isNew] = sizes.try_emplace(value, atMost);
      position->second = std::min(position->second, atMost);
    }
    return value;
  }

  /// The same value for the same arithmetic, so that bounds which are equal are
  /// seen to be.
  template <typename Op>
  mlir::Value fold(mlir::Value a, mlir::Value b) {
    mlir::Value &known = computed[{Op::getOperationName().data(), {a, b}}];
    if (!known)
      known = shared(builder.createOrFold<Op>(location(), a, b));
    return known;
  }

  mlir::Value flag(bool value) {
    return mlir::arith::ConstantIntOp::create(builder, location(), value, 1);
  }

  /// One value for equal constants, so that equal numbers are the same value.
  mlir::Value shared(mlir::Value value) {
    if (!value.getType().isInteger(64))
      return value;
    std::optional<int64_t> number = known(value);
    return number ? constant(*number) : value;
  }

  mlir::Location location() { return kernel.getLoc(); }

  /// The check, made when it is first asked for.
  mlir::func::FuncOp check() {
    if (function)
      return function;
    mlir::MLIRContext *context = kernel.getContext();
    llvm::SmallVector<mlir::Type> inputs(kernel.getArgumentTypes());
    inputs.append(3, mlir::IntegerType::get(context, 32));
    auto type = mlir::FunctionType::get(context, inputs,
                                        mlir::IntegerType::get(context, 1));
    function = mlir::func::FuncOp::create(
        location(), (kernel.getName() + ".precondition").str(), type);
    function.addEntryBlock();
    for (unsigned i = 0; i != kernel.getNumArguments(); ++i)
      if (mlir::Attribute name = kernel.getArgAttr(i, tile::nameAttr))
        function.setArgAttr(i, tile::nameAttr, name);
    builder.setInsertionPointToEnd(&function.front());
    return function;
  }

  mlir::func::FuncOp kernel;
  mlir::OpBuilder builder;
  mlir::func::FuncOp function;
  // Any number may come, those that a DenseMap keeps for itself too.
  std::map<int64_t, mlir::Value> constants;
  llvm::DenseMap<std::pair<const char *, std::pair<mlir::Value, mlir::Value>>,
                 mlir::Value>
      computed;
  llvm::DenseMap<mlir::Value, unsigned> sizes;
  mlir::Operation *op = nullptr;
  mlir::Value valid, fits;
};

struct Preconditions::State {
  explicit State(mlir::func::FuncOp kernel)
      : domain(kernel), evaluator(domain) {}

  LaunchDomain domain;
  analysis::IntervalEvaluator<LaunchDomain> evaluator;
  bool general = false;

  /// What was assumed, in order. `op` is what does not wrap, or null.
  struct Assumed {
    mlir::Value condition;
    mlir::Operation *op;
  };
  llvm::SmallVector<Assumed> log;

  /// The interval of a polynomial, along the axes of a tile of this shape.
  LaunchDomain::Evaluator::Entry
  polynomial(const analysis::Polynomial &polynomial,
             const analysis::AtomTable &atoms, llvm::ArrayRef<int64_t> shape);

  /// False where the condition cannot be checked or never holds.
  bool assume(const LaunchDomain::Note &note, mlir::Value condition,
              mlir::Operation *op = nullptr) {
    if (!note.bounded)
      return false;
    condition = domain.both(note.valid, condition);
    if (condition && mlir::matchPattern(condition, mlir::m_Zero()))
      return false;
    log.push_back({condition, op});
    return true;
  }
};

} // namespace tesela

#endif // TESELA_PASSES_LAUNCHDOMAIN_H
