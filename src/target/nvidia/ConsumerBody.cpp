//===- ConsumerBody.cpp - the part of a kernel that its consumers run -----===//
//
//   scf.for .. iter_args(%acc) {          %l = scf.for .. iter_args(%acc) {
//     %a = tile.view_load ..                %a, %b = tgpu.ring_take %r
//     %b = tile.view_load ..         ==>    %p = tgpu.wgmma %a, %b, %acc
//     %r = tile.dot %a, %b, %acc            %w = tgpu.wgmma_wait %p pending 1
//     scf.yield %r                          tgpu.ring_release %r keep 1
//   }                                       scf.yield %w
//                                         }
//                                         %x = tgpu.wgmma_wait %l pending 0
//                                         tgpu.ring_release %r
//
// Where a loop does more with its products than to add to them, each is waited
// for at once. A slot is taken before the first op that reads it and released
// when the last product that does is finished.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/ConsumerBody.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tesela::nvidia {

namespace {

class ConsumerBody {
public:
  ConsumerBody(const WarpPlan &plan, ArrayRef<Value> rings)
      : plan(plan), rings(rings) {}

  void run();

private:
  void take(const SlotGroup &group);
  Value factor(tile::DotOp dot, unsigned number);
  void multiply(tile::DotOp dot, bool staysUnderWay);
  void waitAfterLoop(scf::ForOp loop);
  void release(const SlotGroup &group);

  const WarpPlan &plan;
  ArrayRef<Value> rings;
  llvm::SetVector<Operation *> loops;
  llvm::DenseMap<Value, Value> staged;
  /// The wait after which a dot's product is finished.
  llvm::DenseMap<Operation *, Operation *> finished;
};

/// The op of `block` that is or contains one of `ops`, the first or the last.
Operation *outermost(Block *block, ArrayRef<Operation *> ops, bool last) {
  Operation *result = nullptr;
  for (Operation *op : ops) {
    Operation *at = block->findAncestorOpInBlock(*op);
    if (!result ||
        (last ? result->isBeforeInBlock(at) : at->isBeforeInBlock(result)))
      result = at;
  }
  return result;
}

void ConsumerBody::take(const SlotGroup &group) {
  Operation *first = outermost(group.block(), group.dots.getArrayRef(), false);
  OpBuilder builder(first);
  auto taken =
      gpu::RingTakeOp::create(builder, group.first()->getLoc(),
                              TypeRange(group.parts), rings[group.ring]);
  for (auto [load, part] : llvm::zip(group.loads, taken.getParts())) {
    tile::ViewLoadOp op = load;
    staged[op.getResult()] = part;
  }
}

/// A factor in shared memory, or the tile in registers.
Value ConsumerBody::factor(tile::DotOp dot, unsigned number) {
  OpBuilder builder(dot);
  Value tile = dot->getOperand(number);
  StagedFactors own = plan.staged.lookup(dot);
  if (gpu::StagedType type = number == 0 ? own.a : own.b)
    return gpu::StageOp::create(builder, tile.getLoc(), type, tile,
                                own.ring ? rings[*own.ring] : Value(),
                                own.ring && number == 1 ? own.offsetOfB() : 0);
  FactorSource source = factorSource(tile);
  auto found =
      source.load ? staged.find(source.load.getResult()) : staged.end();
  if (found == staged.end())
    return tile;
  if (!source.isTransposed)
    return found->second;
  auto from = cast<gpu::StagedType>(found->second.getType());
  auto type = gpu::StagedType::get(
      dot->getContext(), {from.getShape()[1], from.getShape()[0]},
      from.getElementType(), 1 - from.getAxis(), from.getSwizzle());
  return gpu::TransposeOp::create(builder, tile.getLoc(), type, found->second);
}

void ConsumerBody::multiply(tile::DotOp dot, bool staysUnderWay) {
  OpBuilder builder(dot);
  Value product =
      gpu::WgmmaOp::create(builder, dot.getLoc(), dot.getType(), factor(dot, 0),
                           factor(dot, 1), dot.getAcc());
  if (staysUnderWay) {
    dot.getResult().replaceAllUsesWith(product);
    return;
  }
  auto wait = gpu::WgmmaWaitOp::create(
      builder, dot.getLoc(), TypeRange(dot.getType()), ValueRange(product), 0);
  dot.getResult().replaceAllUsesWith(wait.getResult(0));
  finished[dot] = wait;
}

/// The products of an iteration are under way while the next one starts its
/// own; those of the last are finished after the loop.
void ConsumerBody::waitAfterLoop(scf::ForOp loop) {
  SmallVector<unsigned> numbers;
  SmallVector<Value> inside, after;
  Operation *yield = loop.getBody()->getTerminator();
  for (OpOperand &operand : yield->getOpOperands())
    if (operand.get().getDefiningOp<gpu::WgmmaOp>()) {
      numbers.push_back(operand.getOperandNumber());
      inside.push_back(operand.get());
      after.push_back(loop.getResult(operand.getOperandNumber()));
    }
  OpBuilder builder(yield);
  auto wait = gpu::WgmmaWaitOp::create(builder, yield->getLoc(),
                                       ValueRange(inside).getTypes(), inside,
                                       int32_t(inside.size()));
  for (auto [number, value] : llvm::zip(numbers, wait.getResults()))
    yield->setOperand(number, value);
  builder.setInsertionPointAfter(loop);
  auto last = gpu::WgmmaWaitOp::create(builder, loop.getLoc(),
                                       ValueRange(after).getTypes(), after, 0);
  for (auto [before, value] : llvm::zip(after, last.getResults()))
    before.replaceAllUsesExcept(value, last);
  for (Operation *dot : plan.dots)
    if (dot->getBlock() == loop.getBody())
      finished[dot] = last;
}

void ConsumerBody::release(const SlotGroup &group) {
  Value ring = rings[group.ring];
  Location loc = group.first()->getLoc();
  SmallVector<Operation *> waits;
  for (Operation *dot : group.dots)
    waits.push_back(finished[dot]);
  if (loops.contains(group.block()->getParentOp())) {
    OpBuilder builder(group.block()->getTerminator());
    gpu::RingReleaseOp::create(builder, loc, ring, 1);
    builder.setInsertionPointAfter(waits.front());
    gpu::RingReleaseOp::create(builder, loc, ring, 0);
    return;
  }
  OpBuilder builder(group.block()->getParentOp()->getContext());
  builder.setInsertionPointAfter(outermost(group.block(), waits, true));
  gpu::RingReleaseOp::create(builder, loc, ring, 0);
}

void ConsumerBody::run() {
  for (Operation *dot : plan.dots)
    if (auto loop = dyn_cast<scf::ForOp>(dot->getParentOp()))
      if (keepsProductsUnderWay(loop, plan))
        loops.insert(loop);
  for (const SlotGroup &group : plan.groups)
    take(group);
  for (Operation *dot : plan.dots)
    multiply(cast<tile::DotOp>(dot), loops.contains(dot->getParentOp()));
  for (Operation *loop : loops)
    waitAfterLoop(cast<scf::ForOp>(loop));
  for (const SlotGroup &group : plan.groups)
    release(group);

  SmallVector<Operation *> dead(plan.dots.begin(), plan.dots.end());
  for (const SlotGroup &group : plan.groups)
    for (tile::ViewLoadOp load : group.loads) {
      dead.append(load->getUsers().begin(), load->getUsers().end());
      dead.push_back(load);
    }
  llvm::SetVector<Operation *> all(dead.begin(), dead.end());
  // Dots, then transpositions, then loads.
  for (Operation *op : plan.dots)
    op->erase();
  for (Operation *op : all)
    if (!plan.dots.contains(op) && !isa<tile::ViewLoadOp>(op))
      op->erase();
  for (const SlotGroup &group : plan.groups)
    for (tile::ViewLoadOp load : group.loads)
      load->erase();
}

} // namespace

void rewriteConsumers(const WarpPlan &plan, ArrayRef<Value> rings) {
  ConsumerBody(plan, rings).run();
}

} // namespace tesela::nvidia
