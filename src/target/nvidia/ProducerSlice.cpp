//===- ProducerSlice.cpp - the part of a kernel that its producer runs ----===//
//
//   scf.for %k .. iter_args(%acc) {           scf.for %k .. {
//     %c = arith.extsi %k                       %c = arith.extsi %k
//     %a = tile.view_load %p[%m, %c]    ==>     tgpu.ring_fill %r maps(%map)
//     %r = tile.dot %a, ..                          at [%c, %m] ranks [2]
//     scf.yield %r                            }
//   }
//
// Values are followed backwards from the coordinates and from what decides
// about the fills; the rest of the kernel is left out. Loads of numbers stay,
// where nothing may have written what they read.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/ProducerSlice.h"

#include "target/nvidia/TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tesela::nvidia {

/// Whether the kernel may write memory before a load, or in a loop around it.
static bool mayBeWritten(func::FuncOp kernel, Operation *load) {
  Operation *reads = kernel.front().findAncestorOpInBlock(*load);
  auto found = kernel.walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isMemoryEffectFree(op) || hasSingleEffect<MemoryEffects::Read>(op))
      return WalkResult::advance();
    Operation *writes = kernel.front().findAncestorOpInBlock(*op);
    return writes == reads || writes->isBeforeInBlock(reads)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return found.wasInterrupted();
}

bool ProducerSlice::needControl(Operation *op) {
  for (; !isa<func::FuncOp>(op); op = op->getParentOp()) {
    if (!control.insert(op).second)
      return true;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (!need(loop.getLowerBound()) || !need(loop.getUpperBound()) ||
          !need(loop.getStep()))
        return false;
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (!need(branch.getCondition()))
        return false;
    } else {
      return fail("its copies stand in control flow other than loops over "
                  "ranges and branches");
    }
  }
  return true;
}

bool ProducerSlice::need(Value value) {
  if (!needed.insert(value).second)
    return true;
  if (isa<ShapedType>(value.getType()))
    return fail("its copies depend on a tile");
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (isa<func::FuncOp>(argument.getOwner()->getParentOp()))
      return true;
    if (!loop)
      return fail("its copies depend on what a loop without a range carries");
    if (!needControl(loop))
      return false;
    if (argument.getArgNumber() == 0)
      return true;
    unsigned number = argument.getArgNumber() - 1;
    return need(loop.getInitArgs()[number]) &&
           need(loop.getYieldedValues()[number]);
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return needControl(loop) && need(loop.getRegionIterArgs()[number]);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return needControl(branch) &&
           need(branch.thenYield()->getOperand(number)) &&
           need(branch.elseYield()->getOperand(number));
  auto load = dyn_cast<tile::LoadOp>(op);
  if (load ? load.getIsVolatile() || mayBeWritten(kernel, load)
           : op->getNumRegions() != 0 || !isPure(op))
    return fail("its copies depend on what only the consumers may compute");
  if (!isa<func::FuncOp>(op->getParentOp()) && !needControl(op->getParentOp()))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value v) { return need(v); });
}

bool ProducerSlice::analyse(std::string &reason) {
  bool possible = true;
  for (auto [number, group] : llvm::enumerate(plan.groups)) {
    Operation *last = group.loads.front();
    for (tile::ViewLoadOp load : group.loads)
      if (last->isBeforeInBlock(load))
        last = load;
    fillAfter[last] = number;
    Operation *parent = last->getParentOp();
    possible = possible && (isa<func::FuncOp>(parent) || needControl(parent));
    for (const BulkCopy &copy : group.copies)
      for (const BulkCopy::Dimension &dimension : copy.dimensions)
        possible = possible && need(dimension.coordinate);
  }
  reason = whyNot;
  return possible;
}

SmallVector<unsigned> ProducerSlice::neededResults(Operation *op) {
  SmallVector<unsigned> numbers;
  for (OpResult result : op->getResults()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    unsigned number = result.getResultNumber();
    if (needed.contains(result) ||
        (loop && needed.contains(loop.getRegionIterArgs()[number])))
      numbers.push_back(number);
  }
  return numbers;
}

void ProducerSlice::emitFor(scf::ForOp loop) {
  SmallVector<unsigned> numbers = neededResults(loop);
  SmallVector<Value> inits;
  for (unsigned number : numbers)
    inits.push_back(mapping.lookup(loop.getInitArgs()[number]));
  auto copy = scf::ForOp::create(*builder, loop.getLoc(),
                                 mapping.lookup(loop.getLowerBound()),
                                 mapping.lookup(loop.getUpperBound()),
                                 mapping.lookup(loop.getStep()), inits);
  copy.setUnsignedCmp(loop.getUnsignedCmp());
  mapping.map(loop.getInductionVar(), copy.getInductionVar());
  for (auto [i, number] : llvm::enumerate(numbers)) {
    mapping.map(loop.getRegionIterArgs()[number], copy.getRegionIterArgs()[i]);
    mapping.map(loop.getResult(number), copy.getResult(i));
  }
  OpBuilder::InsertionGuard guard(*builder);
  // Without results a terminator is there already.
  if (numbers.empty())
    copy.getBody()->getTerminator()->erase();
  builder->setInsertionPointToEnd(copy.getBody());
  emitBlock(*loop.getBody());
  SmallVector<Value> yields;
  for (unsigned number : numbers)
    yields.push_back(mapping.lookup(loop.getYieldedValues()[number]));
  scf::YieldOp::create(*builder, loop.getLoc(), yields);
}

void ProducerSlice::emitIf(scf::IfOp branch) {
  SmallVector<unsigned> numbers = neededResults(branch);
  SmallVector<Type> types;
  for (unsigned number : numbers)
    types.push_back(branch.getResult(number).getType());
  bool hasElse = !branch.getElseRegion().empty();
  auto copy = scf::IfOp::create(*builder, branch.getLoc(), types,
                                mapping.lookup(branch.getCondition()), hasElse);
  OpBuilder::InsertionGuard guard(*builder);
  for (auto [from, to] : llvm::zip(branch->getRegions(), copy->getRegions())) {
    if (from.empty())
      continue;
    Block &block = to.front();
    if (!block.empty())
      block.clear();
    builder->setInsertionPointToEnd(&block);
    emitBlock(from.front());
    SmallVector<Value> yields;
    for (unsigned number : numbers)
      yields.push_back(
          mapping.lookup(from.front().getTerminator()->getOperand(number)));
    scf::YieldOp::create(*builder, branch.getLoc(), yields);
  }
  for (auto [i, number] : llvm::enumerate(numbers))
    mapping.map(branch.getResult(number), copy.getResult(i));
}

void ProducerSlice::emitFill(unsigned number) {
  const SlotGroup &group = plan.groups[number];
  SmallVector<Value> coordinates;
  SmallVector<int32_t> ranks;
  for (const BulkCopy &copy : group.copies) {
    ranks.push_back(copy.dimensions.size());
    for (const BulkCopy::Dimension &dimension : copy.dimensions)
      coordinates.push_back(
          boxCoordinate(*builder, mapping.lookup(dimension.coordinate)));
  }
  gpu::RingFillOp::create(*builder, group.first()->getLoc(), rings[group.ring],
                          maps[number], coordinates, ranks);
}

void ProducerSlice::emitBlock(Block &block) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      break;
    if (auto found = fillAfter.find(&op); found != fillAfter.end()) {
      emitFill(found->second);
      continue;
    }
    if (control.contains(&op)) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        emitFor(loop);
      else
        emitIf(cast<scf::IfOp>(op));
      continue;
    }
    bool isNeeded = llvm::any_of(
        op.getResults(), [&](Value result) { return needed.contains(result); });
    if (isNeeded)
      builder->clone(op, mapping);
  }
}

void ProducerSlice::emit(OpBuilder &into, Block &body,
                         ArrayRef<Value> ringValues,
                         ArrayRef<SmallVector<Value>> mapValues) {
  builder = &into;
  rings = ringValues;
  maps = mapValues;
  for (Value argument : kernel.getArguments())
    mapping.map(argument, argument);
  emitBlock(body);
}

} // namespace tesela::nvidia
