//===- Int.h - whole numbers of any size, as Python has them --------------===//

#ifndef TESELA_SEMA_INT_H
#define TESELA_SEMA_INT_H

#include "llvm/ADT/APInt.h"

#include <optional>
#include <string>
#include <string_view>

namespace tesela::sema {

/// A whole number. The width of the `APInt` inside is always the least multiple
/// of 64 bits that holds the value, so that equal numbers have equal bits.
class Int {
public:
  /// Results of more bits than this are refused, as they would take all memory.
  static constexpr unsigned maxBits = 1 << 16;

  Int(int64_t value = 0) : bits(64, uint64_t(value), /*isSigned=*/true) {}
  explicit Int(llvm::APInt value) : bits(std::move(value)) { normalise(); }

  /// Reads decimal digits with an optional sign.
  static std::optional<Int> parse(std::string_view digits);
  /// The whole part of a finite number; nothing for infinities and NaN.
  static std::optional<Int> fromDouble(double value);

  std::string str() const;
  double toDouble() const;
  std::optional<int64_t> asInt64() const;
  bool isZero() const { return bits.isZero(); }
  bool isNegative() const { return bits.isNegative(); }
  /// Bits of the magnitude.
  unsigned bitLength() const { return bits.abs().getActiveBits(); }
  /// Whether the value is a number of this width.
  bool fits(unsigned width, bool isSigned) const;
  /// The low bits, in two's complement.
  llvm::APInt truncated(unsigned width) const {
    return bits.sextOrTrunc(width);
  }

  friend bool operator==(const Int &a, const Int &b) {
    return a.bits.getBitWidth() == b.bits.getBitWidth() && a.bits == b.bits;
  }
  friend bool operator<(const Int &a, const Int &b);
  friend bool operator<=(const Int &a, const Int &b) { return !(b < a); }

  friend Int operator+(const Int &a, const Int &b);
  friend Int operator-(const Int &a, const Int &b);
  friend Int operator*(const Int &a, const Int &b);
  friend Int operator&(const Int &a, const Int &b);
  friend Int operator|(const Int &a, const Int &b);
  friend Int operator^(const Int &a, const Int &b);
  Int operator-() const { return Int(0) - *this; }
  Int operator~() const { return Int(-1) - *this; }

  /// Quotient and remainder rounded towards minus infinity. `b` is not zero.
  static Int floorDiv(const Int &a, const Int &b);
  static Int floorMod(const Int &a, const Int &b);
  /// Nothing where the result has more than `maxBits` bits.
  static std::optional<Int> shiftLeft(const Int &a, uint64_t count);
  static Int shiftRight(const Int &a, uint64_t count);
  static std::optional<Int> power(const Int &a, uint64_t exponent);

private:
  void normalise();

  llvm::APInt bits;
};

} // namespace tesela::sema

#endif // TESELA_SEMA_INT_H
