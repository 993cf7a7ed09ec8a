//===- ArithRules.cpp - integers, comparisons, selections -----------------===//
//
// Ops of `arith` on integers and indices, the casts between integers, and the
// total integer ops of `tile`. What upstream leaves undefined is an error here,
// so that a pass that relies on a wrong fact shows.
//
//===----------------------------------------------------------------------===//

#include "dialect/tile/Tile.h"
#include "interp/Evaluation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/ADT/APInt.h"

#include <optional>

using namespace mlir;

namespace tesela::interp {

namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

/// Two operands and the result of one type. `compute` gives the result from the
/// operands' bits and the width, or nothing where it is undefined.
template <auto compute>
bool intBinary(Evaluation &evaluation, Operation &op) {
  const Tile &lhs = evaluation.get(op.getOperand(0));
  const Tile &rhs = evaluation.get(op.getOperand(1));
  unsigned width = elementWidth(op.getOperand(0).getType());
  Tile result(lhs.size());
  for (size_t i = 0; i != lhs.size(); ++i) {
    std::optional<uint64_t> bits = compute(lhs[i], rhs[i], width);
    if (!bits)
      return evaluation.fail(
          op, "is undefined for " + Twine(signExtend(lhs[i], width)) + " and " +
                  Twine(signExtend(rhs[i], width)));
    result[i] = lowBits(*bits, width);
  }
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

template <auto compute>
bool intUnary(Evaluation &evaluation, Operation &op) {
  const Tile &source = evaluation.get(op.getOperand(0));
  unsigned from = elementWidth(op.getOperand(0).getType());
  unsigned to = elementWidth(op.getResult(0).getType());
  Tile result(source.size());
  for (size_t i = 0; i != source.size(); ++i)
    result[i] = lowBits(compute(source[i], from), to);
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

/// Add, subtract or multiply: wraps, but holds the op to its `nsw` and `nuw`.
template <typename Op, auto compute>
bool wrapping(Evaluation &evaluation, Operation &op) {
  auto flags = cast<Op>(op).getOverflowFlags();
  bool noSigned = bitEnumContainsAny(flags, arith::IntegerOverflowFlags::nsw);
  bool noUnsigned = bitEnumContainsAny(flags, arith::IntegerOverflowFlags::nuw);
  const Tile &lhs = evaluation.get(op.getOperand(0));
  const Tile &rhs = evaluation.get(op.getOperand(1));
  unsigned width = elementWidth(op.getOperand(0).getType());
  Tile result(lhs.size());
  for (size_t i = 0; i != lhs.size(); ++i) {
    result[i] = lowBits(compute(lhs[i], rhs[i]), width);
    int64_t a = signExtend(lhs[i], width), b = signExtend(rhs[i], width);
    if (noSigned && compute(Wide(a), Wide(b)) != signExtend(result[i], width))
      return evaluation.fail(op, "overflows in spite of `nsw`: " + Twine(a) +
                                     " and " + Twine(b));
    if (noUnsigned && compute(Wide(lhs[i]), Wide(rhs[i])) != result[i])
      return evaluation.fail(op, "overflows in spite of `nuw`: " +
                                     Twine(lhs[i]) + " and " + Twine(rhs[i]));
  }
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

/// Low and high half of a product.
template <bool isSigned>
bool mulExtended(Evaluation &evaluation, Operation &op) {
  const Tile &lhs = evaluation.get(op.getOperand(0));
  const Tile &rhs = evaluation.get(op.getOperand(1));
  unsigned width = elementWidth(op.getOperand(0).getType());
  Tile low(lhs.size()), high(lhs.size());
  for (size_t i = 0; i != lhs.size(); ++i) {
    UnsignedWide product = isSigned
                               ? UnsignedWide(Wide(signExtend(lhs[i], width)) *
                                              Wide(signExtend(rhs[i], width)))
                               : UnsignedWide(lhs[i]) * UnsignedWide(rhs[i]);
    low[i] = lowBits(uint64_t(product), width);
    high[i] = lowBits(uint64_t(product >> width), width);
  }
  evaluation.set(op.getResult(0), std::move(low));
  evaluation.set(op.getResult(1), std::move(high));
  return true;
}

bool addExtended(Evaluation &evaluation, Operation &op) {
  const Tile &lhs = evaluation.get(op.getOperand(0));
  const Tile &rhs = evaluation.get(op.getOperand(1));
  unsigned width = elementWidth(op.getOperand(0).getType());
  Tile sum(lhs.size()), overflow(lhs.size());
  for (size_t i = 0; i != lhs.size(); ++i) {
    sum[i] = lowBits(lhs[i] + rhs[i], width);
    overflow[i] = sum[i] < lhs[i];
  }
  evaluation.set(op.getResult(0), std::move(sum));
  evaluation.set(op.getResult(1), std::move(overflow));
  return true;
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

bool isSmallest(uint64_t bits, unsigned width) {
  return bits == uint64_t(1) << (width - 1);
}

/// -1 of this width; as a boolean that is 1.
bool isMinusOne(uint64_t bits, unsigned width) {
  return bits == lowBits(~uint64_t(0), width);
}

bool overflowsDivision(uint64_t a, uint64_t b, unsigned width) {
  return b == 0 || (isSmallest(a, width) && isMinusOne(b, width));
}

uint64_t divideSigned(uint64_t a, uint64_t b, unsigned width) {
  if (b == 0)
    return 0;
  if (isMinusOne(b, width))
    return -a;
  return uint64_t(signExtend(a, width) / signExtend(b, width));
}

uint64_t remainderSigned(uint64_t a, uint64_t b, unsigned width) {
  if (b == 0 || isMinusOne(b, width))
    return 0;
  return uint64_t(signExtend(a, width) % signExtend(b, width));
}

/// The quotient moved to the side that `towards` says where it is not exact.
std::optional<uint64_t> divideRounded(uint64_t a, uint64_t b, unsigned width,
                                      int towards) {
  if (overflowsDivision(a, b, width))
    return std::nullopt;
  int64_t quotient = int64_t(divideSigned(a, b, width));
  bool exact = remainderSigned(a, b, width) == 0;
  bool negative = (signExtend(a, width) < 0) != (signExtend(b, width) < 0);
  if (!exact && negative == (towards < 0))
    quotient += towards;
  return uint64_t(quotient);
}

uint64_t shiftRightSigned(uint64_t a, uint64_t b, unsigned width) {
  return uint64_t(signExtend(a, width) >> std::min<uint64_t>(b, width - 1));
}

bool compare(arith::CmpIPredicate predicate, uint64_t a, uint64_t b,
             unsigned width) {
  int64_t signedA = signExtend(a, width), signedB = signExtend(b, width);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return signedA < signedB;
  case arith::CmpIPredicate::sle:
    return signedA <= signedB;
  case arith::CmpIPredicate::sgt:
    return signedA > signedB;
  case arith::CmpIPredicate::sge:
    return signedA >= signedB;
  case arith::CmpIPredicate::ult:
    return a < b;
  case arith::CmpIPredicate::ule:
    return a <= b;
  case arith::CmpIPredicate::ugt:
    return a > b;
  case arith::CmpIPredicate::uge:
    return a >= b;
  }
  llvm_unreachable("all predicates are handled");
}

bool compareInts(Evaluation &evaluation, Operation &op) {
  auto predicate = cast<arith::CmpIOp>(op).getPredicate();
  const Tile &lhs = evaluation.get(op.getOperand(0));
  const Tile &rhs = evaluation.get(op.getOperand(1));
  unsigned width = elementWidth(op.getOperand(0).getType());
  Tile result(lhs.size());
  for (size_t i = 0; i != lhs.size(); ++i)
    result[i] = compare(predicate, lhs[i], rhs[i], width);
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

bool select(Evaluation &evaluation, Operation &op) {
  const Tile &condition = evaluation.get(op.getOperand(0));
  const Tile &yes = evaluation.get(op.getOperand(1));
  const Tile &no = evaluation.get(op.getOperand(2));
  // A scalar condition chooses whole tiles.
  bool isWhole = condition.size() == 1;
  Tile result(yes.size());
  for (size_t i = 0; i != yes.size(); ++i)
    result[i] = condition[isWhole ? 0 : i] ? yes[i] : no[i];
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::optional<uint64_t> attributeBits(Attribute attribute) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getValue().getZExtValue();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValue().bitcastToAPInt().getZExtValue();
  return std::nullopt;
}

bool constant(Evaluation &evaluation, Operation &op) {
  Attribute value = cast<arith::ConstantOp>(op).getValue();
  if (std::optional<uint64_t> bits = attributeBits(value)) {
    evaluation.setScalar(op.getResult(0), *bits);
    return true;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return evaluation.fail(op, "has a value that cannot be evaluated");
  Tile result;
  if (dense.isSplat()) {
    result.assign(dense.getNumElements(),
                  *attributeBits(dense.getSplatValue<Attribute>()));
  } else {
    result.reserve(dense.getNumElements());
    for (Attribute element : dense.getValues<Attribute>())
      result.push_back(*attributeBits(element));
  }
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

/// Any value is right; zero is one.
bool poison(Evaluation &evaluation, Operation &op) {
  auto shaped = dyn_cast<ShapedType>(op.getResult(0).getType());
  evaluation.set(op.getResult(0),
                 Tile(shaped ? shaped.getNumElements() : 1, 0));
  return true;
}

//===----------------------------------------------------------------------===//
// The formulas of each op, with operands `a` and `b` of `w` bits
//===----------------------------------------------------------------------===//

using Undefinable = std::optional<uint64_t>;

void addDivisions(RuleTable &table) {
  addRule<tile::DivSIOp>(table, intBinary<divideSigned>);
  addRule<tile::RemSIOp>(table, intBinary<remainderSigned>);
  addRule<tile::DivUIOp>(
      table, intBinary<[](uint64_t a, uint64_t b, unsigned) -> uint64_t {
        return b ? a / b : 0;
      }>);
  addRule<tile::RemUIOp>(
      table, intBinary<[](uint64_t a, uint64_t b, unsigned) -> uint64_t {
        return b ? a % b : 0;
      }>);
  addRule<arith::DivSIOp>(
      table, intBinary<[](uint64_t a, uint64_t b, unsigned w) -> Undefinable {
        if (overflowsDivision(a, b, w))
          return std::nullopt;
        return divideSigned(a, b, w);
      }>);
  addRule<arith::RemSIOp>(
      table, intBinary<[](uint64_t a, uint64_t b, unsigned w) -> Undefinable {
        if (overflowsDivision(a, b, w))
          return std::nullopt;
        return remainderSigned(a, b, w);
      }>);
  addRule<arith::DivUIOp>(
      table, intBinary<[](uint64_t a, uint64_t b, unsigned) -> Undefinable {
        return b ? Undefinable(a / b) : std::nullopt;
      }>);
  addRule<arith::RemUIOp>(
      table, intBinary<[](uint64_t a, uint64_t b, unsigned) -> Undefinable {
        return b ? Undefinable(a % b) : std::nullopt;
      }>);
  addRule<arith::FloorDivSIOp>(
      table, intBinary<[](uint64_t a, uint64_t b, unsigned w) {
        return divideRounded(a, b, w, -1);
      }>);
  addRule<arith::CeilDivSIOp>(table,
                              intBinary<[](uint64_t a, uint64_t b, unsigned w) {
                                return divideRounded(a, b, w, 1);
                              }>);
  addRule<arith::CeilDivUIOp>(
      table, intBinary<[](uint64_t a, uint64_t b, unsigned) -> Undefinable {
        return b ? Undefinable(a / b + (a % b != 0)) : std::nullopt;
      }>);
}

void addShifts(RuleTable &table) {
  addRule<tile::ShLIOp>(
      table, intBinary<[](uint64_t a, uint64_t b, unsigned w) -> uint64_t {
        return b < w ? a << b : 0;
      }>);
  addRule<tile::ShRUIOp>(
      table, intBinary<[](uint64_t a, uint64_t b, unsigned w) -> uint64_t {
        return b < w ? a >> b : 0;
      }>);
  addRule<tile::ShRSIOp>(table, intBinary<shiftRightSigned>);
  addRule<arith::ShLIOp>(
      table, intBinary<[](uint64_t a, uint64_t b, unsigned w) -> Undefinable {
        return b < w ? Undefinable(a << b) : std::nullopt;
      }>);
  addRule<arith::ShRUIOp>(
      table, intBinary<[](uint64_t a, uint64_t b, unsigned w) -> Undefinable {
        return b < w ? Undefinable(a >> b) : std::nullopt;
      }>);
  addRule<arith::ShRSIOp>(
      table, intBinary<[](uint64_t a, uint64_t b, unsigned w) -> Undefinable {
        return b < w ? Undefinable(shiftRightSigned(a, b, w)) : std::nullopt;
      }>);
}

void addBitsAndExtrema(RuleTable &table) {
  addRule<arith::AndIOp>(
      table, intBinary<[](uint64_t a, uint64_t b, unsigned) { return a & b; }>);
  addRule<arith::OrIOp>(
      table, intBinary<[](uint64_t a, uint64_t b, unsigned) { return a | b; }>);
  addRule<arith::XOrIOp>(
      table, intBinary<[](uint64_t a, uint64_t b, unsigned) { return a ^ b; }>);
  addRule<arith::MaxSIOp>(table,
                          intBinary<[](uint64_t a, uint64_t b, unsigned w) {
                            return signExtend(a, w) > signExtend(b, w) ? a : b;
                          }>);
  addRule<arith::MinSIOp>(table,
                          intBinary<[](uint64_t a, uint64_t b, unsigned w) {
                            return signExtend(a, w) < signExtend(b, w) ? a : b;
                          }>);
  addRule<arith::MaxUIOp>(table,
                          intBinary<[](uint64_t a, uint64_t b, unsigned) {
                            return a > b ? a : b;
                          }>);
  addRule<arith::MinUIOp>(table,
                          intBinary<[](uint64_t a, uint64_t b, unsigned) {
                            return a < b ? a : b;
                          }>);
}

void addCasts(RuleTable &table) {
  constexpr auto asSigned = [](uint64_t a, unsigned w) {
    return uint64_t(signExtend(a, w));
  };
  constexpr auto asUnsigned = [](uint64_t a, unsigned) { return a; };
  addRule<arith::ExtSIOp>(table, intUnary<asSigned>);
  addRule<arith::IndexCastOp>(table, intUnary<asSigned>);
  addRule<arith::ExtUIOp>(table, intUnary<asUnsigned>);
  addRule<arith::IndexCastUIOp>(table, intUnary<asUnsigned>);
  addRule<arith::TruncIOp>(table, intUnary<asUnsigned>);
  addRule<arith::BitcastOp>(table, intUnary<asUnsigned>);
}

} // namespace

void addArithRules(RuleTable &table) {
  addRule<arith::ConstantOp>(table, constant);
  addRule<ub::PoisonOp>(table, poison);
  addRule<arith::SelectOp>(table, select);
  addRule<arith::CmpIOp>(table, compareInts);
  addRule<arith::AddIOp>(
      table, wrapping<arith::AddIOp, [](auto a, auto b) { return a + b; }>);
  addRule<arith::SubIOp>(
      table, wrapping<arith::SubIOp, [](auto a, auto b) { return a - b; }>);
  addRule<arith::MulIOp>(
      table, wrapping<arith::MulIOp, [](auto a, auto b) { return a * b; }>);
  addRule<arith::AddUIExtendedOp>(table, addExtended);
  addRule<arith::MulSIExtendedOp>(table, mulExtended<true>);
  addRule<arith::MulUIExtendedOp>(table, mulExtended<false>);
  addDivisions(table);
  addShifts(table);
  addBitsAndExtrema(table);
  addCasts(table);
}

} // namespace tesela::interp
