//===- Sort.cpp - gathers, and what is built of them: sorting, counting ---===//
//
// Sorting is Batcher's bitonic network: in each step every element meets the
// one whose index differs in one bit, and the two are put in order.
//
//===----------------------------------------------------------------------===//

#include "emit/Interpreter.h"
#include "emit/TileShape.h"

#include "dialect/tile/Tile.h"

using tesela::sema::BuiltinId;
using tesela::syntax::BinOpKind;
using tesela::syntax::CmpOpKind;

namespace tesela::emit {
namespace {

Value gather(Interpreter &in, const Value &source, const Value &indices,
             int64_t axis) {
  Type type(source.type().dtype, source.type().isPointer, indices.type().shape);
  return in.make(tile::GatherOp::create(in.builder, in.loc(), in.irType(type),
                                        in.ir(source), in.ir(indices),
                                        uint32_t(axis)),
                 type);
}

Value emitGather(Interpreter &in, const Arguments &args) {
  Value source = in.toRuntime(args[0]), indices = in.toRuntime(args[1]);
  if (!source || !indices)
    return Value();
  const Type &from = source.type(), &to = indices.type();
  if (!from.isBlock())
    return in.fail(DiagId::OperandType, args.name() +
                                            " picks elements of a tile, and "
                                            "this is " +
                                            source.describe());
  if (!to.isBlock() || !to.isInt() || to.isBool()) {
    Emitter::At at(in, args.spans[1]);
    return in.fail(DiagId::OperandType, "`index` of " + args.name() + " is " +
                                            indices.describe() +
                                            "; it must be a tile of integers");
  }
  auto axis = wrapAxis(in, args.integer(2), from.rank(), args.name());
  if (!axis)
    return Value();
  Emitter::Shape wanted(from.shape);
  if (to.rank() == from.rank())
    wanted[*axis] = to.shape[*axis];
  if (to.shape != wanted)
    return in.fail(DiagId::ShapeMismatch,
                   "`index` of " + args.name() + " is `" + to.str() +
                       "`, and differs from `" + from.str() +
                       "` along another axis than " + std::to_string(*axis));
  return gather(in, source, indices, *axis);
}

/// 0, 1, .. along the last axis, with `extent` elements there, of the shape of
/// a tile otherwise.
Value positions(Interpreter &in, Emitter::Shape shape, int64_t extent) {
  shape.back() = extent;
  Type line(DType::Int32, llvm::ArrayRef<int64_t>(extent));
  Value index = in.make(
      tile::IotaOp::create(in.builder, in.loc(), in.irType(line), 0u), line);
  Emitter::Shape aligned(shape.size(), 1);
  aligned.back() = extent;
  return in.broadcast(in.reshape(index, aligned), shape);
}

/// Orders each pair of elements whose positions differ in the bit `distance`:
/// rising where `falls` is false.
Value orderPairs(Interpreter &in, const Value &tile, const Value &position,
                 int64_t distance, const Value &falls) {
  auto bits = [&](BinOpKind op, int64_t number) {
    return in.operate(op, position, Value::integer(number));
  };
  const char *what = "`sort`";
  Value other = gather(in, tile, bits(BinOpKind::BitXor, distance),
                       tile.type().rank() - 1);
  Value isRight = in.operate(
      CmpOpKind::NotEq, bits(BinOpKind::BitAnd, distance), Value::integer(0));
  Value left = in.select(isRight, other, tile, what);
  Value right = in.select(isRight, tile, other, what);
  Value isAbove = in.compare(CmpOpKind::Gt, left, right);
  Value isBelow = in.compare(CmpOpKind::Lt, left, right);
  Value swaps = in.select(falls, isBelow, isAbove, what);
  return in.select(swaps, other, tile, what);
}

/// Along the last axis, where stretches of half of `first` elements are sorted,
/// in turn rising and falling.
Value sorted(Interpreter &in, Value tile, bool descending, int64_t first = 2) {
  int64_t extent = tile.type().shape.back();
  Value position = positions(in, tile.type().shape, extent);
  for (int64_t size = first; size <= extent; size *= 2) {
    Value falls = in.constant(Value(descending), Type(DType::Int1));
    if (size < extent)
      falls = in.operate(
          CmpOpKind::NotEq,
          in.operate(BinOpKind::BitAnd, position, Value::integer(size)),
          Value::integer(0));
    for (int64_t distance = size / 2; distance > 0; distance /= 2)
      tile = orderPairs(in, tile, position, distance, falls);
  }
  return tile;
}

/// The tile to sort along its last axis, which `dim` may name.
Value tileToSort(Interpreter &in, const Arguments &args, unsigned dim) {
  Value tile = in.toRuntime(args[0]);
  if (!tile)
    return Value();
  const Type &type = tile.type();
  if (!type.isBlock() || type.isPointer)
    return in.fail(DiagId::OperandType, args.name() +
                                            " sorts a tile of numbers, and "
                                            "this is " +
                                            tile.describe());
  if (!args.has(dim))
    return tile;
  auto axis = wrapAxis(in, args.integer(dim), type.rank(), args.name());
  if (!axis)
    return Value();
  if (*axis == type.rank() - 1)
    return tile;
  Emitter::At at(in, args.spans[dim]);
  return in.fail(DiagId::CallValue, args.name() +
                                        " works along the last axis alone; "
                                        "permute the tile for another one");
}

Value emitSort(Interpreter &in, const Arguments &args) {
  Value tile = tileToSort(in, args, 1);
  return tile ? sorted(in, tile, args.flag(2)) : Value();
}

/// Sorts what rises first and falls then.
Value emitBitonicMerge(Interpreter &in, const Arguments &args) {
  Value tile = tileToSort(in, args, 1);
  if (!tile)
    return Value();
  int64_t extent = tile.type().shape.back();
  return sorted(in, tile, args.flag(2), std::max<int64_t>(extent, 2));
}

Value emitTopK(Interpreter &in, const Arguments &args) {
  Value tile = tileToSort(in, args, 2);
  if (!tile)
    return Value();
  int64_t extent = tile.type().shape.back(), count = args.integer(1);
  if (count < 1 || count > extent || (count & (count - 1)) != 0) {
    Emitter::At at(in, args.spans[1]);
    return in.fail(DiagId::CallValue, "`k` of " + args.name() + " is " +
                                          std::to_string(count) +
                                          "; it must be a power of two up to " +
                                          std::to_string(extent));
  }
  Value whole = sorted(in, tile, /*descending=*/true);
  if (count == extent)
    return whole;
  return gather(in, whole, positions(in, whole.type().shape, count),
                whole.type().rank() - 1);
}

/// How many elements of a rising vector are less than each bound, or also equal
/// to it.
Value countBelow(Interpreter &in, const Value &rising, const Value &bounds,
                 bool orEqual) {
  int64_t extent = rising.type().shape[0];
  Value count = in.zero(bounds.type());
  Value limit = in.cast(bounds, rising.type().scalar());
  for (int64_t step = extent; step > 0; step /= 2) {
    Value more = in.operate(BinOpKind::Add, count, Value::integer(step));
    Value last = gather(in, rising,
                        in.operate(BinOpKind::Sub, more, Value::integer(1)), 0);
    Value isBelow =
        in.compare(orEqual ? CmpOpKind::LtE : CmpOpKind::Lt, last, limit);
    Value exists = in.operate(CmpOpKind::LtE, more, Value::integer(extent));
    count = in.select(in.binary(BinOpKind::BitAnd, isBelow, exists), more,
                      count, "`histogram`");
  }
  return count;
}

Value emitHistogram(Interpreter &in, const Arguments &args) {
  enum { Input, NumBins, Mask };
  Value input = in.toRuntime(args[Input]);
  if (!input)
    return Value();
  if (input.type().rank() != 1 || !input.type().isInt())
    return in.fail(DiagId::OperandType, args.name() +
                                            " counts a vector of integers, and "
                                            "this is " +
                                            input.describe());
  int64_t bins = args.integer(NumBins);
  Emitter::At at(in, args.spans[NumBins]);
  if (!checkTileShape(in, {bins}, args.name()))
    return Value();
  // In a type that has numbers beyond all bins.
  bool isWide =
      input.type().bitWidth() == 64 || input.type().dtype == DType::UInt32;
  Type counted(isWide ? DType::Int64 : DType::Int32);
  Value beyond =
      in.constant(Value::integer(isWide ? INT64_MAX : INT32_MAX), counted);
  Value values = in.cast(input, counted);
  if (input.type().dtype == DType::UInt64)
    values = in.select(in.operate(CmpOpKind::Lt, values, Value::integer(0)),
                       beyond, values, "`histogram`");
  if (args.has(Mask)) {
    Emitter::At place(in, args.spans[Mask]);
    Value mask = in.toRuntime(args[Mask]);
    if (mask && !mask.type().isBool())
      return in.fail(DiagId::OperandType, "the mask of " + args.name() +
                                              " is " + args[Mask].describe() +
                                              "; it must be `int1`");
    mask = mask ? in.broadcast(mask, values.type().shape) : Value();
    if (!mask)
      return Value();
    values = in.select(mask, values, beyond, "`histogram`");
  }
  Value rising = sorted(in, values, /*descending=*/false);
  Value bounds = positions(in, {bins}, bins);
  return in.operate(BinOpKind::Sub,
                    countBelow(in, rising, bounds, /*orEqual=*/true),
                    countBelow(in, rising, bounds, /*orEqual=*/false));
}

} // namespace

void bindSort(HandlerTable &table) {
  table[BuiltinId::Gather] = emitGather;
  table[BuiltinId::Sort] = emitSort;
  table[BuiltinId::TopK] = emitTopK;
  table[BuiltinId::BitonicMerge] = emitBitonicMerge;
  table[BuiltinId::Histogram] = emitHistogram;
}

} // namespace tesela::emit
