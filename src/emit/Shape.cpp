//===- Shape.cpp - moving the elements of tiles ---------------------------===//

#include "emit/Interpreter.h"
#include "emit/TileShape.h"

#include "dialect/tile/Tile.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using tesela::sema::BuiltinId;

namespace tesela::emit {

bool checkTileShape(Interpreter &in, llvm::ArrayRef<int64_t> shape,
                    const std::string &what) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent <= 0 || !llvm::isPowerOf2_64(uint64_t(extent))) {
      in.fail(DiagId::PowerOfTwo,
              what + " makes an axis of " + std::to_string(extent) +
                  " elements; extents are powers of two (use the next larger "
                  "one and a mask)");
      return false;
    }
    count = extent > maxTileElements ? maxTileElements + 1 : count * extent;
    if (count > maxTileElements) {
      in.fail(DiagId::TooLarge, what + " makes a tile of more than " +
                                    std::to_string(maxTileElements) +
                                    " elements");
      return false;
    }
  }
  return true;
}

/// "1 axis", "no axes": for messages.
static std::string axesOf(int64_t rank) {
  return rank == 0   ? "no axes"
         : rank == 1 ? "1 axis"
                     : std::to_string(rank) + " axes";
}

std::optional<int64_t> wrapAxis(Interpreter &in, int64_t axis, int64_t rank,
                                const std::string &what) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  in.fail(DiagId::CallValue, "the axis of " + what + " is " +
                                 std::to_string(axis) + "; there " +
                                 (rank == 1 ? "is " : "are ") + axesOf(rank));
  return std::nullopt;
}

/// Extents or axes, given one by one or as one tuple.
static std::optional<llvm::SmallVector<int64_t, 4>>
integers(Interpreter &in, const Arguments &args, unsigned index) {
  const std::vector<Value> *items = args[index].items();
  if (items->size() == 1 && (*items)[0].items())
    items = (*items)[0].items();
  llvm::SmallVector<int64_t, 4> result;
  for (const Value &item : *items) {
    std::optional<int64_t> number = item.asInt64();
    if (!number) {
      in.fail(DiagId::CallType,
              args.name() + " takes ints, and this is " + item.describe());
      return std::nullopt;
    }
    result.push_back(*number);
  }
  return result;
}

static Value emitBroadcast(Interpreter &in, const Arguments &args) {
  Value a = in.toRuntime(args[0]), b = a ? in.toRuntime(args[1]) : Value();
  if (!b)
    return Value();
  auto shape = in.commonShape(a.type(), b.type(), "`tl.broadcast`");
  if (!shape)
    return Value();
  return Value::tuple({in.broadcast(a, *shape), in.broadcast(b, *shape)});
}

static Value emitBroadcastTo(Interpreter &in, const Arguments &args) {
  auto shape = integers(in, args, 1);
  if (!shape || !checkTileShape(in, *shape, args.name()))
    return Value();
  Value value = in.toRuntime(args[0]);
  return value ? in.broadcast(value, *shape) : Value();
}

static Value emitExpandDims(Interpreter &in, const Arguments &args) {
  Value value = in.toRuntime(args[0]);
  if (!value)
    return Value();
  auto axes = args.shape(1);
  int64_t rank = value.type().rank() + int64_t(axes.size());
  for (int64_t &axis : axes) {
    std::optional<int64_t> wrapped = wrapAxis(in, axis, rank, args.name());
    if (!wrapped)
      return Value();
    axis = *wrapped;
  }
  llvm::sort(axes);
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    return in.fail(DiagId::CallValue,
                   args.name() + " is given the same axis twice");
  for (int64_t axis : axes)
    value = in.expandDims(value, axis);
  return value;
}

static Value reshapeTo(Interpreter &in, const Arguments &args,
                       bool canReorder) {
  auto shape = integers(in, args, 1);
  Value value = shape ? in.toRuntime(args[0]) : Value();
  if (!value || !checkTileShape(in, *shape, args.name()))
    return Value();
  int64_t before = value.type().numElements();
  int64_t after = Type(DType::Int32, *shape).numElements();
  if (before != after)
    return in.fail(DiagId::ShapeMismatch,
                   args.name() + " changes the number of elements: `" +
                       value.type().str() + "` has " + std::to_string(before) +
                       ", " + sema::shapeStr(*shape) + " has " +
                       std::to_string(after));
  if (shape->empty() && value.type().isBlock())
    return in.callBuiltin(BuiltinId::Item, {value});
  return in.reshape(value, *shape, canReorder);
}

static Value emitReshape(Interpreter &in, const Arguments &args) {
  return reshapeTo(in, args, args.flag(2));
}

static Value emitView(Interpreter &in, const Arguments &args) {
  return reshapeTo(in, args, /*canReorder=*/false);
}

static Value emitRavel(Interpreter &in, const Arguments &args) {
  Value value = in.toRuntime(args[0]);
  return value ? in.reshape(value, {value.type().numElements()}, args.flag(1))
               : Value();
}

static Value emitPermute(Interpreter &in, const Arguments &args) {
  auto order = integers(in, args, 1);
  Value value = order ? in.toRuntime(args[0]) : Value();
  if (!value)
    return Value();
  int64_t rank = value.type().rank();
  bool isTrans = args.id == BuiltinId::Trans;
  if (isTrans && order->empty()) {
    if (rank < 2)
      return in.fail(DiagId::ShapeMismatch,
                     args.name() + " swaps the last two axes, and `" +
                         value.type().str() + "` has " + std::to_string(rank));
    order->resize(rank);
    std::iota(order->begin(), order->end(), 0);
    std::swap((*order)[rank - 1], (*order)[rank - 2]);
  }
  llvm::SmallVector<int32_t> axes;
  llvm::SmallVector<bool> seen(rank, false);
  bool isPermutation = int64_t(order->size()) == rank;
  for (int64_t axis : *order) {
    int64_t wrapped = axis < 0 ? axis + rank : axis;
    isPermutation =
        isPermutation && wrapped >= 0 && wrapped < rank && !seen[wrapped];
    if (!isPermutation)
      break;
    seen[wrapped] = true;
    axes.push_back(int32_t(wrapped));
  }
  if (!isPermutation)
    return in.fail(DiagId::CallValue,
                   sema::shapeStr(*order) + " is no order of `" +
                       value.type().str() + "`, which has " + axesOf(rank));
  return rank == 0 ? value : in.permute(value, axes);
}

/// Two tiles of one type and shape.
static bool matchPair(Interpreter &in, const Arguments &args, Value &a,
                      Value &b) {
  a = args[0];
  b = args[1];
  return in.promote(a, b, sema::Arithmetic::Plain, args.name().c_str());
}

static Value emitJoin(Interpreter &in, const Arguments &args) {
  Value a, b;
  if (!matchPair(in, args, a, b))
    return Value();
  bool isScalar = !a.type().isBlock();
  if (isScalar) {
    a = in.broadcast(a, {1});
    b = in.broadcast(b, {1});
  }
  Type type = a.type();
  type.shape.push_back(2);
  if (!checkTileShape(in, type.shape, args.name()))
    return Value();
  Value joined =
      in.make(tile::JoinOp::create(in.builder, in.loc(), in.irType(type),
                                   in.ir(a), in.ir(b)),
              type);
  return isScalar ? in.reshape(joined, {2}) : joined;
}

static Value emitSplit(Interpreter &in, const Arguments &args) {
  Value value = in.toRuntime(args[0]);
  if (!value)
    return Value();
  Type type = value.type();
  if (!type.isBlock() || type.shape.back() != 2)
    return in.fail(DiagId::ShapeMismatch,
                   args.name() + " needs a last axis of 2, and has `" +
                       type.str() + "`");
  bool isScalar = type.rank() == 1;
  if (isScalar) {
    value = in.reshape(value, {1, 2});
    type = value.type();
  }
  type.shape.pop_back();
  mlir::Type result = in.irType(type);
  auto op =
      tile::SplitOp::create(in.builder, in.loc(), result, result, in.ir(value));
  Value lhs = in.make(op.getLhs(), type), rhs = in.make(op.getRhs(), type);
  if (isScalar) {
    lhs = in.callBuiltin(BuiltinId::Item, {lhs});
    rhs = in.callBuiltin(BuiltinId::Item, {rhs});
  }
  return lhs && rhs ? Value::tuple({lhs, rhs}) : Value();
}

static Value emitInterleave(Interpreter &in, const Arguments &args) {
  Value joined = emitJoin(in, args);
  if (!joined)
    return Value();
  Emitter::Shape shape = joined.type().shape;
  if (shape.size() > 1) {
    shape.pop_back();
    shape.back() *= 2;
  }
  return in.reshape(joined, shape);
}

static Value emitCat(Interpreter &in, const Arguments &args) {
  Value a, b;
  if (!matchPair(in, args, a, b))
    return Value();
  if (a.type().rank() > 1)
    return in.fail(DiagId::ShapeMismatch, args.name() +
                                              " joins vectors, and has `" +
                                              a.type().str() + "`");
  a = in.reshape(a, {a.type().numElements()});
  b = in.reshape(b, {b.type().numElements()});
  Type type = a.type().withShape(2 * a.type().numElements());
  if (!checkTileShape(in, type.shape, args.name()))
    return Value();
  return in.make(tile::CatOp::create(in.builder, in.loc(), in.irType(type),
                                     in.ir(a), in.ir(b)),
                 type);
}

/// Reverses one bit of the index after the other: an axis of 2^n is n axes of
/// two, and each of them is split and joined the other way round.
static Value emitFlip(Interpreter &in, const Arguments &args) {
  Value value = in.toRuntime(args[0]);
  if (!value)
    return Value();
  const Emitter::Shape shape = value.type().shape;
  std::optional<int64_t> axis = wrapAxis(in, args.has(1) ? args.integer(1) : -1,
                                         value.type().rank(), args.name());
  if (!axis)
    return Value();
  int64_t inner = 1;
  for (size_t i = *axis + 1; i < shape.size(); ++i)
    inner *= shape[i];
  int64_t total = value.type().numElements();
  for (int64_t bit = inner; bit < inner * shape[*axis]; bit *= 2) {
    // ([total / 2bit], [2], [bit]) with the axis of two moved to the end.
    Value parts =
        in.permute(in.reshape(value, {total / (2 * bit), 2, bit}), {0, 2, 1});
    Value halves = in.callBuiltin(BuiltinId::Split, {parts});
    Value swapped =
        halves ? in.callBuiltin(BuiltinId::Join,
                                {(*halves.items())[1], (*halves.items())[0]})
               : Value();
    if (!swapped)
      return Value();
    value = in.reshape(in.permute(swapped, {0, 2, 1}), shape);
  }
  return value;
}

/// A reduction over one element gives that element.
static Value emitItem(Interpreter &in, const Arguments &args) {
  Value value = in.toRuntime(args[0]);
  if (!value || !value.type().isBlock())
    return value;
  if (value.type().numElements() != 1)
    return in.fail(DiagId::ShapeMismatch,
                   args.name() + " needs a tile of one element, and has `" +
                       value.type().str() + "`");
  value = in.reshape(value, {1});
  Type type = value.type().scalar();
  auto op = tile::ReduceOp::create(in.builder, in.loc(),
                                   mlir::TypeRange{in.irType(type)},
                                   mlir::ValueRange{in.ir(value)}, 0u);
  mlir::OpBuilder::InsertionGuard guard(in.builder);
  Block &block = op.getCombine().emplaceBlock();
  block.addArguments({in.irType(type), in.irType(type)}, {in.loc(), in.loc()});
  in.builder.setInsertionPointToEnd(&block);
  tile::YieldOp::create(in.builder, in.loc(), block.getArgument(0));
  return in.make(op.getResult(0), type);
}

void bindShape(HandlerTable &table) {
  table[BuiltinId::Broadcast] = emitBroadcast;
  table[BuiltinId::BroadcastTo] = emitBroadcastTo;
  table[BuiltinId::ExpandDims] = emitExpandDims;
  table[BuiltinId::Reshape] = emitReshape;
  table[BuiltinId::View] = emitView;
  table[BuiltinId::Ravel] = emitRavel;
  table[BuiltinId::Trans] = emitPermute;
  table[BuiltinId::Permute] = emitPermute;
  table[BuiltinId::Join] = emitJoin;
  table[BuiltinId::Split] = emitSplit;
  table[BuiltinId::Interleave] = emitInterleave;
  table[BuiltinId::Cat] = emitCat;
  table[BuiltinId::Flip] = emitFlip;
  table[BuiltinId::Item] = emitItem;
}

} // namespace tesela::emit
