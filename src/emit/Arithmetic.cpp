//===- Arithmetic.cpp - conversions, comparisons and small arithmetic -----===//

#include "emit/Interpreter.h"

#include "dialect/tile/Tile.h"
#include "sema/Constant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using tesela::sema::BuiltinId;
using tesela::syntax::BinOpKind;
using tesela::syntax::CmpOpKind;

namespace tesela::emit {

/// A narrower float, rounded towards zero: the nearest one, and the next below
/// where that is too large. (Among floats of one sign the bits count up.)
static Value castTowardsZero(Interpreter &in, const Value &value,
                             const Type &target) {
  Type bits(*sema::intType(target.bitWidth(), /*isSigned=*/true));
  Value nearest = in.cast(value, target);
  Value back = in.cast(nearest, value.type().scalar());
  auto magnitude = [&](const Value &x) {
    return in.make(math::AbsFOp::create(in.builder, in.loc(), in.ir(x)),
                   x.type());
  };
  Value isLarger = in.compare(CmpOpKind::Gt, magnitude(back), magnitude(value));
  Value below =
      in.operate(BinOpKind::Sub, in.bitcast(nearest, bits), Value::integer(1));
  return in.select(isLarger, in.bitcast(below, target.scalar()), nearest,
                   "`fp_downcast_rounding`");
}

static Value emitCast(Interpreter &in, const Arguments &args) {
  enum { Input, Target, Rounding, Bitcast };
  const Type &type = args.dtype(Target);
  bool towardsZero = args.has(Rounding) && args.text(Rounding) == "rtz";
  if (args.has(Rounding) && !towardsZero && args.text(Rounding) != "rtne")
    return in.fail(DiagId::CallValue,
                   "`fp_downcast_rounding` is \"rtne\" or \"rtz\"");
  Value value = args[Input];
  if (args.has(Rounding) && !args.flag(Bitcast)) {
    value = in.toRuntime(value);
    if (!value)
      return Value();
    const Type &given = value.type();
    if (given.scalar() == type)
      return value;
    if (!given.isFloat() || !type.isFloat() ||
        given.bitWidth() <= type.bitWidth())
      return in.fail(DiagId::CallValue,
                     "`fp_downcast_rounding` is for conversions to a narrower "
                     "float; this one is from `" +
                         given.str() + "` to `" + type.str() + "`");
    if (towardsZero)
      return castTowardsZero(in, value, type);
  }
  if (value.isNumber() && !args.flag(Bitcast) &&
      Emitter::isRepresentable(value, type.dtype) && !type.isPointer)
    return in.constant(type.isBool() ? Value(sema::truth(value)) : value, type);
  value = in.toRuntime(value);
  if (!value)
    return Value();
  return args.flag(Bitcast) ? in.bitcast(value, type) : in.cast(value, type);
}

static Value emitToTensor(Interpreter &in, const Arguments &args) {
  return in.toRuntime(args[0]);
}

template <BinOpKind op>
static Value emitBinary(Interpreter &in, const Arguments &args) {
  return in.operate(op, args[0], args[1]);
}

/// `PropagateNan.ALL`, or not.
static std::optional<bool> propagatesNan(Interpreter &in, const Arguments &args,
                                         unsigned index) {
  if (!args.has(index))
    return false;
  auto *symbol = args[index].getIf<sema::Symbol>();
  if (symbol && llvm::StringRef(symbol->name).starts_with("PropagateNan."))
    return symbol->name == "PropagateNan.ALL";
  in.fail(DiagId::CallType, "`propagate_nan` of " + args.name() +
                                " is `tl.PropagateNan.ALL` or `.NONE`");
  return std::nullopt;
}

static Value emitMinimum(Interpreter &in, const Arguments &args) {
  std::optional<bool> all = propagatesNan(in, args, 2);
  return all ? in.minimum(args[0], args[1], *all) : Value();
}

static Value emitMaximum(Interpreter &in, const Arguments &args) {
  std::optional<bool> all = propagatesNan(in, args, 2);
  return all ? in.maximum(args[0], args[1], *all) : Value();
}

static Value emitClamp(Interpreter &in, const Arguments &args) {
  std::optional<bool> all = propagatesNan(in, args, 3);
  Value low = all ? in.maximum(args[0], args[1], *all) : Value();
  return low ? in.minimum(low, args[2], *all) : Value();
}

static Value emitWhere(Interpreter &in, const Arguments &args) {
  return in.select(args[0], args[1], args[2], "`tl.where`");
}

/// (x + div - 1) // div
static Value emitCdiv(Interpreter &in, const Arguments &args) {
  Value sum = in.operate(BinOpKind::Add, args[0], args[1]);
  if (sum)
    sum = in.operate(BinOpKind::Sub, sum, Value::integer(1));
  return sum ? in.operate(BinOpKind::FloorDiv, sum, args[1]) : Value();
}

template <syntax::BoolOpKind op>
static Value emitLogical(Interpreter &in, const Arguments &args) {
  return in.logical(op, args[0], args[1]);
}

static Value emitNextPowerOf2(Interpreter &, const Arguments &args) {
  sema::Int power(1), wanted = *args[0].asInt();
  while (power < wanted)
    power = power + power;
  return power;
}

static Value emitAbs(Interpreter &in, const Arguments &args) {
  if (std::optional<sema::Int> whole = args[0].asInt())
    return whole->isNegative() ? -*whole : *whole;
  if (args[0].isNumber())
    return std::fabs(args[0].get<double>());
  const Value &value = args[0];
  const Type &type = value.type();
  if (type.isPointer)
    return in.fail(DiagId::OperandType,
                   "`abs` is not defined for " + value.describe());
  if (type.isFloat() && sema::isFloat8(type.dtype)) {
    Value bits = in.bitcast(value, DType::Int8);
    Value magnitude = in.sameType<arith::AndIOp>(
        bits, in.constant(Value::integer(127), bits.type()));
    return in.bitcast(magnitude, type.scalar());
  }
  if (type.isFloat())
    return in.make(math::AbsFOp::create(in.builder, in.loc(), in.ir(value)),
                   type);
  if (!type.isSigned())
    return value;
  return in.make(math::AbsIOp::create(in.builder, in.loc(), in.ir(value)),
                 type);
}

void bindArithmetic(HandlerTable &table) {
  table[BuiltinId::Cast] = emitCast;
  table[BuiltinId::To] = emitCast;
  table[BuiltinId::ToTensor] = emitToTensor;
  table[BuiltinId::Add] = emitBinary<BinOpKind::Add>;
  table[BuiltinId::Sub] = emitBinary<BinOpKind::Sub>;
  table[BuiltinId::Mul] = emitBinary<BinOpKind::Mult>;
  table[BuiltinId::Minimum] = emitMinimum;
  table[BuiltinId::Maximum] = emitMaximum;
  table[BuiltinId::Clamp] = emitClamp;
  table[BuiltinId::Where] = emitWhere;
  table[BuiltinId::Cdiv] = emitCdiv;
  table[BuiltinId::LogicalAnd] = emitLogical<syntax::BoolOpKind::And>;
  table[BuiltinId::LogicalOr] = emitLogical<syntax::BoolOpKind::Or>;
  table[BuiltinId::NextPowerOf2] = emitNextPowerOf2;
  table[BuiltinId::Abs] = emitAbs;
}

} // namespace tesela::emit
