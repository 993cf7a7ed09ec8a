//===- ReduceLarge.cpp - large arguments of circular functions ------------===//
//
// Payne and Hanek (SIGNUM Newsletter 18, 1983): with a = whole * 2^e, the bits
// of 2/pi whose product with 2^e is a multiple of 4 change nothing, and those
// far behind the point do not count. What is between is a window of a few
// words, multiplied by `whole` in integers.
//
//===----------------------------------------------------------------------===//

#include "target/maths/ReduceLarge.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tesela::maths {

// 2/pi in binary, after 64 bits for what is above the point.
static const uint32_t twoOverPi[] = {
    0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
    0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0,
    0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
    0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
    0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea,
    0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};

namespace {

/// A number taken apart: whole * 2^(exponent - its mantissa's bits).
struct Parts {
  /// 64 bits wide.
  Lanes whole;
  Lanes exponent;
};

} // namespace

/// `x` modulo 2^32, in 64 bits.
static Lanes low(Lanes x) { return x & integer(x, 0xffffffff); }

static Lanes high(Lanes x) { return shiftRightZeros(x, 32); }

static Lanes shiftRightZeros(Lanes x, int count) {
  return shiftRightZeros(x, Lanes(count).as(x));
}

/// `count` words of 32 bits, each in 64, of 2/pi from a bit on, the position of
/// which is below 2^`width`.
static SmallVector<Lanes> window(Lanes position, unsigned width,
                                 unsigned count) {
  // Words are chosen by one bit of their index after the other.
  Lanes word = shiftRightZeros(position, 5);
  SmallVector<Lanes> words;
  for (uint32_t value : twoOverPi)
    words.push_back(integer(position, value));
  for (unsigned bit = width - 5; bit-- > 0;) {
    unsigned distance = 1u << bit;
    Lanes isSet = equal(shiftRightZeros(word, int(bit)) & 1, 1);
    size_t kept = std::min<size_t>(words.size(), size_t(distance) + count);
    for (size_t i = 0; i < kept; ++i)
      if (i + distance < words.size())
        words[i] = select(isSet, words[i + distance], words[i]);
    words.truncate(kept);
  }
  Lanes shift = position & 31;
  SmallVector<Lanes> result;
  for (unsigned i = 0; i < count; ++i)
    result.push_back(high(shiftLeft((words[i] << 32) | words[i + 1], shift)));
  return result;
}

static Reduced reduceLargeFloat(Lanes a) {
  OpBuilder &builder = a.builder().builder;
  Lanes aBits = convertInteger(bits(a), 64);
  Lanes whole = (aBits & 0x7fffff) | 0x800000;
  Lanes exponent = shiftRightZeros(aBits, 23) - 127;
  SmallVector<Lanes> words = window(exponent + (62 - 23), 8, 3);
  // The product, in units of 2^-62.
  Lanes product =
      ((whole * words[0]) << 32) + whole * words[1] + high(whole * words[2]);
  Lanes half = integer(product, uint64_t(1) << 61);
  Lanes quadrant = shiftRightZeros(product + half, 62);
  Lanes fraction = product - (quadrant << 62);
  Lanes angle = toFloat(fraction, builder.getF64Type()) *
                (0x1.921fb54442d18p+0 * 0x1p-62);
  Lanes r = convert(angle, builder.getF32Type());
  Lanes rest =
      convert(angle - convert(r, builder.getF64Type()), builder.getF32Type());
  return {r, rest, convertInteger(quadrant, 32)};
}

/// The first four words of whole * words, modulo the first word's size.
static SmallVector<Lanes> multiply(Lanes whole, ArrayRef<Lanes> words) {
  Lanes whole0 = low(whole), whole1 = high(whole);
  Lanes carry = high(whole0 * words.back());
  SmallVector<Lanes> result;
  for (size_t i = words.size() - 1; i-- > 0;) {
    Lanes first = whole0 * words[i] + carry;
    Lanes second = low(first) + whole1 * words[i + 1];
    carry = high(first) + high(second);
    result.insert(result.begin(), low(second));
  }
  result.truncate(4);
  return result;
}

// No f64 is nearer to a multiple of pi/2 than about 2^-61, and of the product
// 2^-137 is right: enough for two numbers.
static Reduced reduceLargeDouble(Lanes a) {
  FloatType type = a.builder().builder.getF64Type();
  Lanes aBits = bits(a);
  Lanes whole = (aBits & integer(aBits, 0xfffffffffffff)) |
                integer(aBits, 0x10000000000000);
  Lanes exponent = shiftRightZeros(aBits, 52) - 1023;
  SmallVector<Lanes> words =
      multiply(whole, window(exponent + (62 - 52), 11, 6));
  Lanes top = (words[0] << 32) | words[1];
  Lanes half = integer(top, uint64_t(1) << 61);
  Lanes quadrant = shiftRightZeros(top + half, 62);
  Lanes fraction = top - (quadrant << 62);

  // A sum of four exact numbers, each less than the last bit of those before.
  Lanes a1 = toFloat(fraction >> 32, type) * 0x1p-30;
  Lanes a2 = toFloat(low(fraction), type) * 0x1p-62;
  Lanes a3 = toFloat(words[2], type) * 0x1p-94;
  Lanes a4 = toFloat(words[3], type) * 0x1p-126;
  Lanes sum = a1 + a2;
  Lanes lost = a2 - (sum - a1);
  Lanes more = sum + a3;
  Lanes moreLost = a3 - (more - sum);
  Lanes tail = (lost + moreLost) + a4;
  Lanes turn = more + tail;
  Lanes turnRest = (more - turn) + tail;

  // Times pi/2, in two parts.
  double halfPi = 0x1.921fb54442d18p+0, halfPiRest = 0x1.1a62633145c07p-54;
  Lanes product = turn * halfPi;
  Lanes productRest = fma(turn, halfPi, -product);
  productRest = fma(turn, halfPiRest, fma(turnRest, halfPi, productRest));
  Lanes r = product + productRest;
  return {r, (product - r) + productRest, quadrant};
}

Reduced reduceLarge(Lanes a) {
  return a.isDouble() ? reduceLargeDouble(a) : reduceLargeFloat(a);
}

} // namespace tesela::maths
