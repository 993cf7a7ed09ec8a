//===- CopyFactors.cpp - factors of products come through shared memory ---===//
//
//   scf.for %k .. iter_args(%acc) {
//     %a = tile.view_load %p[%m, %k]
//     %b = tile.view_load %q[%k, %n]
//     %r = tile.dot %a, %b, %acc
//   }
//     ==>
//   %ring = tgpu.alloc_ring : !tgpu.ring<3 x (..)>
//   tile.barrier
//   copy iterations 0 and 1 to slots 0 and 1, a group each
//   scf.for %k .. iter_args(%acc, %slot = 0) {
//     tgpu.copy_wait pending 1
//     copy iteration %k + 2 to the slot before %slot, where there is one
//     %a, %b = tgpu.ring_slot %ring[%slot]
//     %r = tgpu.mma %a, %b, %acc
//     the next slot follows, or is the first one
//   }
//
// Legal because nothing in the loop writes what the copies read, and because a
// slot is copied over only behind the barrier of the wait after its last use.
// The barrier before the loop is for what was written before it, and for the
// last uses of a ring that another loop, or this one, has had before. After the
// last iteration's wait no copy is under way.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Passes.h"

#include "target/nvidia/CopyPlan.h"
#include "target/nvidia/LoopAhead.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tesela::nvidia {
#define GEN_PASS_DEF_NVIDIACOPYFACTORS
#include "target/nvidia/Passes.h.inc"

namespace {

class FactorCopier {
public:
  FactorCopier(func::FuncOp kernel, const CopyPlan &plan)
      : kernel(kernel), plan(plan) {}

  void run();

private:
  void stage(Value tile, gpu::StagedType type);
  void pipeline(const CopiedLoop &copied);
  void copy(OpBuilder &b, const CopiedLoop &copied, Value induction,
            Value number, LoopAhead::Iteration iteration);
  Value factor(tile::DotOp dot, unsigned number);
  void multiply(tile::DotOp dot);

  func::FuncOp kernel;
  const CopyPlan &plan;
  SmallVector<Value> rings;
  /// By tile.
  DenseMap<Value, Value> staged;
};

Value i32(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
}

void FactorCopier::stage(Value tile, gpu::StagedType type) {
  OpBuilder b(kernel.getContext());
  b.setInsertionPointAfterValue(tile);
  staged[tile] = gpu::StageOp::create(b, tile.getLoc(), type, tile, Value(), 0);
}

/// Copies what the loop loads at an iteration, as one group.
void FactorCopier::copy(OpBuilder &b, const CopiedLoop &copied, Value induction,
                        Value number, LoopAhead::Iteration iteration) {
  Location loc = number.getLoc();
  auto slot = gpu::RingSlotOp::create(b, loc, TypeRange(copied.parts),
                                      rings[copied.ring], number);
  IRMapping mapping;
  mapping.map(induction, iteration.position);
  for (auto [load, part] : llvm::zip_equal(copied.loads, slot.getParts())) {
    tile::ViewLoadOp op = load;
    SmallVector<Operation *> slice =
        *CopiedLoop::slice(cast<scf::ForOp>(op->getParentOp()), op);
    for (Operation *needed : slice)
      if (!mapping.contains(needed->getResult(0)))
        b.clone(*needed, mapping);
    auto mapped = [&](ValueRange values) {
      return llvm::map_to_vector(
          values, [&](Value v) { return mapping.lookupOrDefault(v); });
    };
    Value mask = op.getMask() ? mapping.lookupOrDefault(op.getMask()) : Value();
    gpu::CopyViewOp::create(b, op.getLoc(),
                            mapping.lookupOrDefault(op.getBase()),
                            mapped(op.getOffsets()), mapped(op.getStrides()),
                            mapped(op.getBounds()), mask, part, iteration.when,
                            op.getBoundedAxes(), op.getType());
  }
  gpu::CopyCommitOp::create(b, loc);
}

void FactorCopier::pipeline(const CopiedLoop &copied) {
  scf::ForOp loop = copied.loop;
  Location loc = loop.getLoc();
  int64_t slots = plan.rings[copied.ring].slots;
  IRRewriter b(kernel.getContext());
  b.setInsertionPoint(loop);
  tile::BarrierOp::create(b, loc);
  LoopAhead ahead(loop);
  for (int64_t steps = 0; steps != slots - 1; ++steps)
    copy(b, copied, loop.getInductionVar(), i32(b, loc, steps),
         ahead.before(b, steps));

  // The body moves to a loop that counts slots, too.
  auto next = [&](OpBuilder &b, Location loc, ArrayRef<BlockArgument> slot) {
    Value after = arith::AddIOp::create(b, loc, slot[0], i32(b, loc, 1));
    Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, after,
                                        i32(b, loc, slots));
    return SmallVector<Value>{
        arith::SelectOp::create(b, loc, wraps, i32(b, loc, 0), after)};
  };
  auto counting = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      b, i32(b, loc, 0), /*replaceInitOperandUsesInLoop=*/false, next));
  Value slot = counting.getRegionIterArgs().back();

  Operation *first = nullptr;
  for (auto dot : counting.getBody()->getOps<tile::DotOp>())
    if (plan.dots.contains(dot) && !first)
      first = dot;
  b.setInsertionPoint(first);
  gpu::CopyWaitOp::create(b, loc, int32_t(slots - 2));
  auto parts = gpu::RingSlotOp::create(b, loc, TypeRange(copied.parts),
                                       rings[copied.ring], slot);
  for (auto [load, part] : llvm::zip_equal(copied.loads, parts.getParts())) {
    tile::ViewLoadOp op = load;
    staged[op.getResult()] = part;
  }
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, slot,
                                        i32(b, loc, 0));
  Value before = arith::SelectOp::create(
      b, loc, isFirst, i32(b, loc, slots - 1),
      arith::AddIOp::create(b, loc, slot, i32(b, loc, -1)).getResult());
  copy(b, copied, counting.getInductionVar(), before,
       LoopAhead(counting).within(b, slots - 1));
}

/// A factor in shared memory, or the tile in registers.
Value FactorCopier::factor(tile::DotOp dot, unsigned number) {
  Value tile = dot->getOperand(number);
  if (Value there = staged.lookup(tile))
    return there;
  FactorSource source = factorSource(tile);
  Value there = source.load && source.isTransposed
                    ? staged.lookup(source.load.getResult())
                    : Value();
  if (!there)
    return tile;
  auto from = cast<gpu::StagedType>(there.getType());
  auto type = gpu::StagedType::get(
      dot->getContext(), {from.getShape()[1], from.getShape()[0]},
      from.getElementType(), 1 - from.getAxis(), from.getSwizzle());
  OpBuilder b(dot);
  return gpu::TransposeOp::create(b, dot.getLoc(), type, there);
}

void FactorCopier::multiply(tile::DotOp dot) {
  OpBuilder b(dot);
  Value a = factor(dot, 0), bb = factor(dot, 1);
  dot.replaceAllUsesWith(
      gpu::MmaOp::create(b, dot.getLoc(), dot.getType(), a, bb, dot.getAcc())
          .getResult());
}

void FactorCopier::run() {
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.front());
  for (const RingPlan &ring : plan.rings)
    rings.push_back(gpu::AllocRingOp::create(
        b, kernel.getLoc(),
        gpu::RingType::get(b.getContext(), ring.slots, ring.parts)));
  for (auto [tile, type] : plan.staged)
    stage(tile, type);
  for (const CopiedLoop &copied : plan.loops)
    pipeline(copied);
  for (Operation *dot : plan.dots)
    multiply(cast<tile::DotOp>(dot));

  // Dots, then transpositions, then loads.
  for (Operation *dot : plan.dots)
    dot->erase();
  for (const CopiedLoop &copied : plan.loops)
    for (tile::ViewLoadOp load : copied.loads) {
      for (Operation *user : llvm::make_early_inc_range(load->getUsers()))
        user->erase();
      load->erase();
    }
}

struct NvidiaCopyFactors : impl::NvidiaCopyFactorsBase<NvidiaCopyFactors> {
  using NvidiaCopyFactorsBase::NvidiaCopyFactorsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    bool hasRoles = false;
    kernel.walk([&](gpu::RolesOp) { hasRoles = true; });
    if (!kernel->hasAttr(tile::kernelAttr) || hasRoles ||
        !kernel.getBody().hasOneBlock())
      return;
    CopyPlan plan =
        CopyPlanner(kernel, numWarps, numStages, capabilityOf(processor))
            .plan();
    if (!plan.dots.empty())
      FactorCopier(kernel, plan).run();
  }
};

} // namespace
} // namespace tesela::nvidia
