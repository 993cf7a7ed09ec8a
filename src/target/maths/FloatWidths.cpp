//===- FloatWidths.cpp - conversions between floats, rounded once ---------===//
//
// Hosts convert between f32 and f64, and often between f32 and f16. The rest is
// made of integers: a bf16 is the upper half of an f32. From f64, a direct step
// to 16 bits would round twice through f32, so that step rounds to odd: a
// result that is not exact gets its last bit set, which keeps what the second
// rounding must know.
//
//===----------------------------------------------------------------------===//

#include "target/maths/Slices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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

Value convertFloat(OpBuilder &b, Location loc, Value value, Type element) {
  int64_t lanes = lanesOf(value);
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element)
    return value;
  if (from.isBF16())
    return convertFloat(b, loc, widenBrain(b, loc, value), element);
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
