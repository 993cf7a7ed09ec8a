//===- FloatWidths.cpp - conversions between floats, rounded once ---------===//
//
// Hosts convert between f32 and f64, and often between f32 and f16. The rest is
// made of integers: a bf16 is the upper half of an f32. From f64, a direct step
// to 16 or 8 bits would round twice through f32, so that step rounds to odd: a
// result that is not exact gets its last bit set, which keeps what the second
// rounding must know. To 8 bits as `tile.fptofp8` says.
//
//===----------------------------------------------------------------------===//

#include "target/maths/Slices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;

namespace tesela::maths {

static Value cast(OpBuilder &b, Location loc, Value value, Type element) {
  return arith::BitcastOp::create(b, loc, sliceType(element, lanesOf(value)),
                                  value);
}

/// bf16 -> f32: the bits move up.
static Value widenBrain(OpBuilder &b, Location loc, Value value) {
  int64_t lanes = lanesOf(value);
  Type i32 = b.getI32Type();
  Value bits = cast(b, loc, value, b.getI16Type());
  bits = arith::ExtUIOp::create(b, loc, sliceType(i32, lanes), bits);
  bits =
      arith::ShLIOp::create(b, loc, bits, intConstant(b, loc, i32, 16, lanes));
  return cast(b, loc, bits, b.getF32Type());
}

/// f32 -> bf16: the upper half, rounded to nearest even; a NaN stays one.
static Value narrowToBrain(OpBuilder &b, Location loc, Value value) {
  int64_t lanes = lanesOf(value);
  Type i32 = b.getI32Type();
  auto number = [&](int64_t n) { return intConstant(b, loc, i32, n, lanes); };
  Value bits = cast(b, loc, value, i32);
  Value upper = arith::ShRUIOp::create(b, loc, bits, number(16));
  Value odd = arith::AndIOp::create(b, loc, upper, number(1));
  Value rounded = arith::AddIOp::create(b, loc, bits, number(0x7fff));
  rounded = arith::AddIOp::create(b, loc, rounded, odd);
  rounded = arith::ShRUIOp::create(b, loc, rounded, number(16));
  Value quiet = arith::OrIOp::create(b, loc, upper, number(0x40));
  Value isNan =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, value, value);
  Value result = arith::SelectOp::create(b, loc, isNan, quiet, rounded);
  result =
      arith::TruncIOp::create(b, loc, sliceType(b.getI16Type(), lanes), result);
  return cast(b, loc, result, b.getBF16Type());
}

/// f64 -> f32, rounded to odd.
static Value narrowToOdd(OpBuilder &b, Location loc, Value value) {
  int64_t lanes = lanesOf(value);
  Type i32 = b.getI32Type();
  auto number = [&](int64_t n) { return intConstant(b, loc, i32, n, lanes); };
  Value nearest =
      arith::TruncFOp::create(b, loc, sliceType(b.getF32Type(), lanes), value);
  Value back = arith::ExtFOp::create(b, loc, value.getType(), nearest);
  Value bits = cast(b, loc, nearest, i32);
  // Where the nearest is even and not exact, its odd neighbour on the side of
  // the value: one bit pattern further from zero, or nearer to it.
  Value negative =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, bits, number(0));
  Value below =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, back, value);
  Value above =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, back, value);
  Value further = arith::SelectOp::create(b, loc, negative, above, below);
  Value inexact = arith::OrIOp::create(b, loc, below, above);
  Value step = arith::SelectOp::create(b, loc, further, number(1), number(-1));
  Value moved = arith::AddIOp::create(b, loc, bits, step);
  Value odd = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::ne,
      arith::AndIOp::create(b, loc, bits, number(1)), number(0));
  Value keep = arith::SelectOp::create(b, loc, odd, bits, moved);
  Value result = arith::SelectOp::create(b, loc, inexact, keep, bits);
  return cast(b, loc, result, b.getF32Type());
}

namespace {

/// Formulas for floats of 8 bits, which are f32 numbers cut short, but for the
/// exponent's range: below `smallest` they are multiples of `step`.
struct Float8Emitter {
  Float8Emitter(OpBuilder &b, Location loc, Type format, int64_t lanes)
      : b(b), loc(loc), format(format), lanes(lanes) {
    if (isa<Float8E5M2Type>(format)) {
      shift = 21;
      bias = 15;
      largest = 0x7b;
    }
  }

  Value number(int64_t n) {
    return intConstant(b, loc, b.getI32Type(), n, lanes);
  }
  Value real(int64_t exponent) {
    return floatConstant(b, loc, b.getF32Type(), std::ldexp(1.0, int(exponent)),
                         lanes);
  }
  Value asFloat(Value bits) { return cast(b, loc, bits, b.getF32Type()); }
  Value asBits(Value value) { return cast(b, loc, value, b.getI32Type()); }
  Value compare(arith::CmpIPredicate predicate, Value lhs, int64_t rhs) {
    return arith::CmpIOp::create(b, loc, predicate, lhs, number(rhs));
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value add(Value lhs, int64_t rhs) {
    return arith::AddIOp::create(b, loc, lhs, number(rhs));
  }
  Value mask(Value lhs, int64_t rhs) {
    return arith::AndIOp::create(b, loc, lhs, number(rhs));
  }
  /// 2^e as the bits of an f32.
  static int64_t power(int64_t e) { return (127 + e) << 23; }

  Value widen(Value bytes) {
    Value code =
        arith::ExtUIOp::create(b, loc, sliceType(b.getI32Type(), lanes), bytes);
    Value magnitude = mask(code, 0x7f);
    Value digits = arith::ShLIOp::create(b, loc, magnitude, number(shift));
    Value normal = add(digits, int64_t(127 - bias) << 23);
    // (2^e + step * code) - 2^e, without a subnormal f32.
    Value few = arith::SubFOp::create(
        b, loc, asFloat(add(digits, int64_t(128 - bias) << 23)),
        real(1 - bias));
    Value isFew = compare(arith::CmpIPredicate::ult, digits, 1 << 23);
    Value result = select(isFew, asBits(few), normal);
    // Infinity and NaN of e5m2 are those of f32; e4m3fn has one NaN.
    Value isOver = compare(arith::CmpIPredicate::ugt, magnitude, largest);
    Value over = isa<Float8E5M2Type>(format)
                     ? arith::OrIOp::create(b, loc, digits, number(0x7f800000))
                           .getResult()
                     : number(0x7fc00000);
    result = select(isOver, over, result);
    Value sign = arith::ShLIOp::create(b, loc, mask(code, 0x80), number(24));
    return asFloat(arith::OrIOp::create(b, loc, result, sign));
  }

  Value narrow(Value value) {
    Value bits = asBits(value);
    Value magnitude = mask(bits, 0x7fffffff);
    // To the nearest: half of the last place, less one where that is even.
    Value upper = arith::ShRUIOp::create(b, loc, magnitude, number(shift));
    Value rounded = add(magnitude, (int64_t(1) << (shift - 1)) - 1);
    rounded = arith::AddIOp::create(b, loc, rounded, mask(upper, 1));
    rounded = arith::ShRUIOp::create(b, loc, rounded, number(shift));
    Value normal = add(rounded, -(int64_t(127 - bias) << (23 - shift)));
    // A sum whose last place is `step` rounds to multiples of it.
    int64_t step = 1 - bias - (23 - shift), large = step + 23;
    Value few = add(
        asBits(arith::AddFOp::create(b, loc, asFloat(magnitude), real(large))),
        -power(large));
    Value isFew =
        compare(arith::CmpIPredicate::ult, magnitude, power(1 - bias));
    Value code = select(isFew, few, normal);
    code = arith::MinSIOp::create(b, loc, code, number(largest));
    Value sign = arith::ShRUIOp::create(b, loc, bits, number(24));
    code = arith::OrIOp::create(b, loc, code, mask(sign, 0x80));
    Value isNan = compare(arith::CmpIPredicate::ugt, magnitude, 0x7f800000);
    code = select(isNan, number(0x7f), code);
    return arith::TruncIOp::create(b, loc, sliceType(b.getI8Type(), lanes),
                                   code);
  }

  OpBuilder &b;
  Location loc;
  Type format;
  int64_t lanes;
  /// From the last digit to that of an f32; the code of the largest number.
  int64_t shift = 20, bias = 7, largest = 0x7e;
};

} // namespace

Value widenFloat8(OpBuilder &b, Location loc, Value bytes, Type format) {
  return Float8Emitter(b, loc, format, lanesOf(bytes)).widen(bytes);
}

Value narrowToFloat8(OpBuilder &b, Location loc, Value value, Type format) {
  value = getElementTypeOrSelf(value.getType()).isF64()
              ? narrowToOdd(b, loc, value)
              : convertFloat(b, loc, value, b.getF32Type());
  return Float8Emitter(b, loc, format, lanesOf(value)).narrow(value);
}

static bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

Value convertFloat(OpBuilder &b, Location loc, Value value, Type element) {
  int64_t lanes = lanesOf(value);
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element)
    return value;
  if (from.isBF16())
    return convertFloat(b, loc, widenBrain(b, loc, value), element);
  if (isFloat8(from)) {
    value = widenFloat8(b, loc, cast(b, loc, value, b.getI8Type()), from);
    return convertFloat(b, loc, value, element);
  }
  if (isFloat8(element))
    return cast(b, loc, narrowToFloat8(b, loc, value, element), element);
  unsigned width = element.getIntOrFloatBitWidth();
  if (from.isF64() && width < 32)
    return convertFloat(b, loc, narrowToOdd(b, loc, value), element);
  if (element.isBF16()) {
    value = convertFloat(b, loc, value, b.getF32Type());
    return narrowToBrain(b, loc, value);
  }
  // f16 -> f64 goes through f32, which is exact.
  if (from.isF16() && width > 32)
    value = convertFloat(b, loc, value, b.getF32Type());
  Type result = sliceType(element, lanes);
  if (getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() < width)
    return arith::ExtFOp::create(b, loc, result, value);
  return arith::TruncFOp::create(b, loc, result, value);
}

} // namespace tesela::maths
