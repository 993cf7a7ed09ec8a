//===- BulkCopies.cpp - accesses to views that one bulk copy could do -----===//
//
//   tile.view_load (%p + %h * %sh)[%m, %k] strides [%sm, 1] bounds [%n] axes
//   [0]
//     ==>  box at (%k, %m, %h) of the array at %p
//          with strides (1, %sm, %sh) and extents (none, %n, none)
//
// Legal where the box reads what the view reads: elements outside the bounds
// are zero in both, and not stored to by either. A coordinate without a bound
// must be inside the largest extent that a map can have.
//
// A bulk copy runs beside the threads' own accesses. Loads come after whatever
// writes what they read. Stores are seen by nobody before the kernel ends: no
// other access may touch the same memory but copies that are over by then.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/BulkCopies.h"

#include "analysis/MemoryDependence.h"
#include "target/nvidia/LaunchNumbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tesela::nvidia {

/// Bytes that addresses, strides and rows of bulk copies are multiples of.
static constexpr int64_t copyAlignment = 16;

bool BulkCopy::hasMapOf(const BulkCopy &other) const {
  if (argument != other.argument || shifts != other.shifts ||
      axis != other.axis || dimensions.size() != other.dimensions.size())
    return false;
  for (auto [ours, theirs] : llvm::zip(dimensions, other.dimensions))
    if (ours.stride != theirs.stride || ours.bound != theirs.bound ||
        ours.size != theirs.size)
      return false;
  return true;
}

/// Whether `write` may happen before a `load` that would see it.
static bool mayPrecede(Operation *write, Operation *load) {
  for (Operation *at = load; at && !isa<func::FuncOp>(at);
       at = at->getParentOp()) {
    Operation *other = at->getBlock()->findAncestorOpInBlock(*write);
    if (!other)
      continue;
    if (other != at && other->isBeforeInBlock(at))
      return true;
    // In an iteration before.
    Operation *common = other == at ? at : at->getParentOp();
    for (; common && !isa<func::FuncOp>(common); common = common->getParentOp())
      if (isa<LoopLikeOpInterface>(common))
        return true;
    return false;
  }
  return false;
}

/// Whether the kernel may write what a load reads, before it does.
static bool mayReadWritten(tile::ViewLoadOp load) {
  auto kernel = load->getParentOfType<func::FuncOp>();
  auto found = kernel.walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isMemoryEffectFree(op) || hasSingleEffect<MemoryEffects::Read>(op))
      return WalkResult::advance();
    if (!mayPrecede(op, load) ||
        analysis::accessRelation(op, load) == analysis::AccessRelation::NoAlias)
      return WalkResult::advance();
    return WalkResult::interrupt();
  });
  return found.wasInterrupted();
}

/// Whether another access of the kernel may touch what a store writes, and is
/// not known to be over when it does.
static bool mayMeetOthers(tile::ViewStoreOp store,
                          function_ref<bool(tile::ViewLoadOp)> isCopied) {
  if (store->getParentOfType<LoopLikeOpInterface>())
    return true;
  auto kernel = store->getParentOfType<func::FuncOp>();
  auto found = kernel.getBody().walk([&](Operation *op) {
    if (op == store || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isMemoryEffectFree(op))
      return WalkResult::advance();
    if (isa<tile::LoadOp, tile::ViewLoadOp, tile::StoreOp, tile::ViewStoreOp>(
            op) &&
        analysis::accessRelation(op, store) ==
            analysis::AccessRelation::NoAlias)
      return WalkResult::advance();
    // Who takes a slot has waited for all that was copied before.
    auto load = dyn_cast<tile::ViewLoadOp>(op);
    bool isOver = load && isCopied(load) && !mayPrecede(store, load);
    return isOver ? WalkResult::advance() : WalkResult::interrupt();
  });
  return found.wasInterrupted();
}

namespace {

/// The operands of an access.
struct View {
  template <typename Access>
  static View of(Access access, Type type) {
    return {access.getBase(),
            access.getOffsets(),
            access.getStrides(),
            access.getBounds(),
            access.getMask(),
            access.getBoundedAxes(),
            cast<RankedTensorType>(type)};
  }

  Value base;
  ValueRange offsets, strides, bounds;
  Value mask;
  ArrayRef<int32_t> boundedAxes;
  RankedTensorType type;
};

class CopyPlanner {
public:
  CopyPlanner(const View &view, Preconditions &preconditions,
              analysis::Congruences &congruences, std::string &whyNot)
      : view(view), preconditions(preconditions), congruences(congruences),
        whyNot(whyNot) {
    elementBytes =
        std::max(8u, tile::elementType(view.type).getIntOrFloatBitWidth()) / 8;
  }

  /// Where nothing stands against it in what else the kernel does.
  std::optional<BulkCopy> plan();

private:
  bool fail(StringRef reason) {
    whyNot = reason;
    return false;
  }
  bool checkType();
  bool addAxes();
  bool addBase();
  bool addMove(Value offset);
  bool addTerm(ArrayRef<Value> factors);
  bool isInReach(const BulkCopy::Dimension &dimension);
  int64_t divisor(ArrayRef<Value> factors);

  View view;
  Preconditions &preconditions;
  analysis::Congruences &congruences;
  std::string &whyNot;
  int64_t elementBytes;
  BulkCopy copy;
};

/// The largest power of two up to 2^20 that divides a product for certain.
int64_t CopyPlanner::divisor(ArrayRef<Value> factors) {
  int64_t result = 1;
  for (Value factor : factors)
    result = std::min<int64_t>(
        1 << 20,
        result * std::min<int64_t>(1 << 20, congruences.get(factor).divisor()));
  return result;
}

bool CopyPlanner::isInReach(const BulkCopy::Dimension &dimension) {
  int64_t most = INT32_MAX - dimension.size;
  return preconditions.within(dimension.coordinate,
                              dimension.bound ? INT32_MIN : 0, most);
}

bool CopyPlanner::addAxes() {
  SmallVector<Value> strides(view.strides);
  ArrayRef<int64_t> shape = view.type.getShape();
  auto *contiguous = llvm::find_if(
      strides, [](Value stride) { return matchPattern(stride, m_One()); });
  if (contiguous == strides.end())
    return fail("no axis has stride one");
  copy.axis = contiguous - strides.begin();
  if (shape[copy.axis] * elementBytes < copyAlignment)
    return fail("its rows are narrower than 16 bytes");

  SmallVector<Value> bounds(shape.size());
  for (auto [axis, bound] : llvm::zip(view.boundedAxes, view.bounds))
    bounds[axis] = bound;
  SmallVector<unsigned> order = {copy.axis};
  for (unsigned axis = shape.size(); axis-- > 0;)
    if (axis != copy.axis)
      order.push_back(axis);
  for (unsigned axis : order) {
    BulkCopy::Dimension dimension;
    dimension.coordinate = view.offsets[axis];
    dimension.bound = bounds[axis];
    dimension.size = shape[axis];
    if (isa<RankedTensorType>(dimension.coordinate.getType()))
      return fail("its rows are gathered");
    if (dimension.bound && !isLaunchNumber(dimension.bound))
      return fail("a bound differs between instances");
    if (axis != copy.axis) {
      if (!isLaunchNumber(strides[axis]))
        return fail("a stride differs between instances");
      dimension.stride.push_back(strides[axis]);
      if (divisor(dimension.stride) * elementBytes % copyAlignment)
        return fail("a stride is not known to be a multiple of 16 bytes");
    }
    copy.dimensions.push_back(dimension);
  }
  return true;
}

/// One summand of how far the base is from its argument.
bool CopyPlanner::addTerm(ArrayRef<Value> factors) {
  if (divisor(factors) * elementBytes % copyAlignment)
    return fail("its base is not known to be a multiple of 16 bytes");
  BulkCopy::Dimension dimension;
  for (Value factor : factors) {
    if (isLaunchNumber(factor))
      dimension.stride.push_back(factor);
    else if (dimension.coordinate)
      return fail("its base moves by a product of coordinates");
    else
      dimension.coordinate = factor;
  }
  if (!dimension.coordinate) {
    if (factors.size() != 1)
      return fail("its base moves by a product");
    copy.shifts.push_back(factors.front());
    return true;
  }
  if (divisor(dimension.stride) * elementBytes % copyAlignment)
    return fail("a stride of its base is not known to be a multiple of 16 "
                "bytes");
  copy.dimensions.push_back(dimension);
  return true;
}

bool CopyPlanner::addMove(Value offset) {
  if (!isLaunchNumber(offset)) {
    if (auto sum = offset.getDefiningOp<arith::AddIOp>())
      return addMove(sum.getLhs()) && addMove(sum.getRhs());
    if (auto product = offset.getDefiningOp<arith::MulIOp>()) {
      SmallVector<Value> factors, rest = {product.getRhs(), product.getLhs()};
      while (!rest.empty()) {
        Value factor = rest.pop_back_val();
        auto inner = factor.getDefiningOp<arith::MulIOp>();
        if (inner && !isLaunchNumber(factor))
          rest.append({inner.getRhs(), inner.getLhs()});
        else
          factors.push_back(factor);
      }
      return addTerm(factors);
    }
  }
  return addTerm(offset);
}

bool CopyPlanner::addBase() {
  Value base = view.base;
  while (auto move = base.getDefiningOp<tile::AddPtrOp>()) {
    // Sums in fewer bits than an address has may wrap.
    if (!move.getOffset().getType().isInteger(64))
      return fail("its base moves by less than 64 bits");
    if (!addMove(move.getOffset()))
      return false;
    base = move.getPtr();
  }
  auto argument = dyn_cast<BlockArgument>(base);
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return fail("its base is no argument");
  if (congruences.get(base).divisor() % copyAlignment)
    return fail("its base is not known to be a multiple of 16 bytes");
  copy.argument = argument.getArgNumber();
  return true;
}

bool CopyPlanner::checkType() {
  Type element = view.type.getElementType();
  if (view.type.getRank() != 2 || !element.isIntOrFloat() ||
      !llvm::is_contained({8, 16, 32}, element.getIntOrFloatBitWidth()))
    return fail("it is no matrix of elements of 1, 2 or 4 bytes");
  if (view.mask)
    return fail("it has a mask");
  return true;
}

std::optional<BulkCopy> CopyPlanner::plan() {
  if (!checkType() || !addAxes() || !addBase())
    return std::nullopt;
  if (copy.dimensions.size() > 5) {
    fail("it has more than five dimensions");
    return std::nullopt;
  }
  size_t mark = preconditions.mark();
  if (!llvm::all_of(copy.dimensions,
                    [&](const auto &each) { return isInReach(each); })) {
    preconditions.retract(mark);
    fail("a coordinate may be out of a tensor map's reach");
    return std::nullopt;
  }
  return copy;
}

} // namespace

std::optional<BulkCopy> planBulkCopy(tile::ViewLoadOp load,
                                     Preconditions &preconditions,
                                     analysis::Congruences &congruences,
                                     std::string &whyNot) {
  if (load.getOther()) {
    whyNot = "it has a value other than zero";
    return std::nullopt;
  }
  if (mayReadWritten(load)) {
    whyNot = "the kernel may have written what it reads";
    return std::nullopt;
  }
  return CopyPlanner(View::of(load, load.getType()), preconditions, congruences,
                     whyNot)
      .plan();
}

std::optional<BulkCopy>
planBulkCopy(tile::ViewStoreOp store,
             function_ref<bool(tile::ViewLoadOp)> isCopied,
             Preconditions &preconditions, analysis::Congruences &congruences,
             std::string &whyNot) {
  if (store.getCache() != tile::CacheModifier::None ||
      store.getEvict() != tile::EvictionPolicy::Normal) {
    whyNot = "it treats caches in a way of its own";
    return std::nullopt;
  }
  if (mayMeetOthers(store, isCopied)) {
    whyNot = "the kernel may touch what it writes otherwise";
    return std::nullopt;
  }
  return CopyPlanner(View::of(store, store.getValue().getType()), preconditions,
                     congruences, whyNot)
      .plan();
}

} // namespace tesela::nvidia
