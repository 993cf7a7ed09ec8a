//===- ShapeSteps.cpp - reductions, products and moved elements -----------===//

#include "generate/KernelBuilder.h"

#include <numeric>

using namespace mlir;

namespace tesela::test {

static SmallVector<int64_t> without(Shape shape, size_t axis) {
  SmallVector<int64_t> result(shape);
  result.erase(result.begin() + axis);
  return result;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value KernelBuilder::reduce(Value tile, size_t axis,
                            function_ref<Value(Value, Value)> combine) {
  auto source = cast<RankedTensorType>(tile.getType());
  Type element = source.getElementType(), result = element;
  if (source.getRank() > 1)
    result = tileType(without(source.getShape(), axis), element);
  auto op = tile::ReduceOp::create(builder, result, tile, axis);
  OpBuilder::InsertionGuard guard(builder);
  Block &block = op.getCombine().emplaceBlock();
  Location loc = builder.getLoc();
  block.addArguments({element, element}, {loc, loc});
  builder.setInsertionPointToStart(&block);
  tile::YieldOp::create(builder,
                        combine(block.getArgument(0), block.getArgument(1)));
  return op.getResult(0);
}

/// Back to the shape it was reduced from.
void KernelBuilder::spread(Item reduced, size_t axis, Shape shape) {
  if (!reduced.isTile())
    return add(splatTo(reduced, shape));
  SmallVector<int64_t> thin(shape);
  thin[axis] = 1;
  Value expanded = tile::ExpandDimsOp::create(
      builder, tileType(thin, reduced.element()), reduced.value, axis);
  if (Shape(thin) != shape)
    expanded = tile::BroadcastOp::create(
        builder, tileType(shape, reduced.element()), expanded);
  reduced.value = expanded;
  add(reduced);
}

void KernelBuilder::reduceStep() {
  std::optional<Item> source =
      find([](const Item &item) { return item.isTile(); });
  if (!source)
    return;
  SmallVector<int64_t> shape(source->shape());
  size_t axis = pick(shape.size());
  auto with = [&]<typename Op>(std::type_identity<Op>) {
    return reduce(source->value, axis, [&](Value a, Value b) -> Value {
      return Op::create(builder, a, b);
    });
  };
  Item result = *source;
  if (source->isFloat()) {
    switch (pick(4)) {
    case 0:
    case 1:
      result.bound *= shape[axis];
      if (!isExact(source->type(), result.bound, result.scale))
        return;
      result.value = with(std::type_identity<arith::AddFOp>());
      break;
    case 2:
      result.value = chance(50) ? with(std::type_identity<arith::MaxNumFOp>())
                                : with(std::type_identity<arith::MaximumFOp>());
      break;
    default:
      result.value = with(std::type_identity<arith::MinNumFOp>());
    }
  } else {
    switch (pick(source->isBool() ? 3 : 9)) {
    case 0:
      result.value = with(std::type_identity<arith::AndIOp>());
      break;
    case 1:
      result.value = with(std::type_identity<arith::OrIOp>());
      break;
    case 2:
      result.value = with(std::type_identity<arith::XOrIOp>());
      break;
    case 3:
      result.value = with(std::type_identity<arith::MaxSIOp>());
      break;
    case 4:
      result.value = with(std::type_identity<arith::MinSIOp>());
      break;
    case 5:
      result.value = with(std::type_identity<arith::MaxUIOp>());
      break;
    case 6:
      result.value = with(std::type_identity<arith::MulIOp>());
      break;
    default:
      result.value = with(std::type_identity<arith::AddIOp>());
    }
  }
  add(result);
  if (chance(60))
    spread(result, axis, shape);
}

/// The largest element and where it stands, the first of equal ones.
void KernelBuilder::argReduceStep() {
  std::optional<Item> source =
      find([](const Item &item) { return item.isTile() && !item.isBool(); });
  if (!source)
    return;
  SmallVector<int64_t> shape(source->shape());
  size_t axis = pick(shape.size());
  Value places = alongAxis(iota(shape[axis]), axis, shape);
  Type element = source->element();
  SmallVector<Type> results = {element, i32};
  if (shape.size() > 1)
    for (Type &type : results)
      type = tileType(without(shape, axis), type);
  auto op = tile::ReduceOp::create(builder, results,
                                   ValueRange{source->value, places}, axis);
  {
    OpBuilder::InsertionGuard guard(builder);
    Block &block = op.getCombine().emplaceBlock();
    Location loc = builder.getLoc();
    block.addArguments({element, i32, element, i32}, {loc, loc, loc, loc});
    builder.setInsertionPointToStart(&block);
    Value a = block.getArgument(0), at = block.getArgument(1);
    Value b = block.getArgument(2), bt = block.getArgument(3);
    Value isMore, isEqual;
    if (source->isFloat()) {
      using P = arith::CmpFPredicate;
      isMore = arith::CmpFOp::create(builder, P::OGT, a, b);
      isEqual = arith::CmpFOp::create(builder, P::OEQ, a, b);
    } else {
      using P = arith::CmpIPredicate;
      isMore = arith::CmpIOp::create(builder, P::sgt, a, b);
      isEqual = arith::CmpIOp::create(builder, P::eq, a, b);
    }
    Value isFirst =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, at, bt);
    Value isTie = arith::AndIOp::create(builder, isEqual, isFirst);
    Value keeps = arith::OrIOp::create(builder, isMore, isTie);
    Value value = arith::SelectOp::create(builder, keeps, a, b);
    Value place = arith::SelectOp::create(builder, keeps, at, bt);
    tile::YieldOp::create(builder, ValueRange{value, place});
  }
  add({op.getResult(0), source->bound, source->scale});
  add(op.getResult(1));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// A scalar, or a vector that is as long as an axis, over the whole frame.
void KernelBuilder::broadcastStep() {
  std::optional<Item> source = find([&](const Item &item) {
    return !item.isTile() || (item.shape().size() == 1 && frame.size() > 1 &&
                              llvm::is_contained(frame, item.shape()[0]));
  });
  if (!source)
    return;
  if (!source->isTile())
    return add(splatTo(*source, frame));
  size_t axis = llvm::find(frame, source->shape()[0]) - frame.begin();
  source->value = alongAxis(source->value, axis, frame);
  add(*source);
}

void KernelBuilder::permuteStep() {
  std::optional<Item> source =
      find([](const Item &item) { return item.shape().size() > 1; });
  if (!source)
    return;
  Shape shape = source->shape();
  SmallVector<int32_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[pick(order.size())], order.back());
  std::swap(order[pick(order.size())], order.front());
  SmallVector<int64_t> permuted;
  for (int32_t axis : order)
    permuted.push_back(shape[axis]);
  source->value = tile::PermuteOp::create(
      builder, tileType(permuted, source->element()), source->value, order);
  add(*source);
}

void KernelBuilder::reshapeStep() {
  std::optional<Item> source =
      find([](const Item &item) { return item.isTile(); });
  if (!source)
    return;
  int64_t count = ShapedType::getNumElements(source->shape());
  SmallVector<int64_t> shape = {count};
  if (count == ShapedType::getNumElements(frame) && chance(70)) {
    shape = frame;
  } else if (chance(60)) {
    int64_t inner = int64_t(1) << pick(7);
    if (count % inner == 0)
      shape = {count / inner, inner};
  }
  source->value = tile::ReshapeOp::create(
      builder, tileType(shape, source->element()), source->value);
  add(*source);
}

void KernelBuilder::joinStep() {
  std::optional<Item> lhs = find([](const Item &item) {
    return item.isTile() && item.shape().size() < 3;
  });
  if (!lhs)
    return;
  Item rhs = *findOfType(lhs->type());
  double bound = std::max(lhs->bound, rhs.bound);
  int scale = std::max(lhs->scale, rhs.scale);
  SmallVector<int64_t> shape(lhs->shape());
  shape.push_back(2);
  Value joined = tile::JoinOp::create(builder, tileType(shape, lhs->element()),
                                      lhs->value, rhs.value);
  if (chance(50))
    return add({joined, bound, scale});
  // Interleaved and taken apart otherwise: the halves of a row-major order.
  SmallVector<int64_t> halves = {2, ShapedType::getNumElements(lhs->shape())};
  Value flat = tile::ReshapeOp::create(
      builder, tileType(halves, lhs->element()), joined);
  Value pairs =
      tile::PermuteOp::create(builder, tileType({halves[1], 2}, lhs->element()),
                              flat, ArrayRef<int32_t>{1, 0});
  Type half = tileType(halves[1], lhs->element());
  auto split = tile::SplitOp::create(builder, half, half, pairs);
  add({split.getLhs(), bound, scale});
  add({split.getRhs(), bound, scale});
}

void KernelBuilder::catStep() {
  std::optional<Item> lhs = find([](const Item &item) {
    return item.shape().size() == 1 && item.shape()[0] <= 512;
  });
  if (!lhs)
    return;
  Item rhs = *findOfType(lhs->type());
  add({tile::CatOp::create(builder,
                           tileType(lhs->shape()[0] * 2, lhs->element()),
                           lhs->value, rhs.value),
       std::max(lhs->bound, rhs.bound), std::max(lhs->scale, rhs.scale)});
}

void KernelBuilder::iotaStep() {
  size_t axis = pick(frame.size());
  Value vector = iota(frame[axis]);
  add(chance(50) ? vector : alongAxis(vector, axis, frame));
  add(chance(50) ? instance : scalarArgument(i32, int64_t(pick(100)) - 30));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Of tiles from memory, or of one that is there already.
void KernelBuilder::dotStep() {
  struct Row {
    Type operand, acc;
  };
  const Row rows[] = {{f16, f32},  {f16, f32}, {bf16, f32}, {f32, f32},
                      {f32, f32},  {i8, i32},  {f64, f64},  {f16, f16},
                      {e4m3, f32}, {e5m2, f32}};
  Row row = oneOf(rows);
  int64_t m = 4 << pick(4), n = 4 << pick(4), k = 4 << pick(4);
  // One product, or several.
  SmallVector<int64_t> batch;
  if (chance(25))
    batch.push_back(int64_t(1) << pick(3));
  auto shapeOf = [&](int64_t rows, int64_t columns) {
    SmallVector<int64_t> shape(batch);
    shape.append({rows, columns});
    return shape;
  };
  std::optional<Item> a = find([&](const Item &item) {
    return item.shape().size() == 2 && item.element() == row.operand;
  });
  if (a && batch.empty() && chance(50)) {
    m = a->shape()[0];
    k = a->shape()[1];
  } else {
    a = load(row.operand, shapeOf(m, k), 2, 0);
  }
  Item b = load(row.operand, shapeOf(k, n), 2, 0);
  RankedTensorType type = tileType(shapeOf(m, n), row.acc);
  std::optional<Item> acc = findOfType(type);
  bool isFloat = isa<FloatType>(row.acc);
  if (!acc || chance(50)) {
    acc = Item{};
    if (isFloat)
      acc = floatConstant(type, 0);
    else
      acc->value = intConstant(type, 0);
  }
  Item result{Value(), acc->bound + a->bound * b.bound * k,
              std::max(acc->scale, a->scale + b.scale)};
  if (isFloat && !isExact(row.acc, result.bound, result.scale))
    return;
  result.value = tile::DotOp::create(builder, a->value, b.value, acc->value,
                                     tile::InputPrecision::IEEE);
  add(result);
}

} // namespace tesela::test
