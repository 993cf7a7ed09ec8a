//===- Elements.cpp - numbers in memory, by element type ------------------===//

#include "Elements.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace tesela::cli {

namespace {
/// How a float is laid out: sign, exponent, mantissa.
struct FloatFormat {
  int exponentBits;
  int mantissaBits;
  /// Without infinities: the largest exponent holds numbers, and all ones are
  /// NaN.
  bool finite;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
};
} // namespace

static FloatFormat formatOf(DType type) {
  switch (type) {
  case DType::Float8E4M3:
    return {4, 3, true};
  case DType::Float8E5M2:
    return {5, 2, false};
  case DType::Float16:
    return {5, 10, false};
  case DType::BFloat16:
    return {8, 7, false};
  case DType::Float32:
    return {8, 23, false};
  default:
    return {11, 52, false};
  }
}

bool isFloatType(DType type) { return type >= DType::Float8E4M3; }

static uint64_t encodeFloat(FloatFormat format, Value value) {
  uint64_t sign = uint64_t(std::signbit(value))
                  << (format.exponentBits + format.mantissaBits);
  uint64_t largest = (uint64_t(1) << format.exponentBits) - 1;
  uint64_t infinity = largest << format.mantissaBits;
  uint64_t nan = format.finite
                     ? infinity | ((uint64_t(1) << format.mantissaBits) - 1)
                     : infinity | uint64_t(1) << (format.mantissaBits - 1);
  if (std::isnan(value))
    return nan;
  Value magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  int exponent = 0;
  if (!std::isinf(magnitude)) {
    std::frexp(magnitude, &exponent);
    --exponent; // magnitude = 1.xxx * 2^exponent
    exponent = std::max(exponent, 1 - format.bias());
    // The mantissa as a whole number, rounded; a carry moves to the exponent.
    Value scaled =
        std::nearbyint(std::ldexp(magnitude, format.mantissaBits - exponent));
    uint64_t bits = uint64_t(scaled);
    uint64_t hidden = uint64_t(1) << format.mantissaBits;
    if (bits >= hidden)
      bits = bits - hidden +
             (uint64_t(exponent + format.bias()) << format.mantissaBits);
    uint64_t limit = format.finite ? nan : infinity;
    if (bits < limit)
      return sign | bits;
  }
  // Kernels round to 8 bits so, too.
  bool saturates = format.exponentBits + format.mantissaBits == 7;
  return sign | (saturates ? (format.finite ? nan : infinity) - 1 : infinity);
}

static Value decodeFloat(FloatFormat format, uint64_t bits) {
  uint64_t hidden = uint64_t(1) << format.mantissaBits;
  uint64_t mantissa = bits & (hidden - 1);
  uint64_t largest = (uint64_t(1) << format.exponentBits) - 1;
  uint64_t exponent = (bits >> format.mantissaBits) & largest;
  bool negative = (bits >> (format.mantissaBits + format.exponentBits)) & 1;
  Value result;
  if (exponent == largest && !format.finite)
    result = mantissa ? NAN : INFINITY;
  else if (exponent == largest && mantissa == hidden - 1)
    result = NAN;
  else if (exponent == 0)
    result =
        std::ldexp(Value(mantissa), 1 - format.bias() - format.mantissaBits);
  else
    result = std::ldexp(Value(mantissa + hidden),
                        int(exponent) - format.bias() - format.mantissaBits);
  return negative ? -result : result;
}

void storeElement(DType type, void *where, Value value) {
  uint64_t bits;
  if (isFloatType(type))
    bits = encodeFloat(formatOf(type), value);
  else if (type == DType::Int1)
    bits = value != 0;
  else
    bits = value < 0 ? uint64_t(int64_t(value)) : uint64_t(value);
  std::memcpy(where, &bits, byteWidth(type));
}

static uint64_t bitsAt(DType type, const void *where) {
  uint64_t bits = 0;
  std::memcpy(&bits, where, byteWidth(type));
  return bits;
}

Value loadElement(DType type, const void *where) {
  uint64_t bits = bitsAt(type, where);
  if (isFloatType(type))
    return decodeFloat(formatOf(type), bits);
  if (type == DType::Int1 || (type >= DType::UInt8 && type <= DType::UInt64))
    return Value(bits);
  unsigned unused = 64 - bitWidth(type);
  return Value(int64_t(bits << unused) >> unused);
}

/// Neighbouring floats map to neighbouring numbers.
static int64_t orderedBits(DType type, uint64_t bits) {
  unsigned width = bitWidth(type);
  int64_t magnitude = int64_t(bits & ~(uint64_t(1) << (width - 1)));
  return bits >> (width - 1) & 1 ? -magnitude : magnitude;
}

bool agree(DType type, const void *a, const void *b, uint64_t ulp) {
  if (!isFloatType(type))
    return std::memcmp(a, b, byteWidth(type)) == 0;
  Value x = loadElement(type, a), y = loadElement(type, b);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y);
  int64_t p = orderedBits(type, bitsAt(type, a));
  int64_t q = orderedBits(type, bitsAt(type, b));
  uint64_t distance =
      p > q ? uint64_t(p) - uint64_t(q) : uint64_t(q) - uint64_t(p);
  return distance <= ulp;
}

std::string printValue(Value value) {
  char buffer[64];
  bool whole = std::floor(value) == value && std::fabs(value) < 1e19L;
  std::snprintf(buffer, sizeof buffer, whole ? "%.0Lf" : "%.9Lg", value);
  return buffer;
}

} // namespace tesela::cli
