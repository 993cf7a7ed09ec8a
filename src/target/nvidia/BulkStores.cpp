//===- BulkStores.cpp - products that leave by bulk copies ----------------===//
//
//   %c = arith.truncf %acc
//   tile.view_store %c, %p[%m, %n] strides [%s, 1] bounds [%M, %N] axes [0, 1]
//     ==>
//   %c = arith.truncf %acc
//   tgpu.bulk_store %c to %map at [%n, %m] rows 16 swizzle 128
//
// Legal because the map ends where the view's bounds are, beyond which a copy
// stores nothing (BulkCopies).
//
// What a warp of a product holds are 16 rows, so that each can store its own
// boxes. Where the rows of a factor have come through a ring, the same
// warpgroup has read them: it may put those of the result there without waiting
// for others.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/BulkStores.h"

#include "target/nvidia/TensorMaps.h"

#include "analysis/AxisDependence.h"

using namespace mlir;

namespace tesela::nvidia {

/// Of a product that one warp has, one below the other.
static constexpr int64_t warpRows = 16;

namespace {

/// What is computed, element by element, of the products of a plan.
class Products {
public:
  explicit Products(const WarpPlan &plan) : plan(plan) {}

  bool has(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !visited.insert(value).second)
      return false;
    if (plan.dots.contains(op))
      return true;
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return has(loop.getYieldedValues()[number]);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return has(branch.thenYield()->getOperand(number)) ||
             has(branch.elseYield()->getOperand(number));
    return analysis::isElementwise(op) &&
           llvm::any_of(op->getOperands(), [&](Value operand) {
             return isa<RankedTensorType>(operand.getType()) && has(operand);
           });
  }

private:
  const WarpPlan &plan;
  llvm::DenseSet<Value> visited;
};

/// How the tile lies in shared memory; null where `stmatrix` can't put it
/// there.
gpu::StagedType stagedPart(RankedTensorType type) {
  if (type.getRank() != 2 || !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() != 16 || type.getShape()[0] % warpRows != 0)
    return {};
  for (int64_t swizzle : {128, 64, 32})
    if (type.getShape()[1] * 2 % swizzle == 0)
      return gpu::StagedType::get(type.getContext(), type.getShape(),
                                  type.getElementType(), /*axis=*/1, swizzle);
  return {};
}

} // namespace

/// Whether a part of a slot is read alone as the first factor of products whose
/// warpgroups have whole rows, as they do of a tile of this shape: its rows are
/// then read by the warpgroup alone that has those of the tile.
static bool isReadByRows(tile::ViewLoadOp load, ArrayRef<int64_t> shape,
                         const WarpPlan &plan, unsigned numWarps) {
  auto hasWholeRows = [&](ArrayRef<int64_t> acc) {
    return acc[0] == shape[0] && warpgroupGrid(acc, numWarps).columns == 1;
  };
  return hasWholeRows(shape) &&
         llvm::all_of(load.getResult().getUses(), [&](OpOperand &use) {
           auto dot = dyn_cast<tile::DotOp>(use.getOwner());
           return dot && plan.dots.contains(dot) &&
                  use.getOperandNumber() == 0 &&
                  hasWholeRows(
                      cast<RankedTensorType>(dot.getType()).getShape());
         });
}

/// Whether all that goes through a ring has been taken before an op.
static bool isUsedBefore(unsigned ring, Operation *op, const WarpPlan &plan) {
  for (auto &[dot, factors] : plan.staged)
    if (factors.ring == ring)
      return false;
  return llvm::all_of(plan.groups, [&](const SlotGroup &group) {
    Operation *at = op->getBlock()->findAncestorOpInBlock(*group.first());
    return group.ring != ring || (at && at->isBeforeInBlock(op));
  });
}

/// The part of a ring's slots in whose place a tile may be put: one whose rows
/// are as wide, since boxes of half the width take twice the copies.
static std::optional<BulkStore::Place> findPlace(tile::ViewStoreOp store,
                                                 const WarpPlan &plan,
                                                 unsigned numWarps,
                                                 gpu::StagedType tile) {
  ArrayRef<int64_t> shape = tile.getShape();
  for (auto [ring, rings] : llvm::enumerate(plan.rings)) {
    if (!isUsedBefore(unsigned(ring), store, plan))
      continue;
    for (auto [number, type] : llvm::enumerate(rings.parts)) {
      auto part = cast<gpu::StagedType>(type);
      bool isApart = llvm::all_of(plan.groups, [&](const SlotGroup &group) {
        return group.ring != ring ||
               isReadByRows(group.loads[number], shape, plan, numWarps);
      });
      if (!isApart || part.getAxis() != 1 || part.getShape()[0] != shape[0] ||
          part.getSwizzle() != tile.getSwizzle() ||
          tile.getPanels() > rings.slots * part.getPanels())
        continue;
      return BulkStore::Place{unsigned(ring), unsigned(number)};
    }
  }
  return std::nullopt;
}

std::vector<BulkStore> planBulkStores(func::FuncOp kernel, const WarpPlan &plan,
                                      const WarpOptions &options,
                                      Preconditions &preconditions) {
  std::vector<BulkStore> stores;
  analysis::Congruences congruences;
  kernel.walk([&](tile::ViewStoreOp store) {
    gpu::StagedType part =
        stagedPart(cast<RankedTensorType>(store.getValue().getType()));
    if (!part || !Products(plan).has(store.getValue()))
      return;
    std::string whyNot;
    auto copy = planBulkCopy(
        store, [&](tile::ViewLoadOp load) { return plan.groupOf(load); },
        preconditions, congruences, whyNot);
    if (copy && copy->axis != 1)
      whyNot = "its columns are contiguous, not its rows";
    if (!copy || copy->axis != 1) {
      if (options.explain)
        store.emitRemark() << whyNot;
      return;
    }
    copy->dimensions[1].size = warpRows;
    auto place = findPlace(store, plan, options.numWarps, part);
    stores.push_back({store, std::move(*copy), part, place});
  });
  return stores;
}

void rewriteStore(const BulkStore &bulk, Value map, ArrayRef<Value> rings) {
  tile::ViewStoreOp store = bulk.store;
  OpBuilder builder(store);
  SmallVector<Value> coordinates;
  for (const BulkCopy::Dimension &dimension : bulk.copy.dimensions)
    coordinates.push_back(boxCoordinate(builder, dimension.coordinate));
  gpu::BulkStoreOp::create(
      builder, store.getLoc(), store.getValue(), map, coordinates,
      bulk.place ? rings[bulk.place->ring] : Value(), warpRows,
      bulk.part.getSwizzle(), bulk.place ? bulk.place->part : 0);
  store.erase();
}

} // namespace tesela::nvidia
