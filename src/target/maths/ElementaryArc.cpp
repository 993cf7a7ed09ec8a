//===- ElementaryArc.cpp - inverse circular functions ---------------------===//
//
//   asin(x) = x + x^3 P(x^2),  |x| <= 1/2;   above: pi/2 - 2 asin(s),
//                                            s = sqrt((1 - |x|) / 2)
//   atan(y/x) = atan(c) + atan(t),  t = (y - c x) / (x + c y)
//
// The tangents c are chosen so that |t| stays small: f64 has 0, 1/2 and 1, and
// f32, whose polynomial is good up to 1, only 0.
//
//===----------------------------------------------------------------------===//

#include "target/maths/Elementary.h"
#include "target/maths/MathTables.h"

#include <limits>

using namespace mlir;

namespace tesela::maths {

static const double infinity = std::numeric_limits<double>::infinity();

namespace {

/// A constant in two parts, of f32 or of f64.
struct Constant {
  double floatHigh, floatLow, doubleHigh, doubleLow;

  double high(Lanes x) const { return x.isDouble() ? doubleHigh : floatHigh; }
  double low(Lanes x) const { return x.isDouble() ? doubleLow : floatLow; }
};

} // namespace

static const Constant halfPi = {0x1.921fb6p+0, -0x1.777a5cp-25,
                                0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

static ArrayRef<double> tableFor(Lanes x, ArrayRef<double> single,
                                 ArrayRef<double> wide) {
  return x.isDouble() ? wide : single;
}

//===----------------------------------------------------------------------===//
// asin and acos
//===----------------------------------------------------------------------===//

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
  Lanes root = sqrt(square);
  Lanes s = select(isLarge, root, a);
  Lanes small =
      square * s *
      polynomial(square, tableFor(x, tables::asinFloat, tables::asinDouble));
  if (x.isDouble()) {
    // What the root was rounded by.
    Lanes lost = fma(-root, root, square) / (root + root);
    small = select(isLarge & (square > 0.0), small + lost, small);
  }
  return {isLarge, s, small};
}

Lanes asin(Lanes x) {
  auto [isLarge, main, small] = arc(x);
  // pi/2 - 2 (main + small), beginning with what cancels.
  double quarter = halfPi.high(x) / 2;
  Lanes rest = fma(small, -2.0, halfPi.low(x));
  Lanes large = (fma(main, -2.0, quarter) + rest) + quarter;
  return copySign(select(isLarge, large, main + small), x);
}

Lanes acos(Lanes x) {
  auto [isLarge, main, small] = arc(x);
  Lanes angle = main + small;
  Lanes twice = angle + angle;
  double high = halfPi.high(x), low = halfPi.low(x);
  Lanes beyond = x.isDouble()
                     ? 2 * high - ((main + main) + fma(small, 2.0, -2 * low))
                     : (2 * high - twice) + 2 * low;
  Lanes large = select(x < 0.0, beyond, twice);
  Lanes below = x.isDouble() ? high - (x + (copySign(small, x) - low))
                             : high - (copySign(angle, x) - low);
  return select(isLarge, large, below);
}

//===----------------------------------------------------------------------===//
// atan and atan2
//===----------------------------------------------------------------------===//

namespace {

/// An angle as the sum of a constant's two parts, which may be 0, and of an
/// angle near 0 in two parts, of which the second is small.
struct Angle {
  Lanes high, low;
  Lanes t, tail;
};

} // namespace

/// The angle in a triangle with these sides, 0 <= small <= large.
static Angle angle(Lanes small, Lanes large) {
  auto zero = [&] { return Lanes(0.0).as(small); };
  if (!small.isDouble()) {
    Lanes t = small / large;
    Lanes square = t * t;
    return {zero(), zero(), t,
            square * t * polynomial(square, tables::atanFloat)};
  }
  Lanes isMiddle = small > large * 0.4375;
  Lanes isSteep = small > large * 0.6875;
  Lanes c = select(isSteep, Lanes(1.0).as(small),
                   select(isMiddle, Lanes(0.5).as(small), 0.0));
  auto chosen = [&](double steep, double middle) {
    return select(isSteep, Lanes(steep).as(small),
                  select(isMiddle, Lanes(middle).as(small), 0.0));
  };
  Lanes across = fma(-c, large, small), along = fma(c, small, large);
  Lanes t = across / along;
  Lanes lost = fma(-t, along, across) / along;
  Lanes square = t * t;
  return {chosen(0x1.921fb54442d18p-1, 0x1.dac670561bb4fp-2),
          chosen(0x1.1a62633145c07p-55, 0x1.a2b7f222f65e2p-56), t,
          fma(square * t, polynomial(square, tables::atanDouble), lost)};
}

/// multiple * pi/2 + angle, or less it; `multiple` is 0, 1 or 2.
static Lanes turned(Lanes multiple, Lanes isBack, const Angle &angle) {
  auto signedOf = [&](Lanes x) { return select(isBack, -x, x); };
  Lanes t = signedOf(angle.t), tail = signedOf(angle.tail);
  if (!angle.t.isDouble()) {
    Lanes rest = fma(multiple, halfPi.low(t), signedOf(angle.t + angle.tail));
    return fma(multiple, halfPi.high(t), rest);
  }
  Lanes whole = multiple * halfPi.high(t);
  Lanes part = signedOf(angle.high);
  Lanes sum = whole + part;
  // Exact: where both are there, the first is at least twice the second.
  Lanes lost = part - (sum - whole);
  lost = select(equal(whole, 0.0), 0.0, lost);
  Lanes rest = fma(multiple, halfPi.low(t), signedOf(angle.low)) + lost;
  return sum + (t + (tail + rest));
}

Lanes atan(Lanes x) {
  Lanes a = abs(x);
  Lanes isLarge = a > 1.0;
  Lanes one = Lanes(1.0).as(a);
  double limit = x.isDouble() ? 0x1p100 : 0x1p60;
  // Beyond the limit it is pi/2 all the same, and the sides stay finite.
  Lanes bounded = select(a > limit, limit, a);
  Lanes result = turned(
      select(isLarge, one, 0.0), isLarge,
      angle(select(isLarge, one, bounded), select(isLarge, bounded, one)));
  return copySign(result, x);
}

// The angle is a multiple of pi/2 plus or minus that of small / large.
Lanes atan2(Lanes y, Lanes x) {
  Lanes ax = abs(x);
  Lanes ay = abs(y);
  Lanes isSteep = ay > ax;
  Lanes small = select(isSteep, ax, ay);
  Lanes large = select(isSteep, ay, ax);
  if (x.isDouble()) {
    // Products and sums of them neither overflow nor lose bits.
    Lanes isHuge = large > 0x1p1000;
    Lanes isTiny = large < 0x1p-900;
    Lanes scale = select(isHuge, Lanes(0x1p-100).as(x),
                         select(isTiny, Lanes(0x1p150).as(x), 1.0));
    small = small * scale;
    large = large * scale;
  }
  Lanes isEqual = equal(small, large);
  // 0/0 is 0 here, inf/inf is 1, and a number over infinity 0.
  Lanes isZero = equal(large, 0.0);
  Lanes isInfinite = equal(large, infinity);
  small = select(isInfinite, select(isEqual, Lanes(1.0).as(x), 0.0), small);
  large = select(isZero | isInfinite, 1.0, large);

  Lanes isLeft = bits(x) < 0;
  Lanes multiple =
      select(isSteep, Lanes(1.0).as(x), select(isLeft, Lanes(2.0).as(x), 0.0));
  Lanes result = turned(multiple, isSteep ^ isLeft, angle(small, large));
  result = copySign(result, y);
  // NaN in either operand.
  Lanes both = x + y;
  return select(equal(x, x) & equal(y, y), result, both);
}

} // namespace tesela::maths
