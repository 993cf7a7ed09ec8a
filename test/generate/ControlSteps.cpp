//===- ControlSteps.cpp - loops and branches of random kernels ------------===//

#include "generate/KernelBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tesela::test {

/// What a loop carries: float items with a bound that the loop keeps.
SmallVector<Item> KernelBuilder::carriedItems(unsigned count) {
  SmallVector<Item> carried;
  for (unsigned i = 0; i != count; ++i)
    if (std::optional<Item> item = find([](const Item &) { return true; }))
      carried.push_back(*item);
  return carried;
}

/// What the pool has for each, within the bounds of what it replaces.
SmallVector<Value> KernelBuilder::nextItems(ArrayRef<Item> carried) {
  SmallVector<Value> next;
  for (const Item &item : carried) {
    Item found = *findOfType(item.type());
    if (item.isFloat())
      found = clamp(found, item.bound, item.scale);
    next.push_back(found.value);
  }
  return next;
}

void KernelBuilder::ifStep() {
  if (depth == 2)
    return;
  std::optional<Item> condition =
      find([](const Item &item) { return item.isBool() && !item.isTile(); });
  Value decides = condition && chance(50)
                      ? condition->value
                      : Value(arith::CmpIOp::create(
                            builder, arith::CmpIPredicate(pick(6)), instance,
                            scalarArgument(i32, pick(instances + 1))));
  SmallVector<Item> results = carriedItems(1 + pick(2));
  SmallVector<Type> types;
  for (const Item &item : results)
    types.push_back(item.type());
  auto branch = scf::IfOp::create(builder, types, decides,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  size_t outside = pool.size();
  for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&region->front());
    if (chance(80))
      nestedSteps();
    scf::YieldOp::create(builder, nextItems(results));
    pool.resize(outside);
  }
  for (auto [item, result] : llvm::zip(results, branch.getResults()))
    add({result, item.bound, item.scale});
}

void KernelBuilder::forStep() {
  if (depth == 2)
    return;
  int64_t trips = pick(4), step = 1 + pick(3);
  int64_t lower = int64_t(pick(5)) - 1;
  int64_t upper = lower + trips * step - (trips ? pick(step) : 0);
  SmallVector<Item> carried = carriedItems(1 + pick(2));
  SmallVector<Value> initial;
  for (const Item &item : carried)
    initial.push_back(item.value);
  auto loop =
      scf::ForOp::create(builder, intConstant(i32, lower), sizeArgument(upper),
                         intConstant(i32, step), initial);
  size_t outside = pool.size();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    add(loop.getInductionVar());
    for (auto [item, argument] : llvm::zip(carried, loop.getRegionIterArgs()))
      add({argument, item.bound, item.scale});
    nestedSteps();
    scf::YieldOp::create(builder, nextItems(carried));
  }
  pool.resize(outside);
  for (auto [item, result] : llvm::zip(carried, loop.getResults()))
    add({result, item.bound, item.scale});
}

void KernelBuilder::whileStep() {
  if (depth == 2)
    return;
  Value zero = intConstant(i32, 0), limit = sizeArgument(pick(4));
  SmallVector<Item> carried = carriedItems(1);
  SmallVector<Value> initial = {zero};
  SmallVector<Type> types = {i32};
  for (const Item &item : carried) {
    initial.push_back(item.value);
    types.push_back(item.type());
  }
  size_t outside = pool.size();
  auto loop = scf::WhileOp::create(
      builder, types, initial,
      [&](OpBuilder &inner, Location loc, ValueRange arguments) {
        Value more = arith::CmpIOp::create(
            inner, loc, arith::CmpIPredicate::slt, arguments[0], limit);
        scf::ConditionOp::create(inner, loc, more, arguments);
      },
      [&](OpBuilder &inner, Location loc, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(builder);
        builder.restoreInsertionPoint(inner.saveInsertionPoint());
        for (auto [item, argument] : llvm::zip(carried, arguments.drop_front()))
          add({argument, item.bound, item.scale});
        nestedSteps();
        SmallVector<Value> next = nextItems(carried);
        next.insert(next.begin(), arith::AddIOp::create(builder, arguments[0],
                                                        intConstant(i32, 1)));
        scf::YieldOp::create(builder, next);
      });
  pool.resize(outside);
  for (auto [item, result] : llvm::zip(carried, loop.getResults().drop_front()))
    add({result, item.bound, item.scale});
}

//===----------------------------------------------------------------------===//
// Loops that carry pointers
//===----------------------------------------------------------------------===//

/// Rows of a matrix, summed block by block along the last axis: the pointers
/// advance, and the last block is masked.
void KernelBuilder::sumLoopStep() {
  if (depth == 2)
    return;
  int64_t rows = frame[0], block = 4 << pick(4), size = 1 + pick(3 * block);
  const Type types[] = {f32, f32, f16, i32};
  Type element = oneOf(types);
  bool isFloat = isa<FloatType>(element);
  double bound = element == f16 ? 2 : 4;
  int64_t trips = (size + block - 1) / block;
  if (isFloat && !isExact(element, bound * trips, 0))
    return;

  Coordinate row = frameCoordinate(0, false);
  Coordinate column = localCoordinate(block);
  Coordinate whole = column;
  whole.extent = size;
  int64_t count;
  SmallVector<int64_t> strides = layOut({row, whole}, count);
  SmallVector<Value> strideValues = strideArguments(strides);
  Value base = pointerArgument(
      element, addBuffer(filledBuffer(element, count, bound, 0)));
  SmallVector<int64_t> shape = {rows, block};
  Value ptrs = addresses(base, shape, {row, column}, strideValues);
  Value rowMask = boundMask(shape, {row, column});
  Value last = sizeArgument(size);
  Value advance =
      arith::MulIOp::create(builder, strideValues[1], intConstant(i32, block));
  RankedTensorType type = tileType(shape, element);
  Value zero = isFloat ? floatConstant(type, 0).value : intConstant(type, 0);
  auto loop =
      scf::ForOp::create(builder, intConstant(i32, 0), last,
                         intConstant(i32, block), ValueRange{ptrs, zero});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value current = loop.getRegionIterArg(0), sum = loop.getRegionIterArg(1);
    Value left = arith::SubIOp::create(builder, last, loop.getInductionVar());
    Value mask =
        alongAxis(arith::CmpIOp::create(builder, arith::CmpIPredicate::slt,
                                        iota(block), splatTo(left, block)),
                  1, shape);
    if (rowMask)
      mask = arith::AndIOp::create(builder, mask, rowMask);
    Value loaded = tile::LoadOp::create(builder, type, current, mask, zero);
    sum = isFloat ? Value(arith::AddFOp::create(builder, sum, loaded))
                  : Value(arith::AddIOp::create(builder, sum, loaded));
    current = tile::AddPtrOp::create(builder, current, splatTo(advance, shape));
    scf::YieldOp::create(builder, ValueRange{current, sum});
  }
  Item sum{loop.getResult(1), bound * trips, 0};
  if (!isFloat || isExact(element, sum.bound * block, 0)) {
    sum.value = reduce(sum.value, 1, [&](Value a, Value b) -> Value {
      if (isFloat)
        return arith::AddFOp::create(builder, a, b);
      return arith::AddIOp::create(builder, a, b);
    });
    sum.bound *= block;
  }
  add(sum);
}

/// The matrix product that every tutorial has.
void KernelBuilder::productLoopStep() {
  if (depth == 2 || frame.size() != 2)
    return;
  const Type types[] = {f32, f32, f16, bf16, e5m2, i8};
  Type element = oneOf(types);
  Type accElement = element == i8 ? i32 : f32;
  bool isFloat = element != i8;
  int64_t m = frame[0], n = frame[1], block = 8 << pick(3);
  int64_t size = 1 + pick(3 * block);
  Coordinate row = frameCoordinate(0, false);
  Coordinate column = frameCoordinate(1, false);
  Coordinate inner = localCoordinate(block), whole = inner;
  whole.extent = size;

  int64_t countA, countB;
  SmallVector<Value> stridesA = strideArguments(layOut({row, whole}, countA));
  SmallVector<Value> stridesB =
      strideArguments(layOut({whole, column}, countB));
  Value baseA =
      pointerArgument(element, addBuffer(filledBuffer(element, countA, 2, 0)));
  Value baseB =
      pointerArgument(element, addBuffer(filledBuffer(element, countB, 2, 0)));
  SmallVector<int64_t> shapeA = {m, block}, shapeB = {block, n};
  Value ptrsA = addresses(baseA, shapeA, {row, inner}, stridesA);
  Value ptrsB = addresses(baseB, shapeB, {inner, column}, stridesB);
  Value maskA = boundMask(shapeA, {row, inner});
  Value maskB = boundMask(shapeB, {inner, column});
  Value last = sizeArgument(size);
  auto advance = [&](Value stride) -> Value {
    return arith::MulIOp::create(builder, stride, intConstant(i32, block));
  };
  Value advanceA = advance(stridesA[1]), advanceB = advance(stridesB[0]);
  RankedTensorType accType = tileType(frame, accElement);
  Value zero =
      isFloat ? floatConstant(accType, 0).value : intConstant(accType, 0);
  auto loop = scf::ForOp::create(builder, intConstant(i32, 0), last,
                                 intConstant(i32, block),
                                 ValueRange{ptrsA, ptrsB, zero});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value left = arith::SubIOp::create(builder, last, loop.getInductionVar());
    Value exists = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt,
                                         iota(block), splatTo(left, block));
    auto loadOperand = [&](Value ptrs, Value bounds, size_t axis,
                           ArrayRef<int64_t> shape) -> Value {
      Value mask = alongAxis(exists, axis, shape);
      if (bounds)
        mask = arith::AndIOp::create(builder, bounds, mask);
      RankedTensorType type = tileType(shape, element);
      Value other =
          isFloat ? floatConstant(type, 0).value : intConstant(type, 0);
      return tile::LoadOp::create(builder, type, ptrs, mask, other);
    };
    Value a = loadOperand(loop.getRegionIterArg(0), maskA, 1, shapeA);
    Value b = loadOperand(loop.getRegionIterArg(1), maskB, 0, shapeB);
    Value acc = loop.getRegionIterArg(2);
    if (chance(50)) {
      Value product = tile::DotOp::create(builder, a, b, zero);
      acc = isFloat ? Value(arith::AddFOp::create(builder, acc, product))
                    : Value(arith::AddIOp::create(builder, acc, product));
    } else {
      acc = tile::DotOp::create(builder, a, b, acc);
    }
    Value nextA = tile::AddPtrOp::create(builder, loop.getRegionIterArg(0),
                                         splatTo(advanceA, shapeA));
    Value nextB = tile::AddPtrOp::create(builder, loop.getRegionIterArg(1),
                                         splatTo(advanceB, shapeB));
    scf::YieldOp::create(builder, ValueRange{nextA, nextB, acc});
  }
  add({loop.getResult(2), 4.0 * size, 0});
}

} // namespace tesela::test
