//===- ElementaryTrig.cpp - circular functions ----------------------------===//
//
//   |x| = k pi/2 + r + rest,  k integer, |r| <= pi/4
//
// pi/2 is subtracted in three parts (Cody and Waite, with fused operations).
// Large arguments take the other way, behind a branch: only those bits of 2/pi
// are multiplied that the quadrant and the fraction depend on (Payne and
// Hanek, ReduceLarge.cpp).
//
//===----------------------------------------------------------------------===//

#include "target/maths/Elementary.h"
#include "target/maths/MathTables.h"
#include "target/maths/ReduceLarge.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tesela::maths {

static const double infinity = std::numeric_limits<double>::infinity();
/// Up to here the fast reduction is good.
static const double largestFloat = 0x1p16, largestDouble = 0x1p20;

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
  LanesBuilder &where = a.builder();
  OpBuilder &builder = where.builder;
  Lanes isLarge = a >= (a.isDouble() ? largestDouble : largestFloat);
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

} // namespace tesela::maths
