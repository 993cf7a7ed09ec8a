//===- Int.cpp - whole numbers of any size --------------------------------===//

#include "sema/Int.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cmath>

namespace tesela::sema {

using llvm::APInt;

void Int::normalise() {
  unsigned width = std::max(64u, (bits.getSignificantBits() + 63) / 64 * 64);
  bits = bits.sextOrTrunc(width);
}

/// Both numbers with room for `extra` more bits than the wider has.
static std::pair<APInt, APInt> widen(const APInt &a, const APInt &b,
                                     unsigned extra) {
  unsigned width = std::max(a.getBitWidth(), b.getBitWidth()) + extra;
  return {a.sext(width), b.sext(width)};
}

std::optional<Int> Int::parse(std::string_view digits) {
  llvm::StringRef text(digits.data(), digits.size());
  bool negative = text.consume_front("-");
  if (!negative)
    text.consume_front("+");
  if (text.empty() || text.size() > maxBits / 4 ||
      text.find_first_not_of("0123456789") != llvm::StringRef::npos)
    return std::nullopt;
  // log2(10) < 4, so that four bits a digit and one for the sign are enough.
  APInt value(unsigned(text.size()) * 4 + 64, text, 10);
  return Int(negative ? -value : value);
}

std::optional<Int> Int::fromDouble(double value) {
  if (!std::isfinite(value))
    return std::nullopt;
  int exponent = 0;
  double mantissa = std::frexp(std::trunc(value), &exponent);
  // 2^53 * mantissa is a whole number.
  Int whole(int64_t(std::ldexp(mantissa, 53)));
  if (exponent >= 53)
    return shiftLeft(whole, exponent - 53);
  return Int(int64_t(std::trunc(value)));
}

std::string Int::str() const {
  llvm::SmallString<32> text;
  bits.toStringSigned(text);
  return std::string(text);
}

double Int::toDouble() const {
  llvm::APFloat value(llvm::APFloat::IEEEdouble());
  value.convertFromAPInt(bits, /*IsSigned=*/true,
                         llvm::APFloat::rmNearestTiesToEven);
  return value.convertToDouble();
}

std::optional<int64_t> Int::asInt64() const {
  if (bits.getBitWidth() > 64)
    return std::nullopt;
  return bits.getSExtValue();
}

bool Int::fits(unsigned width, bool isSigned) const {
  if (isSigned)
    return bits.isSignedIntN(width);
  return !bits.isNegative() && bits.isIntN(width);
}

bool operator<(const Int &a, const Int &b) {
  auto [x, y] = widen(a.bits, b.bits, 0);
  return x.slt(y);
}

Int operator+(const Int &a, const Int &b) {
  auto [x, y] = widen(a.bits, b.bits, 64);
  return Int(x + y);
}

Int operator-(const Int &a, const Int &b) {
  auto [x, y] = widen(a.bits, b.bits, 64);
  return Int(x - y);
}

Int operator*(const Int &a, const Int &b) {
  unsigned width = a.bits.getBitWidth() + b.bits.getBitWidth();
  return Int(a.bits.sext(width) * b.bits.sext(width));
}

Int operator&(const Int &a, const Int &b) {
  auto [x, y] = widen(a.bits, b.bits, 0);
  return Int(x & y);
}

Int operator|(const Int &a, const Int &b) {
  auto [x, y] = widen(a.bits, b.bits, 0);
  return Int(x | y);
}

Int operator^(const Int &a, const Int &b) {
  auto [x, y] = widen(a.bits, b.bits, 0);
  return Int(x ^ y);
}

Int Int::floorDiv(const Int &a, const Int &b) {
  auto [x, y] = widen(a.bits, b.bits, 64);
  APInt quotient, remainder;
  APInt::sdivrem(x, y, quotient, remainder);
  if (!remainder.isZero() && remainder.isNegative() != y.isNegative())
    --quotient;
  return Int(quotient);
}

Int Int::floorMod(const Int &a, const Int &b) {
  auto [x, y] = widen(a.bits, b.bits, 64);
  APInt remainder = x.srem(y);
  if (!remainder.isZero() && remainder.isNegative() != y.isNegative())
    remainder += y;
  return Int(remainder);
}

std::optional<Int> Int::shiftLeft(const Int &a, uint64_t count) {
  if (a.isZero())
    return a;
  if (count > maxBits || a.bits.getBitWidth() + count > maxBits)
    return std::nullopt;
  return Int(a.bits.sext(a.bits.getBitWidth() + unsigned(count))
             << unsigned(count));
}

Int Int::shiftRight(const Int &a, uint64_t count) {
  unsigned width = a.bits.getBitWidth();
  return Int(a.bits.ashr(unsigned(std::min<uint64_t>(count, width - 1))));
}

std::optional<Int> Int::power(const Int &a, uint64_t exponent) {
  Int result(1), base = a;
  if (a.bitLength() > 1 && exponent > maxBits)
    return std::nullopt;
  while (exponent) {
    if (exponent & 1)
      result = result * base;
    exponent >>= 1;
    if (exponent)
      base = base * base;
    if (result.bits.getBitWidth() > maxBits ||
        base.bits.getBitWidth() > 2 * maxBits)
      return std::nullopt;
  }
  return result;
}

} // namespace tesela::sema
