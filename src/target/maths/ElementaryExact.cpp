//===- ElementaryExact.cpp - remainders and narrowing, without error ------===//

#include "target/maths/Elementary.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tesela::maths {

static const double infinity = std::numeric_limits<double>::infinity();

static Value anyLane(Lanes condition) {
  if (!isa<VectorType>(condition.type()))
    return condition.get();
  LanesBuilder &where = condition.builder();
  return vector::ReductionOp::create(
      where.builder, where.loc, vector::CombiningKind::OR, condition.get());
}

/// r less a multiple of b, at least a mantissa's length smaller than r or
/// smaller than b. Every step is exact: the quotient q is off by less than its
/// last place u, so that r - q b is a small multiple of u ulp(b), and fused.
static Lanes reduceOnce(Lanes r, Lanes b) {
  bool isDouble = r.isDouble();
  int mantissa = isDouble ? 52 : 23;
  // Where the quotient would overflow, that by a multiple of b.
  double step = isDouble ? 0x1p540 : 0x1p75;
  Lanes far = b * step;
  Lanes divisor = select(r / far < infinity, far, far * step);
  divisor = select(r / b < infinity, b, divisor);
  Lanes q = trunc(r / divisor);
  Lanes rest = fma(-q, divisor, r);
  // The last place of q: 1, or more where q is too large for that.
  Lanes qBits = bits(q);
  Lanes exponent =
      qBits & integer(qBits, isDouble ? 0x7ff0000000000000 : 0x7f800000);
  Lanes place =
      fromBits(exponent - integer(qBits, uint64_t(mantissa) << mantissa));
  place = select(q < (isDouble ? 0x1p52 : 0x1p23), 1.0, place);
  return select(rest < 0.0, fma(place, divisor, rest), rest);
}

Lanes remainder(Lanes x, Lanes y) {
  LanesBuilder &where = x.builder();
  OpBuilder &builder = where.builder;
  Lanes a = abs(x);
  Lanes b = abs(y);
  // Lanes that need no loop must not disturb it.
  Lanes isValid = (a < infinity) & (b > 0.0);
  Lanes isWhole = isValid & equal(b, infinity);
  Lanes isLooped = isValid & (b < infinity);
  a = select(isLooped, a, 0.0);
  b = select(isLooped, b, 1.0);

  auto loop = scf::WhileOp::create(
      builder, where.loc, a.type(), ValueRange{a.get()},
      [&](OpBuilder &nested, Location loc, ValueRange values) {
        LanesBuilder inside = where.inside(nested, loc);
        Lanes isLarge = Lanes(inside, values[0]) >= Lanes(inside, b.get());
        scf::ConditionOp::create(nested, loc, anyLane(isLarge), values);
      },
      [&](OpBuilder &nested, Location loc, ValueRange values) {
        LanesBuilder inside = where.inside(nested, loc);
        Lanes next =
            reduceOnce(Lanes(inside, values[0]), Lanes(inside, b.get()));
        scf::YieldOp::create(nested, loc, next.get());
      });
  Lanes result(where, loop.getResult(0));
  result = select(isWhole, x, copySign(result, x));
  return select(isValid, result, std::nan(""));
}

/// f64 to f32, with the last bit set where something was cut off. Rounding that
/// to a shorter format rounds once.
static Lanes roundToOdd(Lanes x) {
  OpBuilder &builder = x.builder().builder;
  Lanes nearest = convert(x, builder.getF32Type());
  Lanes back = convert(nearest, builder.getF64Type());
  Lanes isAway = abs(back) > abs(x);
  Lanes nearestBits = bits(nearest);
  Lanes one = integer(nearestBits, 1);
  Lanes zero = integer(nearestBits, 0);
  Lanes cut = nearestBits - select(isAway, one, zero);
  Lanes isInexact = differs(back, x) & equal(x, x);
  return fromBits(cut | select(isInexact, one, zero));
}

static Lanes toBFloat16(Lanes x, FloatType type) {
  LanesBuilder &where = x.builder();
  Lanes xBits = bits(x);
  Lanes last = shiftRightZeros(xBits, 16) & 1;
  Lanes rounded = shiftRightZeros(xBits + 0x7fff + last, 16);
  Lanes quiet = shiftRightZeros(xBits, 16) | 0x40;
  Lanes narrow = convertInteger(select(equal(x, x), rounded, quiet), 16);
  Type result = type;
  if (auto shaped = dyn_cast<ShapedType>(x.type()))
    result = shaped.clone(type);
  return {where, arith::BitcastOp::create(where.builder, where.loc, result,
                                          narrow.get())};
}

// LLVM would move an extension of a bf16 behind what rounds to an integer, and
// then narrow again by a call. It does not see through this.
Lanes widen(Lanes x, FloatType type) {
  if (x.elementType().isBF16())
    x = fromBits(convertInteger(bits(x), 32) << 16);
  return convert(x, type);
}

Lanes narrow(Lanes x, FloatType type) {
  if (x.isDouble())
    x = roundToOdd(x);
  return type.isBF16() ? toBFloat16(x, type) : convert(x, type);
}

} // namespace tesela::maths
