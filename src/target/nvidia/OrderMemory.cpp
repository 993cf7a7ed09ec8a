//===- OrderMemory.cpp - barriers between accesses of different threads ---===//
//
//   tile.store %p, %x : tensor<128x!tile.ptr<f32>, #a>, ..
//   %y = tile.load %p : tensor<128x!tile.ptr<f32>, #b>
//     ==>
//   the same with a tile.barrier between them
//
// A program instance does its accesses in order; its threads do theirs in an
// order of their own. Two accesses need no barrier where they touch nothing in
// common, where both read, where the first thread does both, or where each
// element is touched by the same thread both times. An atomic op that is an
// acquire or a release is ordered with the accesses of its own thread; a
// barrier is what orders it with those of the others. Walks the kernel with the
// accesses since the last barrier, and twice through loops, for those of the
// iteration before.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Passes.h"

#include "analysis/MemoryDependence.h"
#include "target/nvidia/Threads.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tesela::nvidia {
#define GEN_PASS_DEF_NVIDIAORDERMEMORY
#include "target/nvidia/Passes.h.inc"

using analysis::AccessRelation;

namespace {

using Accesses = llvm::SmallSetVector<Operation *, 8>;

bool isWrite(Operation *op) {
  return isa<tile::StoreOp, tile::ViewStoreOp>(op) || tile::isAtomic(op);
}

bool isAccess(Operation *op) {
  return isa<tile::LoadOp, tile::ViewLoadOp>(op) || isWrite(op);
}

RankedTensorType movedTile(Operation *op) {
  Type type = llvm::TypeSwitch<Operation *, Type>(op)
                  .Case<tile::ViewStoreOp, tile::StoreOp>(
                      [](auto store) { return store.getValue().getType(); })
                  .Default([](Operation *load) {
                    return load->getResult(0).getType();
                  });
  return dyn_cast<RankedTensorType>(type);
}

/// Whether the first thread does it for all.
bool isByFirstThread(Operation *op) { return isWrite(op) && !movedTile(op); }

/// Whether element i of both is touched by one thread, and by no other.
bool isSameThread(Operation *lhs, Operation *rhs) {
  RankedTensorType a = movedTile(lhs), b = movedTile(rhs);
  if (!a || !b || a.getShape() != b.getShape() ||
      a.getEncoding() != b.getEncoding())
    return false;
  layout::Place free = layoutOf(a).freeBits();
  return free.lane == 0 && free.warp == 0;
}

class Orderer {
public:
  void run(Block &block, Accesses &pending, bool isRepeated) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isa<tile::BarrierOp>(op)) {
        pending.clear();
        continue;
      }
      if (isAccess(&op)) {
        visit(&op, pending, isRepeated);
        continue;
      }
      if (op.getNumRegions() == 0 || isa<tile::ReduceOp, tile::ScanOp>(op))
        continue;
      bool isLoop = isa<LoopLikeOpInterface>(op);
      Accesses after = pending;
      for (Region &region : op.getRegions())
        for (Block &inner : region) {
          Accesses inside = isLoop ? after : pending;
          run(inner, inside, isRepeated);
          after.insert_range(inside);
        }
      if (isLoop)
        for (Region &region : op.getRegions())
          for (Block &inner : region) {
            Accesses inside = after;
            run(inner, inside, /*isRepeated=*/true);
          }
      pending = after;
    }
  }

private:
  void visit(Operation *op, Accesses &pending, bool isRepeated) {
    for (Operation *earlier : pending)
      if (conflict(earlier, op, isRepeated)) {
        OpBuilder b(op);
        tile::BarrierOp::create(b, op->getLoc());
        pending.clear();
        break;
      }
    pending.insert(op);
  }

  bool conflict(Operation *earlier, Operation *later, bool isRepeated) {
    if (!isWrite(earlier) && !isWrite(later))
      return false;
    if (isByFirstThread(earlier) && isByFirstThread(later))
      return false;
    switch (analysis::accessRelation(earlier, later)) {
    case AccessRelation::NoAlias:
      return false;
    case AccessRelation::SameCoordinates:
      // Says nothing of what different iterations touch.
      return isRepeated || !isSameThread(earlier, later);
    case AccessRelation::MayAlias:
      return true;
    }
    llvm_unreachable("no such relation");
  }
};

struct NvidiaOrderMemory : impl::NvidiaOrderMemoryBase<NvidiaOrderMemory> {
  void runOnOperation() override {
    if (!getOperation()->hasAttr(tile::kernelAttr))
      return;
    Accesses pending;
    Orderer().run(getOperation().getBody().front(), pending, false);
  }
};

} // namespace
} // namespace tesela::nvidia
