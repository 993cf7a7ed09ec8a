//===- Reduce.cpp - combining the elements along an axis ------------------===//

#include "emit/Interpreter.h"
#include "emit/TileShape.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using tesela::sema::BuiltinId;
using tesela::syntax::BinOpKind;
using tesela::syntax::BoolOpKind;
using tesela::syntax::CmpOpKind;

namespace tesela::emit {

/// Combines the left and the right elements, as many as there are tiles.
using Combine = llvm::function_ref<std::vector<Value>(llvm::ArrayRef<Value>,
                                                      llvm::ArrayRef<Value>)>;

/// The shape that is left, and with which axis of it.
struct ReducedAxis {
  int64_t axis;
  bool keepDims;
  /// Of the result where all axes go and `keepDims` holds.
  Emitter::Shape ones;
};

/// Tiles that are reduced together, flattened where no axis is given.
static std::optional<ReducedAxis> prepare(Interpreter &in,
                                          std::vector<Value> &tiles,
                                          const Value &axis, bool keepDims,
                                          const std::string &name) {
  int64_t rank = tiles[0].type().rank();
  if (rank == 0) {
    in.fail(DiagId::OperandType,
            name + " reduces a tile, and this is " + tiles[0].describe());
    return std::nullopt;
  }
  ReducedAxis result{0, keepDims, {}};
  if (axis.isNone()) {
    result.ones.assign(rank, 1);
    for (Value &tile : tiles)
      tile = in.reshape(tile, {tile.type().numElements()});
    return result;
  }
  std::optional<int64_t> wrapped = wrapAxis(in, *axis.asInt64(), rank, name);
  if (!wrapped)
    return std::nullopt;
  result.axis = *wrapped;
  return result;
}

/// Fills the region that combines two elements of each of the tiles; false
/// where that is not possible.
static bool fillRegion(Interpreter &in, Region &region,
                       llvm::ArrayRef<Value> tiles, Combine combine) {
  OpBuilder::InsertionGuard guard(in.builder);
  Block &block = region.emplaceBlock();
  in.builder.setInsertionPointToEnd(&block);
  std::vector<Value> sides[2];
  for (auto &side : sides)
    for (const Value &tile : tiles) {
      Type element = tile.type().scalar();
      side.push_back(
          in.make(block.addArgument(in.irType(element), in.loc()), element));
    }
  std::vector<Value> combined = combine(sides[0], sides[1]);
  if (combined.size() != tiles.size())
    return false;
  llvm::SmallVector<mlir::Value> yields;
  for (const Value &value : combined)
    yields.push_back(in.ir(value));
  tile::YieldOp::create(in.builder, in.loc(), yields);
  return true;
}

/// Makes the op. Empty where the region could not be made.
static std::vector<Value> reduce(Interpreter &in, llvm::ArrayRef<Value> tiles,
                                 const ReducedAxis &along, Combine combine) {
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::Type> resultTypes;
  llvm::SmallVector<Type> types;
  for (const Value &tile : tiles) {
    Type type = tile.type();
    type.shape.erase(type.shape.begin() + along.axis);
    operands.push_back(in.ir(tile));
    resultTypes.push_back(in.irType(type));
    types.push_back(type);
  }
  auto op = tile::ReduceOp::create(in.builder, in.loc(), resultTypes, operands,
                                   uint32_t(along.axis));
  if (!fillRegion(in, op.getCombine(), tiles, combine))
    return {};
  std::vector<Value> results;
  for (auto [result, type] : llvm::zip(op.getResults(), types)) {
    Value value = in.make(result, type);
    if (along.keepDims)
      value = along.ones.empty() ? in.expandDims(value, along.axis)
                                 : in.broadcast(value, along.ones);
    results.push_back(value);
  }
  return results;
}

/// Reduces one tile with an operation of two elements.
static Value reduceOne(Interpreter &in, const Arguments &args,
                       const Value &tile, const Value &axis, bool keepDims,
                       llvm::function_ref<Value(Value, Value)> combine) {
  std::vector<Value> tiles{tile};
  auto along = prepare(in, tiles, axis, keepDims, args.name());
  if (!along)
    return Value();
  auto results = reduce(in, tiles, *along,
                        [&](llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b) {
                          return std::vector<Value>{combine(a[0], b[0])};
                        });
  return results.empty() ? Value() : results[0];
}

static Value numericTile(Interpreter &in, const Arguments &args,
                         bool intsAlone = false) {
  Value value = in.toRuntime(args[0]);
  if (!value)
    return Value();
  if (value.type().isPointer || (intsAlone && !value.type().isInt()))
    return in.fail(DiagId::OperandType,
                   args.name() + " is not defined for " + value.describe());
  return value;
}

static Value emitSum(Interpreter &in, const Arguments &args) {
  Value value = numericTile(in, args);
  if (!value)
    return Value();
  Type type =
      args.has(3) ? args.dtype(3) : Type(sema::sumType(value.type().dtype));
  value = in.cast(value, type);
  if (!value)
    return Value();
  // Sums of 8-bit floats are rounded once, when they are there.
  Value sum = reduceOne(
      in, args, in.computable(value), args[1], args.flag(2),
      [&](Value a, Value b) { return in.binary(BinOpKind::Add, a, b); });
  return sum ? in.cast(sum, type.scalar()) : Value();
}

/// Whether the left one of two elements with their indices is kept: a NaN
/// before a number, then the greater (or smaller) one, then that with the
/// smaller index. Everything has its place in this order, so that the result
/// does not depend on the order of combining, and it is NumPy's and PyTorch's.
static Value keepsLeft(Interpreter &in, llvm::ArrayRef<Value> a,
                       llvm::ArrayRef<Value> b, bool isMax) {
  Value first = in.compare(CmpOpKind::Lt, a[1], b[1]);
  auto both = [&](Value x, Value y) {
    return in.logical(BoolOpKind::And, x, y);
  };
  Value better, tie;
  if (a[0].type().isInt()) {
    better = in.compare(isMax ? CmpOpKind::Gt : CmpOpKind::Lt, a[0], b[0]);
    tie = in.compare(CmpOpKind::Eq, a[0], b[0]);
  } else {
    auto is = [&](arith::CmpFPredicate predicate, Value x, Value y) {
      return in.make(arith::CmpFOp::create(in.builder, in.loc(), predicate,
                                           in.ir(x), in.ir(y)),
                     DType::Int1);
    };
    auto greater = arith::CmpFPredicate::UGT, less = arith::CmpFPredicate::ULT;
    Value numberA = is(arith::CmpFPredicate::ORD, a[0], a[0]);
    Value numberB = is(arith::CmpFPredicate::ORD, b[0], b[0]);
    better = both(is(isMax ? greater : less, a[0], b[0]), numberB);
    Value worse = both(is(isMax ? less : greater, a[0], b[0]), numberA);
    tie = in.unary(syntax::UnaryOpKind::Not, worse);
  }
  return in.logical(BoolOpKind::Or, better, both(tie, first));
}

static Value extremum(Interpreter &in, const Arguments &args, bool isMax,
                      const Value &axis, bool withIndices, bool keepDims) {
  Value value = numericTile(in, args);
  if (!value)
    return Value();
  value =
      in.cast(value, Type(sema::extremumType(value.type().dtype, withIndices)));
  if (!withIndices)
    return reduceOne(in, args, value, axis, keepDims, [&](Value a, Value b) {
      return isMax ? in.maximum(a, b, false) : in.minimum(a, b, false);
    });

  const Type element = value.type().scalar();
  std::vector<Value> tiles{in.computable(value)};
  auto along = prepare(in, tiles, axis, keepDims, args.name());
  if (!along)
    return Value();
  Emitter::Shape shape = tiles[0].type().shape;
  Type line(DType::Int32, llvm::ArrayRef<int64_t>(shape[along->axis]));
  Value index = in.make(
      tile::IotaOp::create(in.builder, in.loc(), in.irType(line), 0u), line);
  Emitter::Shape aligned(shape.size(), 1);
  aligned[along->axis] = shape[along->axis];
  tiles.push_back(in.broadcast(in.reshape(index, aligned), shape));
  auto results = reduce(
      in, tiles, *along, [&](llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b) {
        Value left = keepsLeft(in, a, b, isMax);
        return std::vector<Value>{in.select(left, a[0], b[0], "`max`"),
                                  in.select(left, a[1], b[1], "`max`")};
      });
  if (results.empty())
    return Value();
  results[0] = in.cast(results[0], element);
  return Value::tuple(std::move(results));
}

template <bool isMax>
static Value emitExtremum(Interpreter &in, const Arguments &args) {
  return extremum(in, args, isMax, args[1], args.flag(2), args.flag(4));
}

template <bool isMax>
static Value emitArgExtremum(Interpreter &in, const Arguments &args) {
  Value pair =
      extremum(in, args, isMax, args[1], /*withIndices=*/true, args.flag(3));
  return pair ? (*pair.items())[1] : Value();
}

template <BinOpKind op>
static Value emitBitwise(Interpreter &in, const Arguments &args) {
  Value value = numericTile(in, args, /*intsAlone=*/true);
  if (!value)
    return Value();
  return reduceOne(in, args, value, args[1], args.flag(2),
                   [&](Value a, Value b) { return in.binary(op, a, b); });
}

/// The tiles of a call that takes one or a tuple of them; empty after an error.
static std::vector<Value> tilesOf(Interpreter &in, const Arguments &args) {
  const std::vector<Value> *items = args[0].items();
  std::vector<Value> tiles = items ? *items : std::vector<Value>{args[0]};
  if (tiles.empty())
    in.fail(DiagId::CallType, args.name() + " is given no tiles");
  for (Value &tile : tiles) {
    tile = in.toRuntime(tile);
    if (!tile)
      return {};
    if (tile.type().shape != tiles[0].type().shape) {
      in.fail(DiagId::ShapeMismatch,
              "the tiles of " + args.name() + " have different shapes: `" +
                  tiles[0].type().str() + "` and `" + tile.type().str() + "`");
      return {};
    }
  }
  return tiles;
}

/// What the user's function makes of two elements of each tile; empty after an
/// error.
static std::vector<Value> combineByCall(Interpreter &in, const Arguments &args,
                                        const Value &function,
                                        llvm::ArrayRef<Value> a,
                                        llvm::ArrayRef<Value> b) {
  std::vector<Value> arguments(a.begin(), a.end());
  arguments.insert(arguments.end(), b.begin(), b.end());
  Value result = in.call(function, arguments);
  if (!result)
    return {};
  std::string prefix = "the function of " + args.name() + " returns ";
  std::vector<Value> list, single{result};
  const std::vector<Value> &given = result.items() ? *result.items() : single;
  if (given.size() != a.size()) {
    in.fail(DiagId::ReturnType, prefix + std::to_string(given.size()) +
                                    " values for " + std::to_string(a.size()) +
                                    " tiles");
    return {};
  }
  for (auto [value, element] : llvm::zip(given, a)) {
    std::optional<Type> type = in.typeOf(value);
    bool adapts = value.isNumber() && !element.type().isPointer &&
                  Emitter::isRepresentable(value, element.type().dtype);
    if (!type || (!adapts && *type != element.type())) {
      in.fail(DiagId::ReturnType, prefix + value.describe() +
                                      " for elements of type `" +
                                      element.type().str() + "`");
      return {};
    }
    list.push_back(adapts ? in.constant(value, element.type()) : value);
  }
  return list;
}

/// The user's own combination of elements, of one tile or of several.
static Value emitReduce(Interpreter &in, const Arguments &args) {
  std::vector<Value> tiles = tilesOf(in, args);
  if (tiles.empty())
    return Value();
  auto along = prepare(in, tiles, args[1], args.flag(3), args.name());
  if (!along)
    return Value();
  std::vector<Value> results = reduce(
      in, tiles, *along, [&](llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b) {
        return combineByCall(in, args, args[2], a, b);
      });
  if (results.empty())
    return Value();
  return args[0].items() ? Value::tuple(std::move(results)) : results[0];
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// Makes the op. Empty where the region could not be made.
static std::vector<Value> scan(Interpreter &in, const Arguments &args,
                               llvm::ArrayRef<Value> tiles, int64_t axis,
                               bool reverse, Combine combine) {
  if (!tiles[0].type().isBlock()) {
    in.fail(DiagId::OperandType,
            args.name() + " scans a tile, and this is " + tiles[0].describe());
    return {};
  }
  std::optional<int64_t> wrapped =
      wrapAxis(in, axis, tiles[0].type().rank(), args.name());
  if (!wrapped)
    return {};
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::Type> types;
  for (const Value &tile : tiles) {
    operands.push_back(in.ir(tile));
    types.push_back(in.irType(tile.type()));
  }
  auto op = tile::ScanOp::create(in.builder, in.loc(), types, operands,
                                 uint32_t(*wrapped), reverse);
  if (!fillRegion(in, op.getCombine(), tiles, combine))
    return {};
  std::vector<Value> results;
  for (auto [result, tile] : llvm::zip(op.getResults(), tiles))
    results.push_back(in.make(result, tile.type()));
  return results;
}

static Value emitAssociativeScan(Interpreter &in, const Arguments &args) {
  std::vector<Value> tiles = tilesOf(in, args);
  if (tiles.empty())
    return Value();
  std::vector<Value> results =
      scan(in, args, tiles, args.integer(1), args.flag(3),
           [&](llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b) {
             return combineByCall(in, args, args[2], a, b);
           });
  if (results.empty())
    return Value();
  return args[0].items() ? Value::tuple(std::move(results)) : results[0];
}

/// Scans one tile with an operator; bf16 is computed in float32, and so are
/// 8-bit floats, which are rounded once, at the end.
static Value scanOne(Interpreter &in, const Arguments &args,
                     std::optional<Type> type, BinOpKind op) {
  Value value = numericTile(in, args);
  if (!value)
    return Value();
  if (!type)
    type = value.type().dtype == DType::BFloat16 ? Type(DType::Float32)
                                                 : value.type().scalar();
  value = in.cast(value, *type);
  if (!value)
    return Value();
  std::vector<Value> results =
      scan(in, args, {in.computable(value)}, args.integer(1), args.flag(2),
           [&](llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b) {
             return std::vector<Value>{in.binary(op, a[0], b[0])};
           });
  return results.empty() ? Value() : in.cast(results[0], *type);
}

static Value emitCumsum(Interpreter &in, const Arguments &args) {
  std::optional<Type> type;
  if (args.has(3)) {
    type = args.dtype(3);
  } else if (std::optional<Type> given = in.typeOf(args[0])) {
    if (given->isInt())
      type = Type(sema::sumType(given->dtype));
  }
  return scanOne(in, args, type, BinOpKind::Add);
}

static Value emitCumprod(Interpreter &in, const Arguments &args) {
  return scanOne(in, args, std::nullopt, BinOpKind::Mult);
}

void bindReduce(HandlerTable &table) {
  table[BuiltinId::Sum] = emitSum;
  table[BuiltinId::Max] = emitExtremum<true>;
  table[BuiltinId::Min] = emitExtremum<false>;
  table[BuiltinId::Argmax] = emitArgExtremum<true>;
  table[BuiltinId::Argmin] = emitArgExtremum<false>;
  table[BuiltinId::XorSum] = emitBitwise<BinOpKind::BitXor>;
  table[BuiltinId::ReduceOr] = emitBitwise<BinOpKind::BitOr>;
  table[BuiltinId::Reduce] = emitReduce;
  table[BuiltinId::AssociativeScan] = emitAssociativeScan;
  table[BuiltinId::Cumsum] = emitCumsum;
  table[BuiltinId::Cumprod] = emitCumprod;
}

} // namespace tesela::emit
