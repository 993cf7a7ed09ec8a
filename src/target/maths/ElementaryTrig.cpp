//===- ElementaryTrig.cpp - circular functions ----------------------------===//
//
//   |x| = k pi/2 + r + rest,  k integer, |r| <= pi/4
//
// pi/2 is subtracted in three parts (Cody and Waite, with fused operations).
// Large f32 arguments take the other way, behind a branch: only those bits of
// 2/pi are multiplied that the quadrant and the fraction depend on (Payne and
// Hanek), in integers.
//
//===----------------------------------------------------------------------===//

#include "target/maths/Elementary.h"
#include "target/maths/MathTables.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tesela::maths {

namespace {

/// |x| less a multiple of pi/2: r + rest, and the multiple in the low bits.
struct Reduced {
  Lanes r;
  Lanes rest;
  Lanes quadrant;
};

} // namespace

static const double infinity = std::numeric_limits<double>::infinity();
/// Up to here the fast reduction of f32 is good.
static const double largestFloat = 0x1p16;

static Reduced reduceModerate(Lanes a) {
  bool isDouble = a.isDouble();
  double magic = isDouble ? 0x1.8p52 : 0x1.8p23;
  double high = isDouble ? 0x1.921fb54442d18p+0 : 0x1.921fb6p+0;
  double middle = isDouble ? 0x1.1a62633145c07p-54 : -0x1.777a5cp-25;
  double low = isDouble ? -0x1.f1976b7ed8fbcp-110 : -0x1.ee59dap-50;
  Lanes sum = fma(a, isDouble ? 0x1.45f306dc9c883p-1 : 0x1.45f306p-1, magic);
  Lanes k = sum - magic;
  // The first difference is exact. What the second product and difference lose
  // is kept: near a multiple of pi/2 it is all that counts.
  Lanes exact = fma(k, -high, a);
  Lanes product = k * -middle;
  Lanes productRest = fma(k, -middle, -product);
  Lanes r = exact + product;
  Lanes taken = r - exact;
  Lanes sumRest = (exact - (r - taken)) + (product - taken);
  Lanes rest = fma(k, -low, sumRest + productRest);
  return {r, rest, bits(sum)};
}

/// Of a finite f32 that is 2^16 or larger.
static Reduced reduceLarge(Lanes a) {
  OpBuilder &builder = a.builder().builder;
  // 2/pi in binary, after 32 bits for its integral part.
  static const uint32_t twoOverPi[] = {0,          0xa2f9836e, 0x4e441529,
                                       0xfc2757d1, 0xf534ddc0, 0xdb629599,
                                       0x3c439041, 0xfe5163ab};
  // a = whole * 2^(exponent - 23). The bit of 2/pi that gives 2 when it is
  // multiplied by that power is the first that counts: four turns are none.
  Lanes aBits = bits(a);
  Lanes exponent = (aBits >> 23) - 127;
  Lanes whole = (aBits & 0x7fffff) | 0x800000;
  Lanes position = exponent + (30 - 23);
  Lanes word = position >> 5;
  Lanes shift = convertInteger(position & 31, 64);

  auto wordAt = [&](int offset) {
    Lanes chosen = integer(aBits, twoOverPi[offset]);
    for (int first = 1; first <= 4; ++first)
      if (first + offset < 8)
        chosen = select(equal(word, first),
                        integer(aBits, twoOverPi[first + offset]), chosen);
    return convertInteger(chosen, 64);
  };
  Lanes words[] = {wordAt(0), wordAt(1), wordAt(2), wordAt(3)};
  auto shifted = [&](int at) {
    Lanes both = (words[at] << 32) | words[at + 1];
    return shiftRightZeros(shiftLeft(both, shift), 32);
  };
  // The product, in units of 2^-62.
  Lanes factor = convertInteger(whole, 64);
  Lanes product = ((factor * shifted(0)) << 32) + factor * shifted(1) +
                  shiftRightZeros(factor * shifted(2), 32);
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

/// Whether the condition holds in any lane; said to be unlikely.
static Value unlikelyAny(Lanes condition) {
  LanesBuilder &where = condition.builder();
  Value any = condition.get();
  if (isa<VectorType>(any.getType()))
    any = vector::ReductionOp::create(where.builder, where.loc,
                                      vector::CombiningKind::OR, any);
  Value no = arith::ConstantOp::create(where.builder, where.loc,
                                       where.builder.getBoolAttr(false));
  return LLVM::ExpectOp::create(where.builder, where.loc, any, no);
}

static Reduced reduce(Lanes a) {
  Reduced fast = reduceModerate(a);
  if (a.isDouble())
    return fast;
  LanesBuilder &where = a.builder();
  OpBuilder &builder = where.builder;
  Lanes isLarge = a >= largestFloat;
  auto branch = scf::IfOp::create(
      builder, where.loc, unlikelyAny(isLarge),
      [&](OpBuilder &nested, Location loc) {
        LanesBuilder inside = where.inside(nested, loc);
        Reduced slow = reduceLarge(Lanes(inside, a.get()));
        auto choose = [&](Lanes large, Lanes small) {
          return select(Lanes(inside, isLarge.get()), large, small).get();
        };
        scf::YieldOp::create(nested, loc,
                             ValueRange{choose(slow.r, fast.r),
                                        choose(slow.rest, fast.rest),
                                        choose(slow.quadrant, fast.quadrant)});
      },
      [&](OpBuilder &nested, Location loc) {
        scf::YieldOp::create(
            nested, loc,
            ValueRange{fast.r.get(), fast.rest.get(), fast.quadrant.get()});
      });
  return {Lanes(where, branch.getResult(0)), Lanes(where, branch.getResult(1)),
          Lanes(where, branch.getResult(2))};
}

namespace {

/// A number and what is missing in it.
struct Pair {
  Lanes high;
  Lanes low;
};

} // namespace

static Pair sinPair(const Reduced &x) {
  Lanes square = x.r * x.r;
  Lanes p = polynomial(square, x.r.isDouble() ? ArrayRef(tables::sinDouble)
                                              : ArrayRef(tables::sinFloat));
  Lanes small = fma(square * x.r, p, x.rest);
  Lanes high = small + x.r;
  return {high, (x.r - high) + small};
}

// 1 - r^2/2 is rounded, and what that lost is added to the small terms.
static Pair cosPair(const Reduced &x) {
  Lanes square = x.r * x.r;
  Lanes p = polynomial(square, x.r.isDouble() ? ArrayRef(tables::cosDouble)
                                              : ArrayRef(tables::cosFloat));
  Lanes half = square * 0.5;
  Lanes start = 1.0 - half;
  Lanes lost = (1.0 - start) - half;
  Lanes small = fma(square * square, p, lost) - x.r * x.rest;
  Lanes high = start + small;
  return {high, (start - high) + small};
}

/// The sign bit of `x` alone.
static Lanes signOf(Lanes x) {
  Lanes xBits = bits(x);
  return xBits & integer(xBits, uint64_t(1) << (x.isDouble() ? 63 : 31));
}

/// Changes the sign where bit 1 of `quadrant` is set.
static Lanes turn(Lanes x, Lanes quadrant) {
  int toSign = x.isDouble() ? 62 : 30;
  return fromBits(bits(x) ^ ((quadrant & 2) << toSign));
}

Lanes sin(Lanes x) {
  Reduced reduced = reduce(abs(x));
  Lanes isOdd = equal(reduced.quadrant & 1, 1);
  Lanes result =
      turn(select(isOdd, cosPair(reduced).high, sinPair(reduced).high),
           reduced.quadrant);
  result = fromBits(bits(result) ^ signOf(x));
  return select(abs(x) < infinity, result, std::nan(""));
}

Lanes cos(Lanes x) {
  Reduced reduced = reduce(abs(x));
  Lanes isOdd = equal(reduced.quadrant & 1, 1);
  Lanes result =
      turn(select(isOdd, sinPair(reduced).high, cosPair(reduced).high),
           reduced.quadrant + 1);
  return select(abs(x) < infinity, result, std::nan(""));
}

// sin / cos or -cos / sin, with one step of refinement from their low parts.
Lanes tan(Lanes x) {
  Reduced reduced = reduce(abs(x));
  Lanes isOdd = equal(reduced.quadrant & 1, 1);
  Pair sine = sinPair(reduced);
  Pair cosine = cosPair(reduced);
  Pair above = {select(isOdd, cosine.high, sine.high),
                select(isOdd, cosine.low, sine.low)};
  Pair below = {select(isOdd, -sine.high, cosine.high),
                select(isOdd, -sine.low, cosine.low)};
  Lanes inverse = 1.0 / below.high;
  Lanes quotient = above.high * inverse;
  Lanes rest = fma(-quotient, below.high, above.high) +
               fma(-quotient, below.low, above.low);
  Lanes result = fma(rest, inverse, quotient);
  result = fromBits(bits(result) ^ signOf(x));
  return select(abs(x) < infinity, result, std::nan(""));
}

//===----------------------------------------------------------------------===//
// Inverse functions
//===----------------------------------------------------------------------===//

static const double halfPiHigh = 0x1.921fb6p+0;
static const double halfPiLow = -0x1.777a5cp-25;

namespace {

/// asin of |x|, or, above 1/2, of sqrt((1 - |x|) / 2): half of acos |x|.
struct Arc {
  Lanes isLarge;
  /// The angle is their sum.
  Lanes main, small;
};

} // namespace

static Arc arc(Lanes x) {
  Lanes a = abs(x);
  Lanes isLarge = a > 0.5;
  Lanes square = select(isLarge, (1.0 - a) * 0.5, a * a);
  Lanes s = select(isLarge, sqrt(square), a);
  return {isLarge, s, square * s * polynomial(square, tables::asinFloat)};
}

Lanes asin(Lanes x) {
  auto [isLarge, main, small] = arc(x);
  // pi/2 - 2 (main + small), beginning with what cancels.
  Lanes rest = fma(small, -2.0, halfPiLow);
  Lanes large = (fma(main, -2.0, halfPiHigh / 2) + rest) + halfPiHigh / 2;
  return copySign(select(isLarge, large, main + small), x);
}

Lanes acos(Lanes x) {
  auto [isLarge, main, small] = arc(x);
  Lanes angle = main + small;
  Lanes twice = angle + angle;
  Lanes large =
      select(x < 0.0, (2 * halfPiHigh - twice) + 2 * halfPiLow, twice);
  Lanes below = halfPiHigh - (copySign(angle, x) - halfPiLow);
  return select(isLarge, large, below);
}

/// atan of a number in [0, 1].
static Lanes atanKernel(Lanes t) {
  Lanes square = t * t;
  return fma(square * t, polynomial(square, tables::atanFloat), t);
}

Lanes atan(Lanes x) {
  Lanes a = abs(x);
  Lanes isLarge = a > 1.0;
  Lanes p = atanKernel(select(isLarge, Lanes(1.0).as(a) / a, a));
  Lanes large = halfPiHigh - (p - halfPiLow);
  return copySign(select(isLarge, large, p), x);
}

// The angle is a multiple of pi/2 plus or minus atan(small / large).
Lanes atan2(Lanes y, Lanes x) {
  Lanes ax = abs(x);
  Lanes ay = abs(y);
  Lanes isSteep = ay > ax;
  Lanes small = select(isSteep, ax, ay);
  Lanes large = select(isSteep, ay, ax);
  Lanes t = small / large;
  t = select(equal(small, large), 1.0, t);
  t = select(equal(large, 0.0), 0.0, t);
  Lanes p = atanKernel(t);

  Lanes isLeft = bits(x) < 0;
  Lanes towards = isSteep ^ isLeft;
  Lanes multiple =
      select(isSteep, Lanes(1.0).as(x), select(isLeft, Lanes(2.0).as(x), 0.0));
  Lanes result = fma(multiple, halfPiLow, select(towards, -p, p));
  result = fma(multiple, halfPiHigh, result);
  result = copySign(result, y);
  // NaN in either operand.
  Lanes both = x + y;
  return select(equal(x, x) & equal(y, y), result, both);
}

} // namespace tesela::maths
