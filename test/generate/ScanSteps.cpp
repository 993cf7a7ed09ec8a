//===- ScanSteps.cpp - scans, and elements picked by their index ----------===//

#include "generate/KernelBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tesela::test {

/// The results of a scan of tiles of one type; `combine` takes as many elements
/// from the left as from the right.
static ValueRange
scan(ImplicitLocOpBuilder &builder, ValueRange tiles, size_t axis, bool reverse,
     function_ref<SmallVector<Value>(ValueRange, ValueRange)> combine) {
  auto op = tile::ScanOp::create(builder, TypeRange(tiles), tiles,
                                 uint32_t(axis), reverse);
  OpBuilder::InsertionGuard guard(builder);
  Block &block = op.getCombine().emplaceBlock();
  for (int side = 0; side != 2; ++side)
    for (Value tile : tiles)
      block.addArgument(tile::elementType(tile.getType()), builder.getLoc());
  builder.setInsertionPointToStart(&block);
  ValueRange elements = block.getArguments();
  tile::YieldOp::create(builder, combine(elements.take_front(tiles.size()),
                                         elements.drop_front(tiles.size())));
  return op.getResults();
}

void KernelBuilder::scanStep() {
  std::optional<Item> source =
      find([](const Item &item) { return item.isTile(); });
  if (!source)
    return;
  size_t axis = pick(source->shape().size());
  bool reverse = chance(40);
  auto with = [&]<typename Op>(std::type_identity<Op>) {
    return scan(builder, source->value, axis, reverse,
                [&](ValueRange a, ValueRange b) -> SmallVector<Value> {
                  return {Op::create(builder, a[0], b[0])};
                })[0];
  };
  Item result = *source;
  if (source->isFloat()) {
    switch (pick(3)) {
    case 0:
      result.bound *= double(source->shape()[axis]);
      if (!isExact(source->type(), result.bound, result.scale))
        return;
      result.value = with(std::type_identity<arith::AddFOp>());
      break;
    case 1:
      result.value = with(std::type_identity<arith::MaximumFOp>());
      break;
    default:
      result.value = with(std::type_identity<arith::MinimumFOp>());
    }
    return add(result);
  }
  if (source->isInt() && chance(40)) {
    // Maps x -> p * x + q, one after the other: no two commute.
    std::optional<Item> other =
        find([&](const Item &item) { return item.type() == source->type(); });
    ValueRange maps =
        scan(builder, {source->value, other->value}, axis, reverse,
             [&](ValueRange a, ValueRange b) -> SmallVector<Value> {
               Value p = arith::MulIOp::create(builder, a[0], b[0]);
               Value q = arith::MulIOp::create(builder, b[0], a[1]);
               return {p, arith::AddIOp::create(builder, q, b[1])};
             });
    add(maps[0]);
    return add(maps[1]);
  }
  switch (pick(source->isBool() ? 3 : 7)) {
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
    result.value = with(std::type_identity<arith::MulIOp>());
    break;
  default:
    result.value = with(std::type_identity<arith::AddIOp>());
  }
  add(result);
}

/// Elements of a tile by the numbers in another one, whatever these are.
void KernelBuilder::pickStep() {
  std::optional<Item> source =
      find([](const Item &item) { return item.isTile(); });
  if (!source)
    return;
  size_t axis = pick(source->shape().size());
  if (!llvm::isPowerOf2_64(uint64_t(source->shape()[axis])))
    return;
  std::optional<Item> indices = find([&](const Item &item) {
    return item.isInt() && item.shape() == source->shape();
  });
  Value places =
      indices ? indices->value
              : alongAxis(iota(source->shape()[axis]), axis, source->shape());
  Item result = *source;
  result.value = tile::GatherOp::create(builder, source->type(), source->value,
                                        places, uint32_t(axis));
  add(result);
}

} // namespace tesela::test
