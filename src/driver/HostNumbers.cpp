//===- HostNumbers.cpp - Python's arithmetic on constants -----------------===//

#include "driver/HostNumbers.h"

#include "syntax/Ast.h"

#include <cmath>

namespace tesela::driver {

using sema::Int;
using namespace syntax;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

std::optional<Number> Number::of(const Object &value) {
  if (auto *flag = std::get_if<bool>(&value.value)) {
    Number number{Int(*flag)};
    number.boolean = true;
    return number;
  }
  if (auto *integer = std::get_if<Integer>(&value.value)) {
    if (integer->digits.empty())
      return Number(Int(integer->small));
    if (std::optional<Int> parsed = Int::parse(integer->digits))
      return Number(*parsed);
  }
  if (auto *number = std::get_if<double>(&value.value))
    return Number(*number);
  return std::nullopt;
}

Number Number::integer(const std::string &digits) {
  return Number(Int::parse(digits).value_or(Int(0)));
}

Object Number::object() const {
  if (isFloat())
    return {std::get<double>(value)};
  if (boolean)
    return {!whole().isZero()};
  if (std::optional<int64_t> small = whole().asInt64())
    return {Integer{*small, {}}};
  return {Integer{0, whole().str()}};
}

bool Number::isTrue() const {
  return isFloat() ? std::get<double>(value) != 0 : !whole().isZero();
}

double Number::toDouble() const {
  return isFloat() ? std::get<double>(value) : whole().toDouble();
}

std::optional<int64_t> Number::asInt64() const {
  return isFloat() ? std::nullopt : whole().asInt64();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

static Object object(Int value) { return Number(std::move(value)).object(); }

/// Python's float remainder: with the sign of the divisor.
static double floorMod(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest == 0)
    return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

static std::optional<Object> binaryFloat(BinOpKind op, double a, double b) {
  bool dividesByZero =
      b == 0 && (op == BinOpKind::Div || op == BinOpKind::Mod ||
                 op == BinOpKind::FloorDiv);
  if (dividesByZero)
    return std::nullopt;
  switch (op) {
  case BinOpKind::Add:
    return Object{a + b};
  case BinOpKind::Sub:
    return Object{a - b};
  case BinOpKind::Mult:
    return Object{a * b};
  case BinOpKind::Div:
    return Object{a / b};
  case BinOpKind::Mod:
    return Object{floorMod(a, b)};
  case BinOpKind::FloorDiv:
    return Object{std::round((a - floorMod(a, b)) / b)};
  case BinOpKind::Pow: {
    double result = std::pow(a, b);
    // What overflows or is complex raises in Python or is no float there.
    if (std::isfinite(a) && std::isfinite(b) && !std::isfinite(result))
      return std::nullopt;
    return Object{result};
  }
  default:
    return std::nullopt;
  }
}

static std::optional<Object> binaryInt(BinOpKind op, const Int &a,
                                       const Int &b) {
  std::optional<int64_t> count = b.asInt64();
  switch (op) {
  case BinOpKind::Add:
    return object(a + b);
  case BinOpKind::Sub:
    return object(a - b);
  case BinOpKind::Mult:
    if (a.bitLength() + b.bitLength() > Int::maxBits)
      return std::nullopt;
    return object(a * b);
  case BinOpKind::BitAnd:
    return object(a & b);
  case BinOpKind::BitOr:
    return object(a | b);
  case BinOpKind::BitXor:
    return object(a ^ b);
  case BinOpKind::FloorDiv:
    if (b.isZero())
      return std::nullopt;
    return object(Int::floorDiv(a, b));
  case BinOpKind::Mod:
    if (b.isZero())
      return std::nullopt;
    return object(Int::floorMod(a, b));
  case BinOpKind::Div:
    return binaryFloat(op, a.toDouble(), b.toDouble());
  case BinOpKind::LShift:
    if (count && *count >= 0)
      if (std::optional<Int> result = Int::shiftLeft(a, uint64_t(*count)))
        return object(*result);
    return std::nullopt;
  case BinOpKind::RShift:
    if (count && *count >= 0)
      return object(Int::shiftRight(a, uint64_t(*count)));
    return std::nullopt;
  case BinOpKind::Pow:
    if (b.isNegative())
      return binaryFloat(op, a.toDouble(), b.toDouble());
    if (count)
      if (std::optional<Int> result = Int::power(a, uint64_t(*count)))
        return object(*result);
    return std::nullopt;
  case BinOpKind::MatMult:
    break;
  }
  return std::nullopt;
}

std::optional<Object> binary(BinOpKind op, const Number &a, const Number &b) {
  if (a.isFloat() || b.isFloat())
    return binaryFloat(op, a.toDouble(), b.toDouble());
  std::optional<Object> result = binaryInt(op, a.whole(), b.whole());
  bool isBitwise = op == BinOpKind::BitAnd || op == BinOpKind::BitOr ||
                   op == BinOpKind::BitXor;
  if (result && a.isBool() && b.isBool() && isBitwise)
    return Object{Number::of(*result)->isTrue()};
  return result;
}

std::optional<Object> unary(UnaryOpKind op, const Number &a) {
  switch (op) {
  case UnaryOpKind::USub:
    return a.isFloat() ? Object{-a.toDouble()} : object(-a.whole());
  case UnaryOpKind::UAdd:
    return a.isFloat() ? Object{a.toDouble()} : object(a.whole());
  case UnaryOpKind::Invert:
    if (a.isFloat())
      return std::nullopt;
    return object(~a.whole());
  case UnaryOpKind::Not:
    return Object{!a.isTrue()};
  }
  return std::nullopt;
}

bool compare(CmpOpKind op, const Number &a, const Number &b) {
  bool less, equal;
  if (a.isFloat() || b.isFloat()) {
    double x = a.toDouble(), y = b.toDouble();
    if (std::isnan(x) || std::isnan(y))
      return op == CmpOpKind::NotEq;
    less = x < y;
    equal = x == y;
  } else {
    less = a.whole() < b.whole();
    equal = a.whole() == b.whole();
  }
  switch (op) {
  case CmpOpKind::Eq:
    return equal;
  case CmpOpKind::NotEq:
    return !equal;
  case CmpOpKind::Lt:
    return less;
  case CmpOpKind::LtE:
    return less || equal;
  case CmpOpKind::Gt:
    return !less && !equal;
  default:
    return !less;
  }
}

} // namespace tesela::driver
