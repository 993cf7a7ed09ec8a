//===- Maths.cpp - functions of floats ------------------------------------===//
//
// Ints are computed in float32, and so are halves, whose results are rounded
// back: one more rounding than a function of halves would have.
//
//===----------------------------------------------------------------------===//

#include "dialect/tile/Tile.h"
#include "emit/Interpreter.h"
#include "emit/TileShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using tesela::sema::BuiltinId;
using tesela::syntax::BinOpKind;

namespace tesela::emit {

/// An argument as a float that is computed with; `given` is the type that the
/// result is rounded to.
static Value floatOperand(Interpreter &in, const Arguments &args,
                          unsigned index, Type &given) {
  Value value = in.toRuntime(args[index]);
  if (!value)
    return Value();
  if (value.type().isPointer) {
    Emitter::At at(in, args.spans[index]);
    return in.fail(DiagId::OperandType,
                   args.name() + " is not defined for " + value.describe());
  }
  if (value.type().isInt())
    value = in.cast(value, DType::Float32);
  given = value.type().scalar();
  return given.bitWidth() < 32 ? in.cast(value, DType::Float32) : value;
}

template <typename Op, bool hasError = false>
static Value emitUnary(Interpreter &in, const Arguments &args) {
  Type given;
  Value value = floatOperand(in, args, 0, given);
  if (!value)
    return Value();
  Value result =
      in.make(Op::create(in.builder, in.loc(), in.ir(value)), value.type());
  return in.cast(hasError ? Emitter::withError(result) : result, given);
}

/// Rounding to whole numbers, which leaves ints alone.
template <typename Op>
static Value emitRounding(Interpreter &in, const Arguments &args) {
  Value value = in.toRuntime(args[0]);
  if (!value || value.type().isInt())
    return value;
  return emitUnary<Op>(in, args);
}

template <typename Op>
static Value emitPredicate(Interpreter &in, const Arguments &args) {
  Type given;
  Value value = floatOperand(in, args, 0, given);
  if (!value)
    return Value();
  Type type(DType::Int1, value.type().shape);
  return in.make(
      Op::create(in.builder, in.loc(), in.irType(type), in.ir(value)), type);
}

/// Two operands in one float type; halves are computed in float32.
static bool floatOperands(Interpreter &in, const Arguments &args, Value &a,
                          Value &b, Type &given) {
  a = args[0];
  b = args[1];
  std::string name = args.name();
  if (!in.promote(a, b, sema::Arithmetic::Plain, name.c_str()))
    return false;
  if (a.type().isPointer) {
    in.fail(DiagId::OperandType, name + " is not defined for pointers");
    return false;
  }
  if (a.type().isInt()) {
    a = in.cast(a, DType::Float32);
    b = in.cast(b, DType::Float32);
  }
  given = a.type().scalar();
  if (given.bitWidth() < 32) {
    a = in.cast(a, DType::Float32);
    b = in.cast(b, DType::Float32);
  }
  return true;
}

template <typename Op, bool hasError = false>
static Value emitBinary(Interpreter &in, const Arguments &args) {
  Value a, b;
  Type given;
  if (!floatOperands(in, args, a, b, given))
    return Value();
  Value result = in.sameType<Op>(a, b);
  return in.cast(hasError ? Emitter::withError(result) : result, given);
}

static Value emitFma(Interpreter &in, const Arguments &args) {
  Value x = args[0], y = args[1], z = args[2];
  if (!in.promote(x, y, sema::Arithmetic::Plain, "`tl.fma`") ||
      !in.promote(x, z, sema::Arithmetic::Plain, "`tl.fma`"))
    return Value();
  y = in.broadcast(in.cast(y, x.type().scalar()), x.type().shape);
  const Type &type = x.type();
  if (!type.isFloat()) {
    Value product = in.operate(BinOpKind::Mult, x, y);
    return product ? in.operate(BinOpKind::Add, product, z) : Value();
  }
  Value a = in.computable(x), b = in.computable(y), c = in.computable(z);
  auto op =
      math::FmaOp::create(in.builder, in.loc(), in.ir(a), in.ir(b), in.ir(c));
  return in.cast(in.make(op, a.type()), type.scalar());
}

static Value emitFdiv(Interpreter &in, const Arguments &args) {
  Value x = in.toRuntime(args[0]), y = x ? in.toRuntime(args[1]) : Value();
  if (!y)
    return Value();
  if (!x.type().isFloat() || !y.type().isFloat())
    return in.fail(DiagId::OperandType,
                   args.name() + " divides floats, and these are " +
                       x.describe() + " and " + y.describe() + "; use `/`");
  return args.flag(2) ? emitBinary<arith::DivFOp>(in, args)
                      : emitBinary<arith::DivFOp, /*hasError=*/true>(in, args);
}

/// The upper half of the product of two unsigned numbers of 32 bits in 64.
static mlir::Value upperOfWide(mlir::OpBuilder &b, mlir::Location loc,
                               mlir::Value x, mlir::Value y, mlir::Type wide) {
  mlir::Type narrow = x.getType();
  auto widen = [&](mlir::Value value) -> mlir::Value {
    return arith::ExtUIOp::create(b, loc, wide, value);
  };
  mlir::Value product = arith::MulIOp::create(b, loc, widen(x), widen(y));
  mlir::Value width = arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(tile::elementType(wide), 32));
  if (wide != width.getType())
    width = tile::SplatOp::create(b, loc, wide, width);
  mlir::Value upper = tile::ShRUIOp::create(b, loc, product, width);
  return arith::TruncIOp::create(b, loc, narrow, upper);
}

/// The upper half of the product of two unsigned numbers of 64 bits, from the
/// products of their halves (Knuth, The Art of Computer Programming, 4.3.1).
static mlir::Value upperOfHalves(mlir::OpBuilder &b, mlir::Location loc,
                                 mlir::Value x, mlir::Value y) {
  mlir::Type type = x.getType();
  auto number = [&](int64_t value) -> mlir::Value {
    mlir::Value one = arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(tile::elementType(type), value));
    if (type != one.getType())
      one = tile::SplatOp::create(b, loc, type, one);
    return one;
  };
  mlir::Value half = number(32), lowBits = number(0xFFFFFFFF);
  auto low = [&](mlir::Value value) -> mlir::Value {
    return arith::AndIOp::create(b, loc, value, lowBits);
  };
  auto high = [&](mlir::Value value) -> mlir::Value {
    return tile::ShRUIOp::create(b, loc, value, half);
  };
  auto times = [&](mlir::Value lhs, mlir::Value rhs) -> mlir::Value {
    return arith::MulIOp::create(b, loc, lhs, rhs);
  };
  auto plus = [&](mlir::Value lhs, mlir::Value rhs) -> mlir::Value {
    return arith::AddIOp::create(b, loc, lhs, rhs);
  };
  // None of the sums overflows 64 bits.
  mlir::Value x0 = low(x), x1 = high(x), y0 = low(y), y1 = high(y);
  mlir::Value middle = plus(times(x1, y0), high(times(x0, y0)));
  mlir::Value cross = plus(times(x0, y1), low(middle));
  return plus(plus(times(x1, y1), high(middle)), high(cross));
}

static Value emitUmulhi(Interpreter &in, const Arguments &args) {
  Value a = args[0], b = args[1];
  if (!in.promote(a, b, sema::Arithmetic::Plain, "`tl.umulhi`"))
    return Value();
  if (!a.type().isInt() || a.type().bitWidth() < 32)
    return in.fail(DiagId::OperandType,
                   "`tl.umulhi` multiplies ints of 32 or 64 bits, and these "
                   "are `" +
                       a.type().str() + "`");
  mlir::Value x = in.ir(a), y = in.ir(b);
  if (a.type().bitWidth() == 64)
    return in.make(upperOfHalves(in.builder, in.loc(), x, y), a.type());
  mlir::Type wide = tile::withElementType(x.getType(), in.builder.getI64Type());
  return in.make(upperOfWide(in.builder, in.loc(), x, y, wide), a.type());
}

/// 1 / (1 + exp(-x))
static Value emitSigmoid(Interpreter &in, const Arguments &args) {
  Type given;
  Value x = floatOperand(in, args, 0, given);
  if (!x)
    return Value();
  Value power =
      in.callBuiltin(BuiltinId::Exp, {in.unary(syntax::UnaryOpKind::USub, x)});
  Value below = power ? in.operate(BinOpKind::Add, power, Value(1.0)) : Value();
  Value result =
      below ? in.operate(BinOpKind::Div, Value(1.0), below) : Value();
  return result ? in.cast(result, given) : Value();
}

/// exp(x - max) / sum(exp(x - max))
static Value emitSoftmax(Interpreter &in, const Arguments &args) {
  Type given;
  Value x = floatOperand(in, args, 0, given);
  if (!x)
    return Value();
  std::optional<int64_t> axis = wrapAxis(in, args.has(1) ? args.integer(1) : 0,
                                         x.type().rank(), args.name());
  if (!axis)
    return Value();
  auto along = [&](BuiltinId id, const Value &value) {
    Value reduced = in.callBuiltin(id, {value, Value::integer(*axis)});
    return reduced ? in.expandDims(reduced, *axis) : Value();
  };
  Value largest = along(BuiltinId::Max, x);
  Value shifted = largest ? in.operate(BinOpKind::Sub, x, largest) : Value();
  Value power = shifted ? in.callBuiltin(BuiltinId::Exp, {shifted}) : Value();
  Value sum = power ? along(BuiltinId::Sum, power) : Value();
  Value result = sum ? in.operate(BinOpKind::Div, power, sum) : Value();
  return result ? in.cast(result, given) : Value();
}

void bindMaths(HandlerTable &table) {
  table[BuiltinId::Exp] = emitUnary<math::ExpOp>;
  table[BuiltinId::Exp2] = emitUnary<math::Exp2Op>;
  table[BuiltinId::Expm1] = emitUnary<math::ExpM1Op>;
  table[BuiltinId::Log] = emitUnary<math::LogOp>;
  table[BuiltinId::Log2] = emitUnary<math::Log2Op>;
  table[BuiltinId::Log10] = emitUnary<math::Log10Op>;
  table[BuiltinId::Log1p] = emitUnary<math::Log1pOp>;
  table[BuiltinId::Sqrt] = emitUnary<math::SqrtOp, /*hasError=*/true>;
  table[BuiltinId::SqrtRn] = emitUnary<math::SqrtOp>;
  table[BuiltinId::Rsqrt] = emitUnary<math::RsqrtOp>;
  table[BuiltinId::Sin] = emitUnary<math::SinOp>;
  table[BuiltinId::Cos] = emitUnary<math::CosOp>;
  table[BuiltinId::Tan] = emitUnary<math::TanOp>;
  table[BuiltinId::Tanh] = emitUnary<math::TanhOp>;
  table[BuiltinId::Sinh] = emitUnary<math::SinhOp>;
  table[BuiltinId::Cosh] = emitUnary<math::CoshOp>;
  table[BuiltinId::Asin] = emitUnary<math::AsinOp>;
  table[BuiltinId::Acos] = emitUnary<math::AcosOp>;
  table[BuiltinId::Atan] = emitUnary<math::AtanOp>;
  table[BuiltinId::Asinh] = emitUnary<math::AsinhOp>;
  table[BuiltinId::Acosh] = emitUnary<math::AcoshOp>;
  table[BuiltinId::Atanh] = emitUnary<math::AtanhOp>;
  table[BuiltinId::Atan2] = emitBinary<math::Atan2Op>;
  table[BuiltinId::Cbrt] = emitUnary<math::CbrtOp>;
  table[BuiltinId::Erfc] = emitUnary<math::ErfcOp>;
  table[BuiltinId::Erf] = emitUnary<math::ErfOp>;
  table[BuiltinId::Floor] = emitRounding<math::FloorOp>;
  table[BuiltinId::Ceil] = emitRounding<math::CeilOp>;
  table[BuiltinId::Trunc] = emitRounding<math::TruncOp>;
  table[BuiltinId::Round] = emitRounding<math::RoundOp>;
  table[BuiltinId::Rint] = emitRounding<math::RoundEvenOp>;
  table[BuiltinId::IsNan] = emitPredicate<math::IsNaNOp>;
  table[BuiltinId::IsInf] = emitPredicate<math::IsInfOp>;
  table[BuiltinId::IsFinite] = emitPredicate<math::IsFiniteOp>;
  table[BuiltinId::Pow] = emitBinary<math::PowFOp>;
  table[BuiltinId::Fmod] = emitBinary<arith::RemFOp>;
  table[BuiltinId::Copysign] = emitBinary<math::CopySignOp>;
  table[BuiltinId::Fma] = emitFma;
  table[BuiltinId::Fdiv] = emitFdiv;
  table[BuiltinId::DivRn] = emitBinary<arith::DivFOp>;
  table[BuiltinId::Umulhi] = emitUmulhi;
  table[BuiltinId::Sigmoid] = emitSigmoid;
  table[BuiltinId::Softmax] = emitSoftmax;
}

} // namespace tesela::emit
