//===- ElementaryLog.cpp - logarithms -------------------------------------===//
//
//   x = 2^k (1 + f),  k integer, sqrt(1/2) <= 1 + f < sqrt(2)
//   log_b(x) = k log_b(2) + log_b(1 + f)
//
// f32 takes log(1 + f) from one polynomial, f (C + f Q(f)) with C = log_b(e) in
// two parts. f64 needs fewer terms in s = f / (2 + f):
//   ln(1 + f) = 2 atanh(s) = f - (f^2/2 - s (f^2/2 + R(s^2)))
//
//===----------------------------------------------------------------------===//

#include "target/maths/Elementary.h"
#include "target/maths/MathTables.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tesela::maths {

namespace {

/// One base: log_b(2) and log_b(e), each as a sum of two numbers.
struct Base {
  double twoHigh, twoLow;
  double eHigh, eLow;
  ArrayRef<double> table;
};

/// x = 2^k m.
struct Split {
  Lanes k;
  Lanes kBits;
  Lanes m;
};

} // namespace

static const double infinity = std::numeric_limits<double>::infinity();

/// Of a positive normal number.
static Split split(Lanes x) {
  bool isDouble = x.isDouble();
  int mantissa = isDouble ? 52 : 23;
  Lanes xBits = bits(x);
  Lanes lowest = integer(xBits, isDouble ? 0x3fe6a09e667f3bcd : 0x3f3504f3);
  Lanes k = (xBits - lowest) >> mantissa;
  Lanes m = fromBits(xBits - (k << mantissa));
  auto type = cast<FloatType>(x.elementType());
  if (!isDouble)
    return {toFloat(k, type), k, m};
  // Few processors convert 64-bit integers; adding to a number whose last bit
  // counts ones does the same.
  Lanes magic = Lanes(0x1.8p52).as(x);
  return {fromBits(bits(magic) + k) - magic, k, m};
}

/// Of any positive number; what it gives for others means nothing.
static Split splitAny(Lanes x) {
  bool isDouble = x.isDouble();
  Lanes isSmall = x < (isDouble ? 0x1p-1022 : 0x1p-126);
  Lanes scaled = select(isSmall, x * (isDouble ? 0x1p54 : 0x1p24), x);
  Split result = split(scaled);
  result.k =
      result.k + select(isSmall, Lanes(isDouble ? -54.0 : -24.0).as(x), 0.0);
  return result;
}

/// log(2^k (1 + f)) to the base, f32.
static Lanes logFloat(Lanes k, Lanes f, const Base &base) {
  Lanes tail = polynomial(f, base.table);
  if (base.eLow != 0)
    tail = fma(f, tail, base.eLow);
  else
    tail = f * tail;
  if (base.twoLow != 0) {
    tail = fma(k, base.twoLow, f * tail);
    return fma(k, base.twoHigh, fma(f, base.eHigh, tail));
  }
  return fma(k, base.twoHigh, fma(f, base.eHigh, f * tail));
}

/// log(2^k (1 + f)) to the base, f64.
static Lanes logDouble(Lanes k, Lanes f, const Base &base) {
  Lanes s = f / (f + 2.0);
  Lanes z = s * s;
  Lanes r = z * polynomial(z, tables::logDouble);
  Lanes half = f * f * 0.5;
  Lanes tail = s * (half + r);
  if (base.eHigh == 1)
    return fma(k, base.twoHigh, f - (half - fma(k, base.twoLow, tail)));
  // ln(1 + f) = high + low, multiplied by log_b(e) with all its bits.
  Lanes high = f - half;
  Lanes low = ((f - high) - half) + tail;
  Lanes product = high * base.eHigh;
  Lanes rest = fma(high, base.eHigh, -product);
  rest = fma(high, base.eLow, fma(low, base.eHigh, rest));
  if (base.twoLow != 0)
    rest = fma(k, base.twoLow, rest);
  Lanes whole = k * base.twoHigh;
  Lanes sum = whole + product;
  return sum + (((whole - sum) + product) + rest);
}

/// Puts in what logarithms give for 0, negative numbers, infinity and NaN.
static Lanes withSpecials(Lanes x, Lanes result, double zeroAt) {
  result = select(x < infinity, result, x);
  result = select(x < zeroAt, std::nan(""), result);
  return select(equal(x, zeroAt), -infinity, result);
}

static Lanes logAny(Lanes x, const Base &single, const Base &wide) {
  Split parts = splitAny(x);
  Lanes f = parts.m - 1.0;
  Lanes result =
      x.isDouble() ? logDouble(parts.k, f, wide) : logFloat(parts.k, f, single);
  return withSpecials(x, result, 0.0);
}

// The high part of log_b(2) ends in zeros, so that k times it is exact.
static const Base naturalFloat = {0x1.62e4p-1, 0x1.7f7d1cp-20, 1.0, 0.0,
                                  tables::logFloat};
static const Base naturalDouble = {
    0x1.62e42fefa4000p-1, -0x1.8432a1b0e2634p-43, 1.0, 0.0, {}};

Lanes log(Lanes x) { return logAny(x, naturalFloat, naturalDouble); }

Lanes log2(Lanes x) {
  static const Base single = {1.0, 0.0, 0x1.715476p+0, 0x1.4ae0cp-26,
                              tables::log2Float};
  static const Base wide = {
      1.0, 0.0, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, {}};
  return logAny(x, single, wide);
}

// ln(1 + f) = 2 s (1 + z/3 + z^2/5 + …), z = s^2, each number in two parts. Of
// the series, only z/3 is large enough to need them.
LanesSum log2Sum(Lanes x) {
  static const double series[] = {1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11,
                                  1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19,
                                  1.0 / 21, 1.0 / 23, 1.0 / 25};
  Split parts = splitAny(x);
  Lanes f = parts.m - 1.0;
  Lanes below = f + 2.0;
  Lanes belowRest = f - (below - 2.0);
  Lanes s = f / below;
  Lanes sRest = (fma(-s, below, f) - s * belowRest) / below;
  Lanes z = s * s;
  Lanes zRest = fma(s, s, -z) + (s + s) * sRest;

  Lanes third = z * (1.0 / 3);
  Lanes thirdRest = fma(z, 1.0 / 3, -third);
  thirdRest = fma(z, 0x1.5555555555555p-56, thirdRest);
  thirdRest = fma(zRest, 1.0 / 3, thirdRest);
  Lanes more = z * z * polynomial(z, series);
  Lanes c = third + more;
  Lanes cRest = ((third - c) + more) + thirdRest;

  Lanes product = s * c;
  Lanes productRest = fma(s, c, -product);
  productRest = fma(s, cRest, productRest) + fma(sRest, c, sRest);
  Lanes half = s + product;
  Lanes halfRest = ((s - half) + product) + productRest;

  // Twice log2(e), in two parts.
  double eHigh = 0x1.71547652b82fep+1, eLow = 0x1.777d0ffda0d24p-55;
  Lanes y = half * eHigh;
  Lanes yRest = fma(half, eHigh, -y);
  yRest = fma(half, eLow, fma(halfRest, eHigh, yRest));
  Lanes sum = parts.k + y;
  return {sum, ((parts.k - sum) + y) + yRest};
}

Lanes log10(Lanes x) {
  static const Base single = {0x1.3442p-2, -0x1.95ec1p-19, 0x1.bcb7b2p-2,
                              -0x1.5b235ep-27, tables::log10Float};
  static const Base wide = {0x1.34413509f8000p-2,
                            -0x1.80433b83b532ap-44,
                            0x1.bcb7b1526e50ep-2,
                            0x1.95355baaafad3p-57,
                            {}};
  return logAny(x, single, wide);
}

// With 1 + x = 2^k m, rounded:  f = 2^-k x + (2^-k - 1), rounded once.
Lanes log1p(Lanes x) {
  bool isDouble = x.isDouble();
  int mantissa = isDouble ? 52 : 23;
  Split parts = split(x + 1.0);
  Lanes one = integer(parts.kBits, isDouble ? 0x3ff0000000000000 : 0x3f800000);
  Lanes inverse = fromBits(one - (parts.kBits << mantissa));
  Lanes f = fma(inverse, x, inverse - 1.0);
  // Where 1 + x is x, the power of two may be too small to invert.
  f = select(x < (isDouble ? 0x1p60 : 0x1p30), f, parts.m - 1.0);
  Lanes result = isDouble ? logDouble(parts.k, f, naturalDouble)
                          : logFloat(parts.k, f, naturalFloat);
  return copySign(withSpecials(x, result, -1.0), x);
}

// Of a number so large that adding or subtracting 1 changes nothing:
// log(2x) = log(x) + log(2).
static const double largeForSquares = 0x1p500;
static const double logOfTwo = 0x1.62e42fefa39efp-1;

Lanes asinh(Lanes x) {
  Lanes a = abs(x);
  Lanes isLarge = a > largeForSquares;
  Lanes square = a * a;
  Lanes u = a + square / (sqrt(square + 1.0) + 1.0);
  Lanes result = log1p(select(isLarge, a, u));
  result = select(isLarge, result + logOfTwo, result);
  return copySign(result, x);
}

Lanes acosh(Lanes x) {
  Lanes isLarge = x > largeForSquares;
  Lanes t = x - 1.0;
  Lanes result = log1p(select(isLarge, x, t + sqrt(t * (t + 2.0))));
  result = select(isLarge, result + logOfTwo, result);
  return select(x < 1.0, std::nan(""), result);
}

Lanes atanh(Lanes x) {
  Lanes a = abs(x);
  return copySign(log1p((a + a) / (1.0 - a)) * 0.5, x);
}

} // namespace tesela::maths
