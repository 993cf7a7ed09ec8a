//===- MathRules.cpp - functions of `math` --------------------------------===//
//
// Computed in a wider type by the C library and rounded to the op's type: f64
// in long double, everything else in double. So a result is nearly always the
// one nearest to the true value. (Where long double is a double, f64 is as good
// as the C library.)
//
//===----------------------------------------------------------------------===//

#include "interp/Evaluation.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace tesela::interp {

namespace {

template <auto compute>
bool mathUnary(Evaluation &evaluation, Operation &op) {
  const Tile &source = evaluation.get(op.getOperand(0));
  FloatFormat format(op.getOperand(0).getType());
  Tile result(source.size());
  for (size_t i = 0; i != source.size(); ++i) {
    double x = format.decode(source[i]);
    result[i] = format.encode(format.isF64()
                                  ? double(compute(static_cast<long double>(x)))
                                  : double(compute(x)));
  }
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

template <auto compute>
bool mathBinary(Evaluation &evaluation, Operation &op) {
  const Tile &lhs = evaluation.get(op.getOperand(0));
  const Tile &rhs = evaluation.get(op.getOperand(1));
  FloatFormat format(op.getOperand(0).getType());
  Tile result(lhs.size());
  for (size_t i = 0; i != lhs.size(); ++i) {
    double x = format.decode(lhs[i]), y = format.decode(rhs[i]);
    result[i] = format.encode(format.isF64()
                                  ? double(compute(static_cast<long double>(x),
                                                   static_cast<long double>(y)))
                                  : double(compute(x, y)));
  }
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

template <auto compute>
bool bitsUnary(Evaluation &evaluation, Operation &op) {
  Tile result = evaluation.get(op.getOperand(0));
  unsigned width = elementWidth(op.getOperand(0).getType());
  for (uint64_t &bits : result)
    bits = lowBits(compute(bits, width), width);
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

/// `base^exponent` in floats, the exponent an integer.
bool floatToPower(Evaluation &evaluation, Operation &op) {
  const Tile &bases = evaluation.get(op.getOperand(0));
  const Tile &exponents = evaluation.get(op.getOperand(1));
  FloatFormat format(op.getOperand(0).getType());
  unsigned width = elementWidth(op.getOperand(1).getType());
  Tile result(bases.size());
  for (size_t i = 0; i != bases.size(); ++i)
    result[i] = format.encode(double(
        std::pow(static_cast<long double>(format.decode(bases[i])),
                 static_cast<long double>(signExtend(exponents[i], width)))));
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

/// Wraps. A negative exponent gives the whole part of the reciprocal; of 0,
/// which has none, 0.
uint64_t intPower(uint64_t base, int64_t exponent, unsigned width) {
  if (exponent < 0) {
    int64_t value = signExtend(base, width);
    if (value == 1 || (value == -1 && exponent % 2 == 0))
      return 1;
    return value == -1 ? uint64_t(-1) : 0;
  }
  uint64_t result = 1;
  for (uint64_t left = exponent; left; left >>= 1, base *= base)
    if (left & 1)
      result *= base;
  return result;
}

bool intToPower(Evaluation &evaluation, Operation &op) {
  const Tile &bases = evaluation.get(op.getOperand(0));
  const Tile &exponents = evaluation.get(op.getOperand(1));
  unsigned width = elementWidth(op.getOperand(0).getType());
  Tile result(bases.size());
  for (size_t i = 0; i != bases.size(); ++i)
    result[i] = lowBits(
        intPower(bases[i], signExtend(exponents[i], width), width), width);
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

bool sineAndCosine(Evaluation &evaluation, Operation &op) {
  const Tile &source = evaluation.get(op.getOperand(0));
  FloatFormat format(op.getOperand(0).getType());
  Tile sines(source.size()), cosines(source.size());
  for (size_t i = 0; i != source.size(); ++i) {
    auto x = static_cast<long double>(format.decode(source[i]));
    sines[i] = format.encode(double(std::sin(x)));
    cosines[i] = format.encode(double(std::cos(x)));
  }
  evaluation.set(op.getResult(0), std::move(sines));
  evaluation.set(op.getResult(1), std::move(cosines));
  return true;
}

void addExponentials(RuleTable &table) {
  addRule<math::ExpOp>(table, mathUnary<[](auto x) { return std::exp(x); }>);
  addRule<math::Exp2Op>(table, mathUnary<[](auto x) { return std::exp2(x); }>);
  addRule<math::ExpM1Op>(table,
                         mathUnary<[](auto x) { return std::expm1(x); }>);
  addRule<math::LogOp>(table, mathUnary<[](auto x) { return std::log(x); }>);
  addRule<math::Log2Op>(table, mathUnary<[](auto x) { return std::log2(x); }>);
  addRule<math::Log10Op>(table,
                         mathUnary<[](auto x) { return std::log10(x); }>);
  addRule<math::Log1pOp>(table,
                         mathUnary<[](auto x) { return std::log1p(x); }>);
  addRule<math::SqrtOp>(table, mathUnary<[](auto x) { return std::sqrt(x); }>);
  addRule<math::RsqrtOp>(table,
                         mathUnary<[](auto x) { return 1 / std::sqrt(x); }>);
  addRule<math::CbrtOp>(table, mathUnary<[](auto x) { return std::cbrt(x); }>);
  addRule<math::PowFOp>(
      table, mathBinary<[](auto x, auto y) { return std::pow(x, y); }>);
  addRule<math::FPowIOp>(table, floatToPower);
  addRule<math::IPowIOp>(table, intToPower);
  addRule<math::ErfOp>(table, mathUnary<[](auto x) { return std::erf(x); }>);
  addRule<math::ErfcOp>(table, mathUnary<[](auto x) { return std::erfc(x); }>);
}

void addTrigonometry(RuleTable &table) {
  addRule<math::SinOp>(table, mathUnary<[](auto x) { return std::sin(x); }>);
  addRule<math::CosOp>(table, mathUnary<[](auto x) { return std::cos(x); }>);
  addRule<math::SincosOp>(table, sineAndCosine);
  addRule<math::TanOp>(table, mathUnary<[](auto x) { return std::tan(x); }>);
  addRule<math::AsinOp>(table, mathUnary<[](auto x) { return std::asin(x); }>);
  addRule<math::AcosOp>(table, mathUnary<[](auto x) { return std::acos(x); }>);
  addRule<math::AtanOp>(table, mathUnary<[](auto x) { return std::atan(x); }>);
  addRule<math::Atan2Op>(
      table, mathBinary<[](auto y, auto x) { return std::atan2(y, x); }>);
  addRule<math::SinhOp>(table, mathUnary<[](auto x) { return std::sinh(x); }>);
  addRule<math::CoshOp>(table, mathUnary<[](auto x) { return std::cosh(x); }>);
  addRule<math::TanhOp>(table, mathUnary<[](auto x) { return std::tanh(x); }>);
  addRule<math::AsinhOp>(table,
                         mathUnary<[](auto x) { return std::asinh(x); }>);
  addRule<math::AcoshOp>(table,
                         mathUnary<[](auto x) { return std::acosh(x); }>);
  addRule<math::AtanhOp>(table,
                         mathUnary<[](auto x) { return std::atanh(x); }>);
}

void addRounding(RuleTable &table) {
  addRule<math::FloorOp>(table,
                         mathUnary<[](auto x) { return std::floor(x); }>);
  addRule<math::CeilOp>(table, mathUnary<[](auto x) { return std::ceil(x); }>);
  addRule<math::TruncOp>(table,
                         mathUnary<[](auto x) { return std::trunc(x); }>);
  addRule<math::RoundOp>(table,
                         mathUnary<[](auto x) { return std::round(x); }>);
  // The mode of the environment is never changed, so it is ties to even.
  addRule<math::RoundEvenOp>(
      table, mathUnary<[](auto x) { return std::nearbyint(x); }>);
}

} // namespace

void addMathRules(RuleTable &table) {
  addExponentials(table);
  addTrigonometry(table);
  addRounding(table);
  addRule<math::AbsIOp>(table, bitsUnary<[](uint64_t a, unsigned w) {
                          return signExtend(a, w) < 0 ? -a : a;
                        }>);
  addRule<math::CountLeadingZerosOp>(
      table, bitsUnary<[](uint64_t a, unsigned w) -> uint64_t {
        return std::countl_zero(a) - (64 - w);
      }>);
  addRule<math::CountTrailingZerosOp>(
      table, bitsUnary<[](uint64_t a, unsigned w) -> uint64_t {
        return a ? std::countr_zero(a) : w;
      }>);
  addRule<math::CtPopOp>(table, bitsUnary<[](uint64_t a, unsigned) -> uint64_t {
                           return std::popcount(a);
                         }>);
}

} // namespace tesela::interp
