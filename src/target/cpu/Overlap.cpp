//===- Overlap.cpp - whether two accesses may touch the same memory -------===//
//
// Two views touch the same elements in the same order where their addresses are
// computed in the same way from the same pointer argument, or, under the
// launch's precondition, from two arguments: those are the same buffer or
// disjoint. Pointer tiles may name one address twice, so nothing is known of
// them.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Overlap.h"

#include "dialect/tile/Tile.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tesela::cpu {

/// Whether both are computed alike; pointer arguments may differ where
/// `anyArgument`.
static bool isAlike(Value lhs, Value rhs, bool anyArgument, int depth = 0) {
  if (lhs == rhs)
    return true;
  if (lhs.getType() != rhs.getType() || depth > 16)
    return false;
  Operation *left = lhs.getDefiningOp();
  Operation *right = rhs.getDefiningOp();
  if (!left && !right) {
    auto isParameter = [](Value value) {
      return isa<tile::PtrType>(value.getType()) &&
             isa<FunctionOpInterface>(value.getParentBlock()->getParentOp());
    };
    return anyArgument && isParameter(lhs) && isParameter(rhs);
  }
  if (!left || !right || left->getName() != right->getName() ||
      left->getNumRegions() != 0 || !isMemoryEffectFree(left) ||
      left->getAttrDictionary() != right->getAttrDictionary() ||
      left->getNumOperands() != right->getNumOperands() ||
      left->getNumResults() != 1)
    return false;
  for (auto [a, b] : llvm::zip(left->getOperands(), right->getOperands()))
    if (!isAlike(a, b, anyArgument, depth + 1))
      return false;
  return true;
}

namespace {

/// What decides the addresses of an access.
struct Addresses {
  SmallVector<Value> values;
  SmallVector<int64_t> shape;
  Type element;
};

} // namespace

static Addresses addressesOf(Operation *op) {
  Addresses result;
  Type tile;
  if (auto load = dyn_cast<tile::ViewLoadOp>(op)) {
    result.values.push_back(load.getBase());
    llvm::append_range(result.values, load.getOffsets());
    llvm::append_range(result.values, load.getStrides());
    tile = load.getType();
  } else if (auto store = dyn_cast<tile::ViewStoreOp>(op)) {
    result.values.push_back(store.getBase());
    llvm::append_range(result.values, store.getOffsets());
    llvm::append_range(result.values, store.getStrides());
    tile = store.getValue().getType();
  }
  if (auto tensor = dyn_cast_or_null<RankedTensorType>(tile)) {
    result.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    result.element = tensor.getElementType();
  }
  return result;
}

Overlap overlap(Operation *lhs, Operation *rhs, bool general) {
  Addresses left = addressesOf(lhs);
  Addresses right = addressesOf(rhs);
  if (left.shape.empty() || left.shape != right.shape ||
      left.element != right.element ||
      left.values.size() != right.values.size())
    return Overlap::Unknown;
  for (auto [a, b] : llvm::zip(left.values, right.values))
    if (isa<RankedTensorType>(a.getType()) || !isAlike(a, b, !general))
      return Overlap::Unknown;
  return Overlap::SameElements;
}

} // namespace tesela::cpu
