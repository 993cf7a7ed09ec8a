//===- Program.cpp - where an instance stands, and making tiles -----------===//

#include "emit/Interpreter.h"
#include "emit/TileShape.h"

#include "dialect/tile/Tile.h"

using namespace mlir;
using tesela::sema::BuiltinId;

namespace tesela::emit {

static bool isGridAxis(Interpreter &in, const Arguments &args) {
  int64_t axis = args.integer(0);
  if (axis >= 0 && axis <= 2)
    return true;
  in.fail(DiagId::CallValue, "the axis of " + args.name() + " is " +
                                 std::to_string(axis) +
                                 "; a grid has axes 0, 1 and 2");
  return false;
}

static Value emitProgramId(Interpreter &in, const Arguments &args) {
  if (!isGridAxis(in, args))
    return Value();
  auto op = tile::ProgramIdOp::create(
      in.builder, in.loc(), in.builder.getI32Type(), uint32_t(args.integer(0)));
  return in.make(op, DType::Int32);
}

static Value emitNumPrograms(Interpreter &in, const Arguments &args) {
  if (!isGridAxis(in, args))
    return Value();
  auto op = tile::NumProgramsOp::create(
      in.builder, in.loc(), in.builder.getI32Type(), uint32_t(args.integer(0)));
  return in.make(op, DType::Int32);
}

static Value emitBarrier(Interpreter &in, const Arguments &) {
  tile::BarrierOp::create(in.builder, in.loc());
  return sema::None();
}

static Value emitArange(Interpreter &in, const Arguments &args) {
  int64_t start = args.integer(0), end = args.integer(1);
  if (end <= start)
    return in.fail(DiagId::CallValue,
                   "`tl.arange` goes from " + std::to_string(start) + " to " +
                       std::to_string(end) + ", and holds nothing");
  if (start < INT32_MIN || end > int64_t(INT32_MAX) + 1)
    return in.fail(DiagId::CallValue,
                   "the numbers of `tl.arange` must fit in 32 bits");
  int64_t count = end - start;
  if (!checkTileShape(in, {count}, "`tl.arange`"))
    return Value();
  Type type(DType::Int32, llvm::ArrayRef<int64_t>(count));
  auto op = tile::IotaOp::create(in.builder, in.loc(), in.irType(type),
                                 uint32_t(int32_t(start)));
  return in.make(op, type);
}

static Value fill(Interpreter &in, llvm::ArrayRef<int64_t> shape,
                  const Value &value, const Type &dtype) {
  if (value.isNumber()) {
    Type type = dtype.withShape(shape);
    if (dtype.isPointer)
      return value.asInt() && value.asInt()->isZero()
                 ? in.zero(type)
                 : in.fail(DiagId::CallType,
                           "pointers are filled with 0 alone");
    // A float everywhere in a tile of ints is converted as Python's `int` does.
    Value number = value;
    if (dtype.isBool())
      number = *value.asDouble() != 0;
    else if (dtype.isInt() && value.is<double>()) {
      std::optional<sema::Int> whole =
          sema::Int::fromDouble(value.get<double>());
      if (!whole)
        return in.fail(DiagId::CallValue, "`" + value.str() +
                                              "` is no value of type `" +
                                              dtype.str() + "`");
      number = *whole;
    }
    return in.constant(number, type);
  }
  if (value.type().isBlock())
    return in.fail(DiagId::CallType, "the value of `tl.full` is a scalar, and "
                                     "this is " +
                                         value.describe());
  Value converted = in.cast(value, dtype);
  return converted ? in.broadcast(converted, shape) : Value();
}

static Value emitFull(Interpreter &in, const Arguments &args) {
  auto shape = args.shape(0);
  if (!checkTileShape(in, shape, args.name()))
    return Value();
  std::optional<Type> type = args.has(2) ? args.dtype(2) : in.typeOf(args[1]);
  if (!type)
    return in.fail(DiagId::TooLarge, "this number does not fit in 64 bits");
  return fill(in, shape, args[1], type->scalar());
}

static Value emitZeros(Interpreter &in, const Arguments &args) {
  auto shape = args.shape(0);
  if (!checkTileShape(in, shape, args.name()))
    return Value();
  return fill(in, shape, Value::integer(0), args.dtype(1));
}

static Value emitZerosLike(Interpreter &in, const Arguments &args) {
  Value value = in.toRuntime(args[0]);
  return value ? in.zero(value.type()) : Value();
}

void bindProgram(HandlerTable &table) {
  table[BuiltinId::ProgramId] = emitProgramId;
  table[BuiltinId::NumPrograms] = emitNumPrograms;
  table[BuiltinId::DebugBarrier] = emitBarrier;
  table[BuiltinId::Arange] = emitArange;
  table[BuiltinId::Full] = emitFull;
  table[BuiltinId::Zeros] = emitZeros;
  table[BuiltinId::ZerosLike] = emitZerosLike;
}

} // namespace tesela::emit
