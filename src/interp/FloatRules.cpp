//===- FloatRules.cpp - float arithmetic and conversions ------------------===//
//
// f32 is computed as float, f64 as double. Narrower formats are computed as
// double and rounded: of their sums, products, quotients and roots a double
// holds so many more bits than twice theirs that the second rounding never
// changes the result.
//
//===----------------------------------------------------------------------===//

#include "dialect/tile/Tile.h"
#include "interp/Evaluation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/APSInt.h"

#include <cmath>

using namespace mlir;

namespace tesela::interp {

namespace {

template <auto compute>
bool floatBinary(Evaluation &evaluation, Operation &op) {
  const Tile &lhs = evaluation.get(op.getOperand(0));
  const Tile &rhs = evaluation.get(op.getOperand(1));
  FloatFormat format(op.getOperand(0).getType());
  Tile result(lhs.size());
  if (format.isF32())
    for (size_t i = 0; i != lhs.size(); ++i)
      result[i] = std::bit_cast<uint32_t>(
          float(compute(std::bit_cast<float>(uint32_t(lhs[i])),
                        std::bit_cast<float>(uint32_t(rhs[i])))));
  else
    for (size_t i = 0; i != lhs.size(); ++i)
      result[i] = format.encode(
          double(compute(format.decode(lhs[i]), format.decode(rhs[i]))));
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

/// Works on the bits: whatever the format, a NaN keeps its payload.
template <auto compute>
bool signUnary(Evaluation &evaluation, Operation &op) {
  Tile result = evaluation.get(op.getOperand(0));
  uint64_t sign = FloatFormat(op.getOperand(0).getType()).signBit();
  for (uint64_t &bits : result)
    bits = compute(bits, sign);
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

bool copySign(Evaluation &evaluation, Operation &op) {
  Tile result = evaluation.get(op.getOperand(0));
  const Tile &signs = evaluation.get(op.getOperand(1));
  uint64_t sign = FloatFormat(op.getOperand(0).getType()).signBit();
  for (size_t i = 0; i != result.size(); ++i)
    result[i] = (result[i] & ~sign) | (signs[i] & sign);
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

bool fusedMultiplyAdd(Evaluation &evaluation, Operation &op) {
  const Tile &a = evaluation.get(op.getOperand(0));
  const Tile &b = evaluation.get(op.getOperand(1));
  const Tile &c = evaluation.get(op.getOperand(2));
  FloatFormat format(op.getOperand(0).getType());
  Tile result(a.size());
  for (size_t i = 0; i != a.size(); ++i) {
    APFloat value = format.toAPFloat(a[i]);
    value.fusedMultiplyAdd(format.toAPFloat(b[i]), format.toAPFloat(c[i]),
                           APFloat::rmNearestTiesToEven);
    result[i] = format.encode(value);
  }
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

//===----------------------------------------------------------------------===//
// Extrema and comparisons
//===----------------------------------------------------------------------===//

/// Whether `a` comes before `b`, where -0 comes before +0.
bool isLess(double a, double b) {
  return a < b || (a == 0 && b == 0 && std::signbit(a) && !std::signbit(b));
}

/// `propagates`: a NaN wins over a number, else it loses.
template <bool isMaximum, bool propagates>
double extremum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) == propagates ? a : b;
  return isLess(a, b) == isMaximum ? b : a;
}

bool compare(arith::CmpFPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ONE:
    return !unordered && a != b;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UEQ:
    return unordered || a == b;
  case arith::CmpFPredicate::UGT:
    return unordered || a > b;
  case arith::CmpFPredicate::UGE:
    return unordered || a >= b;
  case arith::CmpFPredicate::ULT:
    return unordered || a < b;
  case arith::CmpFPredicate::ULE:
    return unordered || a <= b;
  case arith::CmpFPredicate::UNE:
    return a != b;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  }
  llvm_unreachable("all predicates are handled");
}

bool compareFloats(Evaluation &evaluation, Operation &op) {
  auto predicate = cast<arith::CmpFOp>(op).getPredicate();
  const Tile &lhs = evaluation.get(op.getOperand(0));
  const Tile &rhs = evaluation.get(op.getOperand(1));
  FloatFormat format(op.getOperand(0).getType());
  Tile result(lhs.size());
  for (size_t i = 0; i != lhs.size(); ++i)
    result[i] =
        compare(predicate, format.decode(lhs[i]), format.decode(rhs[i]));
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

template <auto holds>
bool classify(Evaluation &evaluation, Operation &op) {
  const Tile &source = evaluation.get(op.getOperand(0));
  FloatFormat format(op.getOperand(0).getType());
  Tile result(source.size());
  for (size_t i = 0; i != source.size(); ++i)
    result[i] = holds(format.toAPFloat(source[i]));
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

llvm::RoundingMode roundingMode(arith::RoundingMode mode) {
  switch (mode) {
  case arith::RoundingMode::to_nearest_even:
    return llvm::RoundingMode::NearestTiesToEven;
  case arith::RoundingMode::downward:
    return llvm::RoundingMode::TowardNegative;
  case arith::RoundingMode::upward:
    return llvm::RoundingMode::TowardPositive;
  case arith::RoundingMode::toward_zero:
    return llvm::RoundingMode::TowardZero;
  case arith::RoundingMode::to_nearest_away:
    return llvm::RoundingMode::NearestTiesToAway;
  }
  llvm_unreachable("all modes are handled");
}

/// `arith.extf`, `arith.truncf` and `tile.fptofp8`.
bool convertFloat(Evaluation &evaluation, Operation &op) {
  llvm::RoundingMode mode = llvm::RoundingMode::NearestTiesToEven;
  if (auto truncate = dyn_cast<arith::TruncFOp>(op))
    if (std::optional<arith::RoundingMode> asked = truncate.getRoundingmode())
      mode = roundingMode(*asked);
  const Tile &source = evaluation.get(op.getOperand(0));
  FloatFormat from(op.getOperand(0).getType());
  FloatFormat to(op.getResult(0).getType());
  Tile result(source.size());
  for (size_t i = 0; i != source.size(); ++i)
    result[i] = to.encode(from.toAPFloat(source[i]), mode);
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

template <bool isSigned>
bool intToFloat(Evaluation &evaluation, Operation &op) {
  const Tile &source = evaluation.get(op.getOperand(0));
  unsigned width = elementWidth(op.getOperand(0).getType());
  FloatFormat format(op.getResult(0).getType());
  Tile result(source.size());
  for (size_t i = 0; i != source.size(); ++i) {
    APFloat value(format.semantics());
    value.convertFromAPInt(APInt(width, source[i]), isSigned,
                           APFloat::rmNearestTiesToEven);
    result[i] = format.encode(value);
  }
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

/// Towards zero. Out of range: the nearest number, 0 for NaN, where the op
/// `saturates`; else undefined.
template <bool isSigned, bool saturates>
bool floatToInt(Evaluation &evaluation, Operation &op) {
  const Tile &source = evaluation.get(op.getOperand(0));
  FloatFormat format(op.getOperand(0).getType());
  unsigned width = elementWidth(op.getResult(0).getType());
  Tile result(source.size());
  for (size_t i = 0; i != source.size(); ++i) {
    APFloat value = format.toAPFloat(source[i]);
    APSInt whole(width, !isSigned);
    bool isExact;
    APFloat::opStatus status =
        value.convertToInteger(whole, APFloat::rmTowardZero, &isExact);
    if (!saturates && status == APFloat::opInvalidOp)
      return evaluation.fail(op, "is undefined for a value out of range");
    result[i] = value.isNaN() ? 0 : whole.getZExtValue();
  }
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

} // namespace

void addFloatRules(RuleTable &table) {
  addRule<arith::AddFOp>(table,
                         floatBinary<[](auto a, auto b) { return a + b; }>);
  addRule<arith::SubFOp>(table,
                         floatBinary<[](auto a, auto b) { return a - b; }>);
  addRule<arith::MulFOp>(table,
                         floatBinary<[](auto a, auto b) { return a * b; }>);
  addRule<arith::DivFOp>(table,
                         floatBinary<[](auto a, auto b) { return a / b; }>);
  addRule<arith::RemFOp>(
      table, floatBinary<[](auto a, auto b) { return std::fmod(a, b); }>);
  addRule<arith::MaximumFOp>(table, floatBinary<extremum<true, true>>);
  addRule<arith::MinimumFOp>(table, floatBinary<extremum<false, true>>);
  addRule<arith::MaxNumFOp>(table, floatBinary<extremum<true, false>>);
  addRule<arith::MinNumFOp>(table, floatBinary<extremum<false, false>>);
  addRule<arith::NegFOp>(
      table, signUnary<[](uint64_t a, uint64_t sign) { return a ^ sign; }>);
  addRule<math::AbsFOp>(
      table, signUnary<[](uint64_t a, uint64_t sign) { return a & ~sign; }>);
  addRule<math::CopySignOp>(table, copySign);
  addRule<math::FmaOp>(table, fusedMultiplyAdd);
  addRule<arith::CmpFOp>(table, compareFloats);
  addRule<math::IsNaNOp>(table,
                         classify<[](const APFloat &a) { return a.isNaN(); }>);
  addRule<math::IsInfOp>(
      table, classify<[](const APFloat &a) { return a.isInfinity(); }>);
  addRule<math::IsFiniteOp>(
      table, classify<[](const APFloat &a) { return a.isFinite(); }>);
  addRule<math::IsNormalOp>(
      table, classify<[](const APFloat &a) { return a.isNormal(); }>);
  addRule<arith::ExtFOp>(table, convertFloat);
  addRule<arith::TruncFOp>(table, convertFloat);
  addRule<arith::SIToFPOp>(table, intToFloat<true>);
  addRule<arith::UIToFPOp>(table, intToFloat<false>);
  addRule<arith::FPToSIOp>(table, floatToInt<true, false>);
  addRule<arith::FPToUIOp>(table, floatToInt<false, false>);
  addRule<tile::FpToFp8Op>(table, convertFloat);
  addRule<tile::FpToSIOp>(table, floatToInt<true, true>);
  addRule<tile::FpToUIOp>(table, floatToInt<false, true>);
}

} // namespace tesela::interp
