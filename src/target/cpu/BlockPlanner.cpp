//===- BlockPlanner.cpp - distributes one block's work over nests ---------===//
//
// Ops are taken in program order. Each root (a store, a reduction, a tile to be
// kept) goes into the first nest over its index space that comes late enough:
// after the steps that make what it reads, except that a tile made in the same
// nest at the same indices is at hand in registers, and after the accesses to
// memory that must come first. Scalar ops go before the first step they can.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/BlockPlanner.h"

#include "analysis/MemoryDependence.h"
#include "dialect/tile/Tile.h"
#include "target/cpu/Atomics.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tesela::analysis;

namespace tesela::cpu {

SmallVector<std::pair<Value, Value>> carriedInits(Operation *op) {
  SmallVector<std::pair<Value, Value>> result;
  ValueRange inits, arguments;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    inits = loop.getInitArgs();
    arguments = loop.getRegionIterArgs();
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    inits = loop.getInits();
    arguments = loop.getBeforeArguments();
  }
  for (auto [init, argument] : llvm::zip(inits, arguments))
    if (isTile(init))
      result.emplace_back(init, argument);
  return result;
}

SmallVector<std::pair<Value, Value>> carriedYields(Operation *terminator) {
  SmallVector<std::pair<Value, Value>> result;
  Operation *parent = terminator->getParentOp();
  ValueRange values = terminator->getOperands();
  ValueRange targets = parent->getResults();
  if (auto condition = dyn_cast<scf::ConditionOp>(terminator)) {
    values = condition.getArgs();
    targets = cast<scf::WhileOp>(parent).getAfterArguments();
  } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    targets = loop.getBeforeArguments();
  } else if (isa<FunctionOpInterface>(parent)) {
    return result;
  }
  for (auto [value, target] : llvm::zip(values, targets))
    if (isTile(value))
      result.emplace_back(value, target);
  return result;
}

/// The value of what writes memory comes first.
SmallVector<Value> Root::tiles() const {
  if (kind == Copy)
    return source ? SmallVector<Value>{source} : SmallVector<Value>{};
  if (auto store = dyn_cast<tile::ViewStoreOp>(op)) {
    SmallVector<Value> result{store.getValue()};
    if (store.getMask())
      result.push_back(store.getMask());
    return result;
  }
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    SmallVector<Value> result{store.getValue(), store.getPtr()};
    if (store.getMask())
      result.push_back(store.getMask());
    return result;
  }
  if (tile::isAtomic(op))
    return atomicOperands(op);
  return SmallVector<Value>(op->getOperands());
}

int BlockPlanner::appendStep(Step step) {
  plan.steps.push_back(std::move(step));
  plan.scalars.emplace_back();
  return stepCount() - 1;
}

/// A load comes after the writes before it that may change what it reads.
void BlockPlanner::afterWrites(Needs &needs, Operation *load, bool isIdentity) {
  for (const MemoryEvent &event : events) {
    if (!event.isWrite ||
        planning.order.lookup(event.op) > planning.order.lookup(load))
      continue;
    if (accessRelation(event.op, load) != AccessRelation::NoAlias)
      needs.earliest = std::max(needs.earliest, event.step + 1);
  }
  needs.loads.push_back({load, 0, false, isIdentity});
}

/// The first step for what writes memory: after the loads and stores before it
/// that may touch the same memory, or with them where they do so at the same
/// indices.
int BlockPlanner::afterConflicts(Operation *store) {
  int earliest = 0;
  for (const MemoryEvent &event : events) {
    if (planning.order.lookup(event.op) > planning.order.lookup(store) ||
        planning.plan.detourAround(event.op) == store)
      continue;
    AccessRelation relation = accessRelation(event.op, store);
    if (relation == AccessRelation::NoAlias)
      continue;
    bool inStep =
        relation == AccessRelation::SameCoordinates && event.isIdentity;
    earliest = std::max(earliest, event.step + (inStep ? 0 : 1));
  }
  return earliest;
}

void BlockPlanner::require(Needs &needs, Value tile, ArrayRef<int> axes,
                           ArrayRef<int64_t> nestShape, bool computesItself) {
  std::pair<Value, AxisMap> key(tile, AxisMap(axes));
  if (llvm::is_contained(needs.seen, key))
    return;
  needs.seen.push_back(key);
  auto notBefore = [&](int step) {
    needs.earliest = std::max(needs.earliest, step);
  };
  bool identity = isIdentity(axes, shapeOf(tile), nestShape);

  Home *home = planning.plan.homeOf(tile);
  if (home && !computesItself) {
    needs.reads.push_back({home, 0, identity});
    auto stored = storedBy.find(tile);
    if (identity && stored != storedBy.end())
      notBefore(stored->second);
    else
      notBefore(available.lookup(tile));
    return;
  }

  Operation *op = tile.getDefiningOp();
  if (!op)
    return;
  int64_t own = 1, nest = 1;
  for (int64_t extent : shapeOf(tile))
    own *= extent;
  for (int64_t extent : nestShape)
    nest *= extent;
  needs.fused.emplace_back(tile, own < nest);
  for (Value operand : op->getOperands())
    if (!isTile(operand))
      notBefore(available.lookup(operand));
  if (isa<tile::LoadOp, tile::ViewLoadOp>(op))
    afterWrites(needs, op, identity);
  // Any element may be asked for: all of the source is there before.
  auto gather = dyn_cast<tile::GatherOp>(op);
  if (gather) {
    Value source = gather.getSource();
    needs.reads.push_back({planning.plan.homeOf(source), 0, false});
    notBefore(available.lookup(source));
  }
  forEachTileOperand(tile, axes, [&](Value operand, ArrayRef<int> map) {
    if (!gather || operand == gather.getIndices())
      require(needs, operand, map, nestShape, /*computesItself=*/false);
  });
}

void BlockPlanner::record(const Needs &needs, int step) {
  for (MemoryEvent load : needs.loads) {
    load.step = step;
    events.push_back(load);
  }
  for (HomeRead read : needs.reads) {
    read.step = step;
    homeReads.push_back(read);
  }
  for (auto [tile, repeated] : needs.fused)
    planning.evaluations.push_back({tile, &block, step, repeated});
}

/// Puts a root into a nest, not before step `earliest`; gives the step.
int BlockPlanner::place(Root root, int earliest) {
  Needs needs;
  needs.earliest = earliest;
  SmallVector<Value> tiles = root.tiles();
  ArrayRef<int64_t> shape = shapeOf(tiles.front());
  for (Value tile : tiles) {
    bool itself =
        root.kind == Root::Copy && root.target == planning.plan.homeOf(tile);
    require(needs, tile, identityMap(shapeOf(tile).size()), shape, itself);
  }
  if (root.op) {
    for (Value operand : root.op->getOperands())
      if (!isTile(operand))
        needs.earliest = std::max(needs.earliest, available.lookup(operand));
    // The offsets of an indexed axis of a store.
    if (auto store = dyn_cast<tile::ViewStoreOp>(root.op))
      for (auto [axis, offset] : llvm::enumerate(store.getOffsets()))
        if (isTile(offset))
          require(needs, offset, AxisMap{int(axis)}, shape, false);
  }
  bool writes = root.kind == Root::Store || root.kind == Root::Atomic;
  if (writes)
    needs.earliest = std::max(needs.earliest, afterConflicts(root.op));

  bool isAlone =
      root.kind == Root::Scan ||
      (root.target && (root.target->isOptional || root.target->isPaired));
  auto takes = [&](const Step &nest) {
    return nest.kind == Step::Nest && nest.shape == shape && !nest.isAlone &&
           !isAlone;
  };
  int step = needs.earliest;
  while (step < stepCount() && !takes(plan.steps[step]))
    ++step;
  if (step == stepCount()) {
    Step nest{Step::Nest};
    nest.isAlone = isAlone;
    nest.shape.assign(shape.begin(), shape.end());
    step = appendStep(std::move(nest));
  }
  record(needs, step);
  if (writes) {
    events.push_back({root.op, step, true, true});
    for (auto [load, store] : planning.plan.storesAround)
      if (store == root.op)
        plan.detours[step].push_back(load);
  }
  plan.steps[step].roots.push_back(std::move(root));
  return step;
}

/// A tile is there to be fused: make the copies of it that are wanted.
void BlockPlanner::planTile(Value tile) {
  Operation *op = tile.getDefiningOp();
  Home *home = planning.plan.homeOf(tile);
  if (home && op && !available.count(tile)) {
    int step = place({Root::Copy, nullptr, tile, home});
    storedBy[tile] = step;
    available[tile] = step + 1;
  }
  for (Home *copy : planning.copiesOf.lookup(tile))
    place({Root::Copy, nullptr, tile, copy});
}

void BlockPlanner::planScalar(Operation *op) {
  int step = 0;
  for (Value operand : op->getOperands())
    step = std::max(step, available.lookup(operand));
  if (isa<tile::LoadOp>(op)) {
    Needs needs;
    needs.earliest = step;
    afterWrites(needs, op, false);
    step = needs.earliest;
    events.push_back({op, step - 1, false, false});
  }
  plan.scalars[step].push_back(op);
  for (Value result : op->getResults())
    available[result] = step;
}

void BlockPlanner::planDot(Operation *op) {
  auto dot = cast<tile::DotOp>(op);
  Needs needs;
  Value acc = dot.getAcc();
  require(needs, acc, identityMap(shapeOf(acc).size()), shapeOf(acc), false);
  needs.reads.push_back({planning.plan.dotOperand(op, 0), 0, false});
  if (planning.plan.isStreamed(op)) {
    Value right = dot.getB();
    require(needs, right, identityMap(2), shapeOf(right), false);
    for (MemoryEvent &load : needs.loads)
      load.isIdentity = false;
  } else {
    needs.reads.push_back({planning.plan.dotOperand(op, 1), 0, false});
  }
  int step = appendStep({Step::Dot, op});
  record(needs, step);
  available[dot.getResult()] = step + 1;
}

void BlockPlanner::planRegions(Operation *op) {
  for (auto [init, argument] : carriedInits(op))
    if (Home *home = planning.plan.homeOf(argument);
        home != planning.plan.homeOf(init))
      place({Root::Copy, nullptr, init, home});
  int step = appendStep({Step::Single, op});
  for (Region &region : op->getRegions()) {
    for (Block &inner : region) {
      BlockPlanner planner(planning, inner);
      planner.run();
      for (MemoryEvent event : planner.events)
        events.push_back({event.op, step, event.isWrite, false});
      for (HomeRead read : planner.homeReads)
        homeReads.push_back({read.home, step, false});
    }
  }
  for (Value result : op->getResults())
    available[result] = step + 1;
}

void BlockPlanner::planOp(Operation *op) {
  bool touchesTiles = llvm::any_of(op->getOperandTypes(),
                                   [](Type type) { return isTile(type); }) ||
                      llvm::any_of(op->getResultTypes(),
                                   [](Type type) { return isTile(type); });
  auto placeRoot = [&](Root::Kind kind) {
    int step = place({kind, op});
    for (Value result : op->getResults())
      available[result] = step + 1;
  };
  if (isa<tile::ReduceOp>(op)) {
    placeRoot(Root::Reduce);
  } else if (isa<tile::ScanOp>(op)) {
    placeRoot(Root::Scan);
  } else if (tile::isAtomic(op) && touchesTiles) {
    placeRoot(Root::Atomic);
  } else if (isa<tile::DotOp>(op)) {
    for (Value operand : op->getOperands())
      if (isa<BlockArgument>(operand))
        planTile(operand);
    if (planning.plan.isDeferred(op))
      available[op->getResult(0)] = 0;
    else
      planDot(op);
  } else if (op->getNumRegions() != 0) {
    planRegions(op);
  } else if (isa<tile::StoreOp, tile::ViewStoreOp>(op) && touchesTiles) {
    place({Root::Store, op});
  } else if (isa<tile::StoreOp, tile::BarrierOp>(op) || tile::isAtomic(op)) {
    // Afterwards nothing may slip in front of it.
    int step = appendStep({Step::Single, op});
    events.push_back({op, step, true, false});
    for (Value result : op->getResults())
      available[result] = step + 1;
  } else if (!touchesTiles) {
    planScalar(op);
    return;
  }
  for (Value result : op->getResults())
    if (isTile(result))
      planTile(result);
}

/// Lets the step that stores `tile` write to `target` instead, where nothing
/// reads the old contents of `target` later.
bool BlockPlanner::writeInPlace(Value tile, Home *target) {
  Operation *op = tile.getDefiningOp();
  Home *home = planning.plan.homeOf(tile);
  if (!op || op->getBlock() != &block || !home ||
      (op->getNumRegions() != 0 && !isa<tile::ReduceOp>(op)) ||
      home->element != target->element)
    return false;
  int writer = available.lookup(tile) - 1;
  if (auto stored = storedBy.find(tile); stored != storedBy.end())
    writer = stored->second;
  for (const HomeRead &read : homeReads)
    if (read.home == target &&
        (read.step > writer || (read.step == writer && !read.isIdentity)))
      return false;
  for (Step &step : plan.steps)
    for (Root &root : step.roots)
      if (root.target == home)
        root.target = target;
  for (auto &[key, operandHome] : planning.plan.operandHomes)
    if (operandHome == home)
      operandHome = target;
  for (HomeRead &read : homeReads)
    if (read.home == home)
      read.home = target;
  // Rows that are read as one stretch stay so.
  if (home->strides != target->strides) {
    bool isPadded = target->bytes > home->bytes;
    if (isPadded) {
      target->strides = home->strides;
      target->bytes = home->bytes;
    }
  }
  planning.plan.homes[tile] = target;
  return true;
}

void BlockPlanner::planTerminator(Operation *op) {
  SmallVector<std::pair<Value, Home *>> copies;
  llvm::SmallPtrSet<Home *, 4> targets;
  for (auto [value, target] : carriedYields(op)) {
    Home *home = planning.plan.homeOf(target);
    targets.insert(home);
    if (planning.plan.homeOf(value) != home)
      copies.emplace_back(value, home);
  }
  // A tile that is handed on twice keeps its own home, and so does one whose
  // target is handed on to another.
  llvm::SmallDenseMap<Value, int> handedOn;
  llvm::SmallPtrSet<Home *, 4> stillRead;
  for (auto [value, target] : copies) {
    ++handedOn[value];
    stillRead.insert(planning.plan.homeOf(value));
  }
  llvm::erase_if(copies, [&](std::pair<Value, Home *> copy) {
    return handedOn[copy.first] == 1 && !stillRead.contains(copy.second) &&
           writeInPlace(copy.first, copy.second);
  });

  // What another target still holds is read before any is written.
  int earliest = stepCount();
  SmallVector<std::pair<Value, Home *>> fromTargets;
  for (auto [value, target] : copies)
    if (targets.contains(planning.plan.homeOf(value)))
      fromTargets.emplace_back(value, target);
  if (fromTargets.empty()) {
    for (auto [value, target] : copies)
      place({Root::Copy, nullptr, value, target}, earliest);
    return;
  }
  SmallVector<std::pair<Home *, Home *>> moves;
  for (auto &[value, target] : copies) {
    Home *between = planning.plan.newHome(target->shape, target->element,
                                          /*padRows=*/false);
    place({Root::Copy, nullptr, value, between}, earliest);
    moves.emplace_back(between, target);
  }
  for (auto [from, to] : moves) {
    Step step{Step::Nest};
    step.shape = to->shape;
    Root root{Root::Copy};
    root.fromHome = from;
    root.target = to;
    step.roots.push_back(root);
    appendStep(std::move(step));
  }
}

void BlockPlanner::run() {
  for (Value argument : block.getArguments())
    if (isTile(argument) &&
        !isa_and_nonnull<tile::ReduceOp, tile::ScanOp>(block.getParentOp()))
      available[argument] = 0;
  for (Operation &op : block.without_terminator())
    planOp(&op);
  planTerminator(block.getTerminator());
}

} // namespace tesela::cpu
