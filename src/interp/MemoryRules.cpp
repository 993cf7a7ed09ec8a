//===- MemoryRules.cpp - loads, stores and addresses ----------------------===//

#include "dialect/tile/Tile.h"
#include "interp/Evaluation.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tesela::interp {

namespace {

/// Bytes between neighbouring elements that this pointer type counts.
unsigned pointeeBytes(Type type) {
  auto ptr = cast<tile::PtrType>(tile::elementType(type));
  return elementBytes(ptr.getPointee());
}

bool addPtr(Evaluation &evaluation, Operation &op) {
  Tile result = evaluation.get(op.getOperand(0));
  const Tile &offsets = evaluation.get(op.getOperand(1));
  unsigned width = elementWidth(op.getOperand(1).getType());
  unsigned bytes = pointeeBytes(op.getOperand(0).getType());
  for (size_t i = 0; i != result.size(); ++i)
    result[i] += uint64_t(signExtend(offsets[i], width)) * bytes;
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

/// Reads element i at `address(i)` where `reads(i)`; elsewhere it is that of
/// `other`, a tile or a scalar, or zero.
template <typename Address, typename Reads>
bool loadElements(Evaluation &evaluation, Operation &op, size_t count,
                  Value other, Address address, Reads reads) {
  Type type = op.getResult(0).getType();
  unsigned bytes = elementBytes(type), width = elementWidth(type);
  Tile result(count, 0);
  const Tile *values = other ? &evaluation.get(other) : nullptr;
  for (size_t i = 0; i != count; ++i) {
    if (!reads(i)) {
      if (values)
        result[i] = (*values)[values->size() == 1 ? 0 : i];
      continue;
    }
    if (!evaluation.load(op, address(i), bytes, result[i]))
      return false;
    result[i] = lowBits(result[i], width);
  }
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

template <typename Address, typename Writes>
bool storeElements(Evaluation &evaluation, Operation &op, Value value,
                   Address address, Writes writes) {
  const Tile &values = evaluation.get(value);
  unsigned bytes = elementBytes(value.getType());
  for (size_t i = 0; i != values.size(); ++i)
    if (writes(i) && !evaluation.store(op, address(i), bytes, values[i]))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Through pointers
//===----------------------------------------------------------------------===//

const Tile *maskOf(Evaluation &evaluation, Value mask) {
  return mask ? &evaluation.get(mask) : nullptr;
}

bool load(Evaluation &evaluation, Operation &op) {
  auto access = cast<tile::LoadOp>(op);
  const Tile &ptrs = evaluation.get(access.getPtr());
  const Tile *mask = maskOf(evaluation, access.getMask());
  return loadElements(
      evaluation, op, ptrs.size(), access.getOther(),
      [&](size_t i) { return ptrs[i]; },
      [&](size_t i) { return !mask || (*mask)[i]; });
}

bool store(Evaluation &evaluation, Operation &op) {
  auto access = cast<tile::StoreOp>(op);
  const Tile &ptrs = evaluation.get(access.getPtr());
  const Tile *mask = maskOf(evaluation, access.getMask());
  return storeElements(
      evaluation, op, access.getValue(), [&](size_t i) { return ptrs[i]; },
      [&](size_t i) { return !mask || (*mask)[i]; });
}

//===----------------------------------------------------------------------===//
// Through views
//===----------------------------------------------------------------------===//

/// Where the elements of a view lie and which of them exist.
struct View {
  Tile addresses;
  SmallVector<bool> exists;
};

template <typename ViewOp>
View readView(Evaluation &evaluation, ViewOp op, RankedTensorType tile) {
  ArrayRef<int64_t> shape = tile.getShape();
  uint64_t base = evaluation.get(op.getBase())[0];
  unsigned bytes = pointeeBytes(op.getBase().getType());
  size_t count = tile.getNumElements();
  View view{Tile(count, base), SmallVector<bool>(count, true)};

  size_t inner = 1;
  for (size_t axis = shape.size(); axis-- > 0; inner *= shape[axis]) {
    Value offset = op.getOffsets()[axis];
    const Tile &offsets = evaluation.get(offset);
    bool isIndexed = isa<RankedTensorType>(offset.getType());
    uint64_t stride = evaluation.get(op.getStrides()[axis])[0];
    const int32_t *bound = llvm::find(op.getBoundedAxes(), int32_t(axis));
    bool isBounded = bound != op.getBoundedAxes().end();
    int64_t limit = 0;
    if (isBounded)
      limit = int64_t(evaluation.get(
          op.getBounds()[bound - op.getBoundedAxes().begin()])[0]);
    for (size_t i = 0; i != count; ++i) {
      size_t along = i / inner % shape[axis];
      uint64_t coordinate = isIndexed ? offsets[along] : offsets[0] + along;
      view.addresses[i] += coordinate * stride * bytes;
      if (isBounded)
        view.exists[i] &=
            int64_t(coordinate) >= 0 && int64_t(coordinate) < limit;
    }
  }
  if (op.getMask()) {
    const Tile &mask = evaluation.get(op.getMask());
    for (size_t i = 0; i != count; ++i)
      view.exists[i] &= bool(mask[i]);
  }
  return view;
}

bool viewLoad(Evaluation &evaluation, Operation &op) {
  auto access = cast<tile::ViewLoadOp>(op);
  auto tile = cast<RankedTensorType>(access.getType());
  View view = readView(evaluation, access, tile);
  return loadElements(
      evaluation, op, view.addresses.size(), access.getOther(),
      [&](size_t i) { return view.addresses[i]; },
      [&](size_t i) { return view.exists[i]; });
}

bool viewStore(Evaluation &evaluation, Operation &op) {
  auto access = cast<tile::ViewStoreOp>(op);
  auto tile = cast<RankedTensorType>(access.getValue().getType());
  View view = readView(evaluation, access, tile);
  return storeElements(
      evaluation, op, access.getValue(),
      [&](size_t i) { return view.addresses[i]; },
      [&](size_t i) { return view.exists[i]; });
}

} // namespace

void addMemoryRules(RuleTable &table) {
  addRule<tile::AddPtrOp>(table, addPtr);
  addRule<tile::LoadOp>(table, load);
  addRule<tile::StoreOp>(table, store);
  addRule<tile::ViewLoadOp>(table, viewLoad);
  addRule<tile::ViewStoreOp>(table, viewStore);
}

} // namespace tesela::interp
