//===- Lanes.cpp - formulas that make arith ops ---------------------------===//

#include "target/maths/Lanes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tesela::maths {

Type withElements(Type type, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(element);
  return element;
}

static Value splat(LanesBuilder &where, Type type, TypedAttr element) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    element = DenseElementsAttr::get(shaped, Attribute(element));
  return arith::ConstantOp::create(where.builder, where.loc, element);
}

Lanes Lanes::as(Lanes like) const {
  if (value)
    return *this;
  OpBuilder &builder = like.where->builder;
  Type element = like.elementType();
  TypedAttr attr;
  if (like.isFloat())
    attr = builder.getFloatAttr(element, number);
  else
    attr = builder.getIntegerAttr(element, int64_t(number));
  return {*like.where, splat(*like.where, like.type(), attr)};
}

/// Makes both operands values of one type.
static void unify(Lanes &a, Lanes &b) {
  a.get() ? void(b = b.as(a)) : void(a = a.as(b));
}

template <typename FloatOp, typename IntOp>
static Lanes binary(Lanes a, Lanes b) {
  unify(a, b);
  LanesBuilder &where = a.builder();
  if (a.isFloat())
    return {where, FloatOp::create(where.builder, where.loc, a.get(), b.get())};
  return {where, IntOp::create(where.builder, where.loc, a.get(), b.get())};
}

template <typename Op>
static Lanes integerBinary(Lanes a, Lanes b) {
  unify(a, b);
  LanesBuilder &where = a.builder();
  return {where, Op::create(where.builder, where.loc, a.get(), b.get())};
}

template <typename Op>
static Lanes unary(Lanes x) {
  LanesBuilder &where = x.builder();
  return {where, Op::create(where.builder, where.loc, x.get())};
}

static Lanes compare(Lanes a, Lanes b, arith::CmpFPredicate floats,
                     arith::CmpIPredicate integers) {
  unify(a, b);
  LanesBuilder &where = a.builder();
  if (a.isFloat())
    return {where, arith::CmpFOp::create(where.builder, where.loc, floats,
                                         a.get(), b.get())};
  return {where, arith::CmpIOp::create(where.builder, where.loc, integers,
                                       a.get(), b.get())};
}

Lanes operator+(Lanes a, Lanes b) {
  return binary<arith::AddFOp, arith::AddIOp>(a, b);
}
Lanes operator-(Lanes a, Lanes b) {
  return binary<arith::SubFOp, arith::SubIOp>(a, b);
}
Lanes operator*(Lanes a, Lanes b) {
  return binary<arith::MulFOp, arith::MulIOp>(a, b);
}
Lanes operator/(Lanes a, Lanes b) {
  return binary<arith::DivFOp, arith::DivSIOp>(a, b);
}
Lanes operator-(Lanes a) { return unary<arith::NegFOp>(a); }
Lanes operator&(Lanes a, Lanes b) { return integerBinary<arith::AndIOp>(a, b); }
Lanes operator|(Lanes a, Lanes b) { return integerBinary<arith::OrIOp>(a, b); }
Lanes operator^(Lanes a, Lanes b) { return integerBinary<arith::XOrIOp>(a, b); }
Lanes operator<<(Lanes a, int count) {
  return integerBinary<arith::ShLIOp>(a, count);
}
Lanes operator>>(Lanes a, int count) {
  return integerBinary<arith::ShRSIOp>(a, count);
}
Lanes shiftRightZeros(Lanes a, Lanes count) {
  return integerBinary<arith::ShRUIOp>(a, count);
}
Lanes shiftLeft(Lanes a, Lanes count) {
  return integerBinary<arith::ShLIOp>(a, count);
}

Lanes operator<(Lanes a, Lanes b) {
  return compare(a, b, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
}
Lanes operator<=(Lanes a, Lanes b) {
  return compare(a, b, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle);
}
Lanes operator>(Lanes a, Lanes b) {
  return compare(a, b, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt);
}
Lanes operator>=(Lanes a, Lanes b) {
  return compare(a, b, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge);
}
Lanes equal(Lanes a, Lanes b) {
  return compare(a, b, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
}
Lanes differs(Lanes a, Lanes b) {
  return compare(a, b, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne);
}

Lanes fma(Lanes a, Lanes b, Lanes c) {
  Lanes like = a.get() ? a : b.get() ? b : c;
  LanesBuilder &where = like.builder();
  return {where, math::FmaOp::create(where.builder, where.loc, a.as(like).get(),
                                     b.as(like).get(), c.as(like).get())};
}

Lanes select(Lanes condition, Lanes a, Lanes b) {
  unify(a, b);
  LanesBuilder &where = condition.builder();
  return {where, arith::SelectOp::create(where.builder, where.loc,
                                         condition.get(), a.get(), b.get())};
}

Lanes abs(Lanes x) { return unary<math::AbsFOp>(x); }
Lanes sqrt(Lanes x) { return unary<math::SqrtOp>(x); }

/// The flags by which LLVM finds the instructions.
static arith::FastMathFlagsAttr approximate(LanesBuilder &where) {
  using arith::FastMathFlags;
  return arith::FastMathFlagsAttr::get(
      where.builder.getContext(),
      FastMathFlags::afn | FastMathFlags::arcp | FastMathFlags::contract);
}

Lanes nearReciprocal(Lanes x) {
  LanesBuilder &where = x.builder();
  return {where, arith::DivFOp::create(where.builder, where.loc,
                                       Lanes(1.0).as(x).get(), x.get(),
                                       approximate(where))};
}

Lanes nearRsqrt(Lanes x) {
  LanesBuilder &where = x.builder();
  Lanes root(where, math::SqrtOp::create(where.builder, where.loc, x.get(),
                                         approximate(where)));
  return nearReciprocal(root);
}

Lanes trunc(Lanes x) { return unary<math::TruncOp>(x); }
Lanes copySign(Lanes magnitude, Lanes sign) {
  return integerBinary<math::CopySignOp>(magnitude, sign);
}

template <typename Op>
static Lanes cast(Lanes x, Type element) {
  LanesBuilder &where = x.builder();
  return {where, Op::create(where.builder, where.loc,
                            withElements(x.type(), element), x.get())};
}

Lanes bits(Lanes x) {
  return cast<arith::BitcastOp>(x,
                                x.builder().builder.getIntegerType(
                                    x.elementType().getIntOrFloatBitWidth()));
}

Lanes fromBits(Lanes x) {
  OpBuilder &builder = x.builder().builder;
  bool isWide = x.elementType().isInteger(64);
  return cast<arith::BitcastOp>(x, isWide ? Type(builder.getF64Type())
                                          : Type(builder.getF32Type()));
}

Lanes integer(Lanes like, uint64_t value) {
  LanesBuilder &where = like.builder();
  unsigned width = like.elementType().getIntOrFloatBitWidth();
  TypedAttr attr = where.builder.getIntegerAttr(like.elementType(),
                                                APInt(64, value).trunc(width));
  return {where, splat(where, like.type(), attr)};
}

Lanes toFloat(Lanes x, FloatType type) {
  return cast<arith::SIToFPOp>(x, type);
}

Lanes convert(Lanes x, FloatType type) {
  unsigned from = x.elementType().getIntOrFloatBitWidth();
  if (from == type.getWidth())
    return x;
  return from < type.getWidth() ? cast<arith::ExtFOp>(x, type)
                                : cast<arith::TruncFOp>(x, type);
}

Lanes convertInteger(Lanes x, unsigned width) {
  unsigned from = x.elementType().getIntOrFloatBitWidth();
  if (from == width)
    return x;
  Type type = x.builder().builder.getIntegerType(width);
  return from < width ? cast<arith::ExtUIOp>(x, type)
                      : cast<arith::TruncIOp>(x, type);
}

// Written so that x86's min and max instructions, which give their second
// operand where one is NaN, are found.
Lanes clamp(Lanes x, double low, double high) {
  x = select(x > high, high, x);
  return select(x < low, low, x);
}

Lanes polynomial(Lanes x, ArrayRef<double> coefficients) {
  Lanes sum = Lanes(coefficients.back()).as(x);
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, c);
  return sum;
}

} // namespace tesela::maths
