//===- Conversions.cpp - from one element type to another -----------------===//

#include "emit/Emitter.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tesela::emit {

Value Emitter::toBool(const Value &value) {
  const Type &type = value.type();
  if (type.isBool())
    return value;
  Type result(DType::Int1, type.shape);
  if (type.isPointer) {
    Type address(DType::Int64, type.shape);
    return toBool(make(
        tile::PtrToIntOp::create(builder, loc(), irType(address), ir(value)),
        address));
  }
  if (sema::isFloat8(type.dtype))
    return toBool(cast(value, DType::Float32));
  Value nothing = zero(type);
  if (type.isFloat())
    return make(arith::CmpFOp::create(builder, loc(), arith::CmpFPredicate::UNE,
                                      ir(value), ir(nothing)),
                result);
  return make(arith::CmpIOp::create(builder, loc(), arith::CmpIPredicate::ne,
                                    ir(value), ir(nothing)),
              result);
}

Value Emitter::cast(const Value &value, const Type &target) {
  const Type &type = value.type();
  Type wanted = target.withShape(type.shape);
  if (type == wanted)
    return value;
  auto build = [&](auto op) { return make(op, wanted); };
  mlir::Type result = irType(wanted);
  mlir::Value source = ir(value);

  if (wanted.isBool())
    return toBool(value);
  if (type.isPointer && wanted.isPointer)
    return build(tile::PtrCastOp::create(builder, loc(), result, source));
  if (type.isPointer && wanted.isInt() && wanted.bitWidth() == 64)
    return build(tile::PtrToIntOp::create(builder, loc(), result, source));
  if (wanted.isPointer && type.isInt() && type.bitWidth() == 64)
    return build(tile::IntToPtrOp::create(builder, loc(), result, source));
  if (type.isPointer || wanted.isPointer)
    return fail(DiagId::OperandType,
                "`" + type.str() + "` does not convert to `" + wanted.str() +
                    "`: pointers convert to and from "
                    "64-bit ints and other pointers");

  unsigned from = type.bitWidth(), to = wanted.bitWidth();
  // 8-bit floats and ints meet in float32, which holds every such float, and
  // every int below the largest of them.
  bool isToFloat8 = sema::isFloat8(wanted.dtype);
  if ((isToFloat8 && type.isInt()) ||
      (sema::isFloat8(type.dtype) && wanted.isInt()))
    return cast(cast(value, DType::Float32), target);
  if (type.isFloat() && wanted.isFloat()) {
    if (isToFloat8 && from > to)
      return build(tile::FpToFp8Op::create(builder, loc(), result, source));
    if (from < to)
      return build(arith::ExtFOp::create(builder, loc(), result, source));
    if (from > to)
      return build(arith::TruncFOp::create(builder, loc(), result, source));
    // Neither of two floats of one width holds the other.
    return cast(cast(value, DType::Float32), wanted);
  }
  if (type.isInt() && wanted.isInt()) {
    if (from == to)
      return make(source, wanted); // the sign is not part of the IR
    if (from > to)
      return build(arith::TruncIOp::create(builder, loc(), result, source));
    if (type.isSigned())
      return build(arith::ExtSIOp::create(builder, loc(), result, source));
    return build(arith::ExtUIOp::create(builder, loc(), result, source));
  }
  if (type.isInt()) {
    if (type.isSigned())
      return build(arith::SIToFPOp::create(builder, loc(), result, source));
    return build(arith::UIToFPOp::create(builder, loc(), result, source));
  }
  if (wanted.isSigned())
    return build(tile::FpToSIOp::create(builder, loc(), result, source));
  return build(tile::FpToUIOp::create(builder, loc(), result, source));
}

Value Emitter::computable(const Value &value) {
  bool isFloat8 = value.isRuntime() && !value.type().isPointer &&
                  sema::isFloat8(value.type().dtype);
  return isFloat8 ? cast(value, DType::Float32) : value;
}

Value Emitter::bitcast(const Value &value, const Type &target) {
  const Type &type = value.type();
  Type wanted = target.withShape(type.shape);
  if (type == wanted)
    return value;
  if (type.isPointer || wanted.isPointer)
    return cast(value, target);
  if (type.bitWidth() != wanted.bitWidth())
    return fail(DiagId::OperandType,
                "a bitcast from `" + type.str() + "` to `" + wanted.str() +
                    "` changes the width from " +
                    std::to_string(type.bitWidth()) + " to " +
                    std::to_string(wanted.bitWidth()) + " bits");
  if (irType(type) == irType(wanted))
    return make(ir(value), wanted);
  return make(
      arith::BitcastOp::create(builder, loc(), irType(wanted), ir(value)),
      wanted);
}

} // namespace tesela::emit
