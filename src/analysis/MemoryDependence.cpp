//===- MemoryDependence.cpp - whether accesses may touch the same memory --===//
//
// Two views touch the same elements in step where base, offsets and strides are
// the same computations, of the same arguments or of arguments that the launch
// has checked, and where no two of their elements share an address.
//
//===----------------------------------------------------------------------===//

#include "analysis/MemoryDependence.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tesela::analysis {
namespace {

/// What decides the addresses of a view.
struct Addresses {
  Value base;
  SmallVector<Value> offsets, strides;
  RankedTensorType tile;
};

std::optional<Addresses> addressesOf(Operation *op) {
  if (auto load = dyn_cast<tile::ViewLoadOp>(op))
    return Addresses{load.getBase(), SmallVector<Value>(load.getOffsets()),
                     SmallVector<Value>(load.getStrides()),
                     cast<RankedTensorType>(load.getType())};
  if (auto store = dyn_cast<tile::ViewStoreOp>(op))
    return Addresses{store.getBase(), SmallVector<Value>(store.getOffsets()),
                     SmallVector<Value>(store.getStrides()),
                     cast<RankedTensorType>(store.getValue().getType())};
  return std::nullopt;
}

BlockArgument asParameter(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !argument.getOwner()->isEntryBlock() ||
      !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return {};
  return argument;
}

/// Pairs of arguments that may be taken to be equal.
using Equals = SmallVector<std::pair<unsigned, unsigned>>;

bool isAlike(Value lhs, Value rhs, const Equals &equals, int depth = 0) {
  if (lhs == rhs)
    return true;
  if (lhs.getType() != rhs.getType() || depth > 12)
    return false;
  if (BlockArgument left = asParameter(lhs), right = asParameter(rhs);
      left && right) {
    unsigned a = left.getArgNumber(), b = right.getArgNumber();
    return llvm::any_of(equals, [&](auto pair) {
      return pair == std::pair(a, b) || pair == std::pair(b, a);
    });
  }
  Operation *left = lhs.getDefiningOp(), *right = rhs.getDefiningOp();
  if (!left || !right || left->getName() != right->getName() ||
      left->getNumResults() != 1 || left->getNumRegions() != 0 ||
      !isPure(left) || left->getNumOperands() != right->getNumOperands() ||
      left->getAttrDictionary() != right->getAttrDictionary())
    return false;
  auto alike = [&](unsigned i, unsigned j) {
    return isAlike(left->getOperand(i), right->getOperand(j), equals,
                   depth + 1);
  };
  bool inOrder = true;
  for (unsigned i = 0; i != left->getNumOperands(); ++i)
    inOrder = inOrder && alike(i, i);
  bool mayTurn =
      left->hasTrait<OpTrait::IsCommutative>() && left->getNumOperands() == 2;
  return inOrder || (mayTurn && alike(0, 1) && alike(1, 0));
}

func::FuncOp kernelOf(Operation *op) {
  return op->getParentOfType<func::FuncOp>();
}

bool isApart(func::FuncOp kernel, unsigned p, unsigned q) {
  auto pairs = kernel->getAttrOfType<DenseI32ArrayAttr>(apartAttr);
  if (!pairs)
    return false;
  ArrayRef<int32_t> numbers = pairs;
  for (size_t i = 0; i + 1 < numbers.size(); i += 2)
    if ((unsigned(numbers[i]) == p && unsigned(numbers[i + 1]) == q) ||
        (unsigned(numbers[i]) == q && unsigned(numbers[i + 1]) == p))
      return true;
  return false;
}

/// What may be taken to be equal for accesses through p and q in step.
std::optional<Equals> inStep(func::FuncOp kernel, unsigned p, unsigned q) {
  auto entries = kernel->getAttrOfType<ArrayAttr>(inStepAttr);
  if (!entries)
    return std::nullopt;
  for (Attribute entry : entries) {
    auto numbers = dyn_cast<DenseI32ArrayAttr>(entry);
    if (!numbers || numbers.size() < 2)
      continue;
    unsigned a = numbers[0], b = numbers[1];
    if (std::minmax(a, b) != std::minmax(p, q))
      continue;
    Equals equals;
    for (int64_t i = 0; i + 1 < numbers.size(); i += 2)
      equals.push_back({numbers[i], numbers[i + 1]});
    return equals;
  }
  return std::nullopt;
}

} // namespace

Value accessPointer(Operation *access) {
  return llvm::TypeSwitch<Operation *, Value>(access)
      .Case<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCasOp>(
          [](auto op) { return op.getPtr(); })
      .Case<tile::ViewLoadOp, tile::ViewStoreOp>(
          [](auto op) { return op.getBase(); })
      .Default([](Operation *) { return Value(); });
}

BlockArgument accessRoot(Operation *access) {
  Value pointer = accessPointer(access);
  while (pointer) {
    if (BlockArgument parameter = asParameter(pointer))
      return parameter;
    Operation *op = pointer.getDefiningOp();
    bool keepsRoot =
        isa_and_nonnull<tile::AddPtrOp, tile::SplatOp, tile::ExpandDimsOp,
                        tile::BroadcastOp, tile::ReshapeOp, tile::PermuteOp,
                        tile::PtrCastOp>(op);
    pointer = keepsRoot ? op->getOperand(0) : Value();
  }
  return {};
}

bool isInjectiveView(Operation *view) {
  auto addresses = addressesOf(view);
  if (!addresses)
    return false;
  // stride, extent
  SmallVector<std::pair<int64_t, int64_t>> axes;
  for (auto [offset, stride, size] :
       llvm::zip(addresses->offsets, addresses->strides,
                 addresses->tile.getShape())) {
    if (size == 1)
      continue;
    APInt constant;
    if (isa<RankedTensorType>(offset.getType()) ||
        !matchPattern(stride, m_ConstantInt(&constant)))
      return false;
    int64_t step = constant.getSExtValue();
    if (step < -INT32_MAX || step > INT32_MAX)
      return false;
    axes.push_back({std::abs(step), size});
  }
  llvm::sort(axes);
  // Each axis steps over all that the axes inside it reach.
  int64_t reach = 0;
  for (auto [stride, size] : axes) {
    if (stride <= reach || size > INT32_MAX)
      return false;
    reach += stride * (size - 1);
    if (reach > INT32_MAX)
      return false;
  }
  return true;
}

/// Whether an access is ordered with all others, whatever they touch.
static bool isOrdered(Operation *access) {
  return tile::isAtomic(access) &&
         tile::atomicOrder(access) != tile::MemoryOrder::Relaxed;
}

AccessRelation accessRelation(Operation *lhs, Operation *rhs) {
  if (isOrdered(lhs) || isOrdered(rhs))
    return AccessRelation::MayAlias;
  BlockArgument left = accessRoot(lhs), right = accessRoot(rhs);
  if (!left || !right)
    return AccessRelation::MayAlias;
  func::FuncOp kernel = kernelOf(lhs);
  unsigned p = left.getArgNumber(), q = right.getArgNumber();
  if (p != q && isApart(kernel, p, q))
    return AccessRelation::NoAlias;

  auto equals = inStep(kernel, p, q);
  if (p == q && lhs->getBlock() != rhs->getBlock())
    equals.reset();
  bool isChecked = equals.has_value();
  if (!isChecked && p != q)
    return AccessRelation::MayAlias;
  auto a = addressesOf(lhs), b = addressesOf(rhs);
  if (!a || !b || a->tile.getShape() != b->tile.getShape() ||
      a->tile.getElementType() != b->tile.getElementType())
    return AccessRelation::MayAlias;
  if (!isChecked)
    equals.emplace();
  for (auto [offset, size] : llvm::zip(a->offsets, a->tile.getShape()))
    if (isa<RankedTensorType>(offset.getType()) && size != 1)
      return AccessRelation::MayAlias;
  auto alike = [&](auto pair) {
    return isAlike(std::get<0>(pair), std::get<1>(pair), *equals);
  };
  if (!isAlike(a->base, b->base, *equals) ||
      !llvm::all_of(llvm::zip(a->offsets, b->offsets), alike) ||
      !llvm::all_of(llvm::zip(a->strides, b->strides), alike))
    return AccessRelation::MayAlias;
  if (!isChecked && !isInjectiveView(lhs))
    return AccessRelation::MayAlias;
  return AccessRelation::SameCoordinates;
}

} // namespace tesela::analysis
