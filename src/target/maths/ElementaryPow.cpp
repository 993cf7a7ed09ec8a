//===- ElementaryPow.cpp - powers -----------------------------------------===//
//
//   |x|^y = 2^(y log2|x|)
//
// Of f32 it is computed in f64, where the product's error, up to 2^7 times that
// of the logarithm, is still far below an ulp of f32. So the result is almost
// always the correctly rounded one. In f64 the logarithm and the product are
// sums of two numbers.
//
//===----------------------------------------------------------------------===//

#include "target/maths/Elementary.h"
#include "target/maths/MathTables.h"

#include "mlir/IR/BuiltinTypes.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tesela::maths {

static const double infinity = std::numeric_limits<double>::infinity();

/// log2 of a float of at least 0, given in f64, to about 2^-40; that of 0 is
/// -infinity.
static Lanes shortLog2(Lanes x) {
  Lanes xBits = bits(x);
  Lanes k = (xBits - integer(xBits, 0x3fe6a09e667f3bcd)) >> 52;
  Lanes f = fromBits(xBits - (k << 52)) - 1.0;
  // k as a float, without a conversion of 64-bit integers.
  Lanes magic = Lanes(0x1.8p52).as(x);
  Lanes kFloat = fromBits(bits(magic) + k) - magic;
  Lanes s = f / (f + 2.0);
  Lanes z = s * s;
  Lanes natural = fma(s * z, polynomial(z, tables::logShort), s + s);
  Lanes result = fma(natural, 0x1.71547652b82fep+0, kFloat);
  result = select(x < infinity, result, x);
  return select(equal(x, 0.0), -infinity, result);
}

/// 2^x in f64, to about 2^-34, for |x| up to 1000: more is as good as 1000.
static Lanes shortExp2(Lanes x) {
  x = clamp(x, -1000.0, 1000.0);
  Lanes sum = x + 0x1.8p52;
  Lanes r = x - (sum - 0x1.8p52);
  Lanes power = bits(sum) << 52;
  Lanes p = fma(r, polynomial(r, tables::exp2Short), 1.0);
  return p * fromBits(power + integer(power, 0x3ff0000000000000));
}

/// a^y in f32.
static Lanes powFloat(Lanes a, Lanes y) {
  OpBuilder &builder = a.builder().builder;
  FloatType wide = builder.getF64Type();
  Lanes exponent = convert(y, wide) * shortLog2(convert(a, wide));
  return convert(shortExp2(exponent), builder.getF32Type());
}

/// a^y in f64.
static Lanes powDouble(Lanes a, Lanes y) {
  LanesSum log = log2Sum(a);
  Lanes high = select(a < infinity, log.high, a);
  high = select(equal(a, 0.0), -infinity, high);
  Lanes exponent = y * high;
  Lanes rest = fma(y, high, -exponent) + y * log.rest;
  // Far outside the range of results, where it may be infinite or no number.
  rest = select(abs(exponent) < 1100.0, rest, 0.0);
  return exp2Sum(exponent, rest);
}

Lanes pow(Lanes x, Lanes y) {
  Lanes a = abs(x);
  Lanes result = a.isDouble() ? powDouble(a, y) : powFloat(a, y);

  // A negative base: the sign follows an odd exponent, and one that is no
  // integer has no power. (0 and infinity have all of them.)
  Lanes isInteger = equal(trunc(y), y);
  Lanes half = y * 0.5;
  Lanes isOdd = isInteger & differs(trunc(half), half);
  result = select(isOdd, copySign(result, x), result);
  Lanes isFinite = (a < infinity) & (x < 0.0);
  result = select(isFinite & differs(trunc(y), y), std::nan(""), result);

  // Anything to the power of 0, and 1 to any power, is 1; so is -1 to an
  // infinite one.
  Lanes isOne = equal(y, 0.0) | equal(x, 1.0) |
                (equal(x, -1.0) & equal(abs(y), infinity));
  return select(isOne, 1.0, result);
}

/// The root of a positive f64, by a step of Newton's from a root of 34 bits.
/// What the step divides is known with all its bits.
static Lanes cbrtDouble(Lanes a) {
  Lanes isSmall = a < 0x1p-900;
  a = select(isSmall, a * 0x1p300, a);
  Lanes t = shortExp2(shortLog2(a) * (1.0 / 3.0));
  Lanes square = t * t;
  Lanes squareRest = fma(t, t, -square);
  Lanes cube = square * t;
  Lanes cubeRest = fma(squareRest, t, fma(square, t, -cube));
  Lanes rest = (a - cube) - cubeRest;
  Lanes result = t + rest / (square * 3.0);
  return select(isSmall, result * 0x1p-100, result);
}

Lanes cbrt(Lanes x) {
  OpBuilder &builder = x.builder().builder;
  Lanes a = abs(x);
  if (x.isDouble()) {
    Lanes isOrdinary = (a > 0.0) & (a < infinity);
    return copySign(
        select(isOrdinary, cbrtDouble(select(isOrdinary, a, 1.0)), a), x);
  }
  Lanes exponent = shortLog2(convert(a, builder.getF64Type())) * (1.0 / 3.0);
  Lanes result = convert(shortExp2(exponent), builder.getF32Type());
  return copySign(result, x);
}

} // namespace tesela::maths
