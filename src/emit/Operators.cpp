//===- Operators.cpp - Python's operators on run-time values --------------===//

#include "emit/Emitter.h"

#include "dialect/tile/Tile.h"
#include "sema/Constant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using tesela::sema::Arithmetic;
using tesela::syntax::BinOpKind;
using tesela::syntax::BoolOpKind;
using tesela::syntax::CmpOpKind;
using tesela::syntax::UnaryOpKind;

namespace tesela::emit {

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool Emitter::promote(Value &a, Value &b, Arithmetic arithmetic,
                      const char *what) {
  auto noMatch = [&](const std::string &why) {
    fail(DiagId::OperandType, std::string(what) + " is not defined for " +
                                  a.describe() + " and " + b.describe() + why);
    return false;
  };
  std::optional<Type> typeA = typeOf(a), typeB = typeOf(b);
  if (!typeA || !typeB)
    return noMatch("");

  Type common;
  if (typeA->isPointer || typeB->isPointer) {
    if (typeA->scalar() != typeB->scalar())
      return noMatch("");
    common = typeA->scalar();
  } else {
    std::optional<DType> dtype = sema::promote(
        {typeA->dtype, a.isNumber()}, {typeB->dtype, b.isNumber()}, arithmetic);
    if (!dtype && arithmetic == Arithmetic::Division && typeA->isInt() &&
        typeB->isInt())
      return noMatch(": one is signed, the other is not; cast one of them");
    if (!dtype)
      return noMatch("");
    common = *dtype;
  }
  for (const Value *operand : {&a, &b})
    if (operand->isNumber() && !isRepresentable(*operand, common.dtype)) {
      fail(DiagId::OperandType, std::string(what) + ": " + operand->describe() +
                                    " is out of the range of `" + common.str() +
                                    "`");
      return false;
    }

  std::optional<Shape> shape = commonShape(*typeA, *typeB, what);
  if (!shape)
    return false;
  for (Value *operand : {&a, &b}) {
    if (operand->isNumber()) {
      *operand = constant(*operand, common.withShape(*shape));
      continue;
    }
    *operand = cast(*operand, common);
    if (*operand)
      *operand = broadcast(*operand, *shape);
    if (!*operand)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value Emitter::addPointer(const Value &pointer, Value offset, bool subtract) {
  if (std::optional<Type> type = typeOf(offset); !type || !type->isInt())
    return fail(DiagId::OperandType,
                "an offset to a pointer is an int, and not " +
                    offset.describe());
  offset = toRuntime(offset);
  if (!offset)
    return Value();
  const Type &type = offset.type();
  // The op reads offsets as signed.
  if (type.isBool())
    offset = cast(offset, DType::Int32);
  else if (!type.isSigned() && type.bitWidth() < 64)
    offset = cast(offset, DType::Int64);
  if (subtract)
    offset = unary(UnaryOpKind::USub, offset);
  std::optional<Shape> shape =
      commonShape(pointer.type(), offset.type(), "`+` of a pointer");
  if (!shape)
    return Value();
  Value base = broadcast(pointer, *shape);
  offset = broadcast(offset, *shape);
  return make(tile::AddPtrOp::create(builder, loc(), irType(base.type()),
                                     ir(base), ir(offset)),
              base.type());
}

Value Emitter::withError(const Value &value) {
  Operation *op = ir(value).getDefiningOp();
  auto fast = dyn_cast_or_null<arith::ArithFastMathInterface>(op);
  if (fast && getElementTypeOrSelf(op->getResult(0)).isF32())
    op->setAttr(fast.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(op->getContext(),
                                              arith::FastMathFlags::afn));
  return value;
}

Value Emitter::division(BinOpKind op, const Value &a, const Value &b) {
  const Type &type = a.type();
  bool isSigned = type.isSigned();
  if (op == BinOpKind::Div) {
    if (type.isFloat())
      return withError(sameType<arith::DivFOp>(a, b));
    return division(op, cast(a, DType::Float32), cast(b, DType::Float32));
  }
  if (op == BinOpKind::Mod && type.isFloat())
    return sameType<arith::RemFOp>(a, b);
  if (type.isFloat())
    return fail(DiagId::OperandType,
                "`//` is not defined for floats, and these are `" + type.str() +
                    "`; use `/` and `tl.floor`");
  if (op == BinOpKind::FloorDiv)
    return isSigned ? sameType<tile::DivSIOp>(a, b)
                    : sameType<tile::DivUIOp>(a, b);
  return isSigned ? sameType<tile::RemSIOp>(a, b)
                  : sameType<tile::RemUIOp>(a, b);
}

Value Emitter::binary(BinOpKind op, Value a, Value b) {
  auto isPointer = [](const Value &value) {
    return value.isRuntime() && value.type().isPointer;
  };
  if (isPointer(a) != isPointer(b)) {
    if (op == BinOpKind::Add)
      return isPointer(a) ? addPointer(a, b, false) : addPointer(b, a, false);
    if (op == BinOpKind::Sub && isPointer(a))
      return addPointer(a, b, true);
  }
  std::string what = std::string("`") + sema::spelling(op) + "`";
  if (isPointer(a) || isPointer(b) || op == BinOpKind::MatMult ||
      op == BinOpKind::Pow) {
    const char *hint = op == BinOpKind::Pow       ? "; use `libdevice.pow`"
                       : op == BinOpKind::MatMult ? "; use `tl.dot`"
                                                  : "";
    return fail(DiagId::OperandType, what + " is not defined for " +
                                         a.describe() + " and " + b.describe() +
                                         hint);
  }

  Arithmetic arithmetic = Arithmetic::Plain;
  switch (op) {
  case BinOpKind::Div:
  case BinOpKind::FloorDiv:
  case BinOpKind::Mod:
    arithmetic = Arithmetic::Division;
    break;
  case BinOpKind::BitAnd:
  case BinOpKind::BitOr:
  case BinOpKind::BitXor:
  case BinOpKind::LShift:
  case BinOpKind::RShift:
    arithmetic = Arithmetic::Bitwise;
    break;
  default:
    break;
  }
  if (!promote(a, b, arithmetic, what.c_str()))
    return Value();
  bool isFloat = a.type().isFloat();
  if (isFloat && sema::isFloat8(a.type().dtype)) {
    Value wide = binary(op, computable(a), computable(b));
    return wide ? cast(wide, a.type().scalar()) : Value();
  }
  switch (op) {
  case BinOpKind::Add:
    return isFloat ? sameType<arith::AddFOp>(a, b)
                   : sameType<arith::AddIOp>(a, b);
  case BinOpKind::Sub:
    return isFloat ? sameType<arith::SubFOp>(a, b)
                   : sameType<arith::SubIOp>(a, b);
  case BinOpKind::Mult:
    return isFloat ? sameType<arith::MulFOp>(a, b)
                   : sameType<arith::MulIOp>(a, b);
  case BinOpKind::BitAnd:
    return sameType<arith::AndIOp>(a, b);
  case BinOpKind::BitOr:
    return sameType<arith::OrIOp>(a, b);
  case BinOpKind::BitXor:
    return sameType<arith::XOrIOp>(a, b);
  case BinOpKind::LShift:
    return sameType<tile::ShLIOp>(a, b);
  case BinOpKind::RShift:
    return a.type().isSigned() ? sameType<tile::ShRSIOp>(a, b)
                               : sameType<tile::ShRUIOp>(a, b);
  default:
    return division(op, a, b);
  }
}

Value Emitter::unary(UnaryOpKind op, const Value &a) {
  const Type &type = a.type();
  if (op == UnaryOpKind::Not) {
    Value flag = toBool(a);
    Value all = constant(Value(true), flag.type());
    return sameType<arith::XOrIOp>(flag, all);
  }
  bool isDefined = op == UnaryOpKind::Invert ? type.isInt() : !type.isPointer;
  if (!isDefined)
    return fail(DiagId::OperandType, std::string("`") + sema::spelling(op) +
                                         "` is not defined for " +
                                         a.describe());
  if (op == UnaryOpKind::UAdd)
    return a;
  if (op == UnaryOpKind::Invert)
    return sameType<arith::XOrIOp>(
        a, constant(type.isBool() ? Value(true) : Value::integer(-1), type));
  if (type.isFloat() && sema::isFloat8(type.dtype)) {
    Value bits = bitcast(a, DType::Int8);
    return bitcast(sameType<arith::XOrIOp>(
                       bits, constant(Value::integer(-128), bits.type())),
                   type.scalar());
  }
  if (type.isFloat())
    return make(arith::NegFOp::create(builder, loc(), ir(a)), type);
  return sameType<arith::SubIOp>(zero(type), a);
}

//===----------------------------------------------------------------------===//
// Comparison and logic
//===----------------------------------------------------------------------===//

Value Emitter::compare(CmpOpKind op, Value a, Value b) {
  std::string what = std::string("`") + sema::spelling(op) + "`";
  bool isIdentity = op >= CmpOpKind::Is;
  if (isIdentity)
    return fail(DiagId::OperandType, what + " is not defined for " +
                                         a.describe() + " and " + b.describe());
  if (!promote(a, b, Arithmetic::Plain, what.c_str()))
    return Value();
  a = computable(a);
  b = computable(b);
  Type type = a.type();
  if (type.isPointer) {
    a = cast(a, DType::UInt64);
    b = cast(b, DType::UInt64);
    type = a.type();
  }
  Type result(DType::Int1, type.shape);
  // In the order of the operators: == != < <= > >=.
  size_t index = size_t(op);
  if (type.isFloat()) {
    using P = arith::CmpFPredicate;
    static constexpr P predicates[] = {P::OEQ, P::UNE, P::OLT,
                                       P::OLE, P::OGT, P::OGE};
    return make(
        arith::CmpFOp::create(builder, loc(), predicates[index], ir(a), ir(b)),
        result);
  }
  using P = arith::CmpIPredicate;
  static constexpr P signedOnes[] = {P::eq,  P::ne,  P::slt,
                                     P::sle, P::sgt, P::sge};
  static constexpr P unsignedOnes[] = {P::eq,  P::ne,  P::ult,
                                       P::ule, P::ugt, P::uge};
  P predicate = type.isSigned() ? signedOnes[index] : unsignedOnes[index];
  return make(arith::CmpIOp::create(builder, loc(), predicate, ir(a), ir(b)),
              result);
}

Value Emitter::logical(BoolOpKind op, const Value &a, const Value &b) {
  Value x = toRuntime(a), y = x ? toRuntime(b) : Value();
  if (!y)
    return Value();
  x = toBool(x);
  y = toBool(y);
  std::optional<Shape> shape =
      commonShape(x.type(), y.type(), op == BoolOpKind::And ? "`and`" : "`or`");
  if (!shape)
    return Value();
  x = broadcast(x, *shape);
  y = broadcast(y, *shape);
  return op == BoolOpKind::And ? sameType<arith::AndIOp>(x, y)
                               : sameType<arith::OrIOp>(x, y);
}

Value Emitter::select(const Value &condition, Value x, Value y,
                      const char *what) {
  if (!promote(x, y, Arithmetic::Plain, what))
    return Value();
  Value test = toRuntime(condition);
  if (!test)
    return Value();
  test = toBool(test);
  std::optional<Shape> shape = commonShape(test.type(), x.type(), what);
  if (!shape)
    return Value();
  x = broadcast(x, *shape);
  y = broadcast(y, *shape);
  // A scalar condition chooses between whole tiles.
  if (test.type().isBlock())
    test = broadcast(test, *shape);
  return make(arith::SelectOp::create(builder, loc(), ir(test), ir(x), ir(y)),
              x.type());
}

/// The smaller and the larger of bfloat16s are float32s, as those of Triton.
static Value widenBFloat16(Emitter &emitter, const Value &value) {
  if (value.isRuntime() && value.type().scalar() == Type(DType::BFloat16))
    return emitter.cast(value, DType::Float32);
  return value;
}

Value Emitter::minimum(Value a, Value b, bool propagateNan) {
  a = widenBFloat16(*this, a);
  b = widenBFloat16(*this, b);
  if (!promote(a, b, Arithmetic::Plain, "`minimum`"))
    return Value();
  if (a.type().isPointer)
    return fail(DiagId::OperandType, "`minimum` is not defined for pointers");
  if (sema::isFloat8(a.type().dtype))
    return cast(minimum(computable(a), computable(b), propagateNan),
                a.type().scalar());
  if (a.type().isFloat())
    return propagateNan ? sameType<arith::MinimumFOp>(a, b)
                        : sameType<arith::MinNumFOp>(a, b);
  return a.type().isSigned() ? sameType<arith::MinSIOp>(a, b)
                             : sameType<arith::MinUIOp>(a, b);
}

Value Emitter::maximum(Value a, Value b, bool propagateNan) {
  a = widenBFloat16(*this, a);
  b = widenBFloat16(*this, b);
  if (!promote(a, b, Arithmetic::Plain, "`maximum`"))
    return Value();
  if (a.type().isPointer)
    return fail(DiagId::OperandType, "`maximum` is not defined for pointers");
  if (sema::isFloat8(a.type().dtype))
    return cast(maximum(computable(a), computable(b), propagateNan),
                a.type().scalar());
  if (a.type().isFloat())
    return propagateNan ? sameType<arith::MaximumFOp>(a, b)
                        : sameType<arith::MaxNumFOp>(a, b);
  return a.type().isSigned() ? sameType<arith::MaxSIOp>(a, b)
                             : sameType<arith::MaxUIOp>(a, b);
}

} // namespace tesela::emit
