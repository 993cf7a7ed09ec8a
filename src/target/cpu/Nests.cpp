//===- Nests.cpp - loops over an index space, slice by slice --------------===//
//
//   %m = tile.reduce(max) %x axis 1                 (x bounded along axis 1)
//     ==>
//   for %i = 0 to rows {
//     %a = for %j = 0 to %whole step 16 iter_args(%a = neutral) {
//       max(%a, load %x[%i, %j ..])                    no masks
//     }
//     %b = for %j = %whole to columns step 16 iter_args(%b = %a) {
//       max(%b, masked load %x[%i, %j ..] else other)
//     }
//     store combined lanes of %b, %m[%i]
//   }
//
// `%whole` is where the first bound of any access ends, or 0 in a row that some
// access has none of. Where a nest only stores, the second loop ends with the
// last element that exists.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Nests.h"

#include "target/cpu/Atomics.h"
#include "target/cpu/Pointwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tesela::cpu {
namespace {

class NestEmitter {
public:
  NestEmitter(LoweringState &state, const Step &step, NestShape shape)
      : state(state), step(step), shape(shape), slices(state), b(state.b),
        loc(locationOf(step)), index(step.shape.size()),
        positions(step.shape.size()) {
    if (step.roots.front().kind == Root::Scan)
      scan = cast<tile::ScanOp>(step.roots.front().op);
  }

  void run();

private:
  /// A bounded view and how its axes run along the loops.
  struct BoundedView {
    Operation *op;
    ArrayRef<int32_t> axes;
    ValueRange offsets;
    AxisMap map;
  };

  static Location locationOf(const Step &step) {
    const Root &root = step.roots.front();
    if (root.op)
      return root.op->getLoc();
    return root.source ? root.source.getLoc()
                       : UnknownLoc::get(root.target->element.getContext());
  }

  int64_t stride() const { return std::max<int64_t>(shape.lanes, 1); }
  Slice slice() const {
    return {index, shape.lanes ? shape.axis : -1, shape.lanes};
  }
  bool isStoreOnly() const {
    return llvm::all_of(step.roots, [](const Root &root) {
      return isa_and_nonnull<tile::ViewStoreOp>(root.op);
    });
  }

  void findViews(Value tile, ArrayRef<int> axes, bool computesItself);
  void addView(Operation *op, ArrayRef<int32_t> axes, ValueRange offsets,
               ArrayRef<int> map);
  Value roundDown(Value value);
  Value rowExists(const BoundedView &view);
  Value wholeEnd();
  Value storeEnd();
  void cover();
  SmallVector<Value> loop(Value from, Value to, ValueRange accumulators);
  SmallVector<Value> body(ValueRange accumulators);
  void reduceInMemory(tile::ReduceOp reduce, ValueRange values);
  void scanInMemory(ValueRange values);
  void changeMemory(Operation *atomic, ValueRange values);
  Value indexAt(int axis, Value position);
  void finishReductions(ValueRange accumulators);

  LoweringState &state;
  const Step &step;
  NestShape shape;
  Slices slices;
  OpBuilder &b;
  Location loc;
  /// Of the current element, one for each axis, and how far the loops have
  /// come; these differ along the axis of a reverse scan.
  SmallVector<Value, 4> index, positions;
  SmallVector<BoundedView> views;
  bool isWhole = false;
  /// What the nest is there for, if it is a scan; along the slices with
  /// `lanes`.
  tile::ScanOp scan;
  std::optional<LaneScan> lanes;
  SmallVector<std::pair<Value, AxisMap>> seen;
  /// One for each root that reduces along the slices' axis.
  SmallVector<std::pair<tile::ReduceOp, LaneReduction>> reductions;
};

void NestEmitter::addView(Operation *op, ArrayRef<int32_t> axes,
                          ValueRange offsets, ArrayRef<int> map) {
  if (!llvm::is_contained(map, shape.axis))
    return;
  bool any = llvm::any_of(axes, [&](int32_t axis) {
    return map[axis] >= 0 && !isTile(offsets[axis]);
  });
  if (any)
    views.push_back({op, axes, offsets, AxisMap(map)});
}

/// The bounded views that the nest reads once for each of its slices.
void NestEmitter::findViews(Value tile, ArrayRef<int> axes,
                            bool computesItself) {
  std::pair<Value, AxisMap> key(tile, AxisMap(axes));
  if (llvm::is_contained(seen, key))
    return;
  seen.push_back(key);
  if (state.plan.homeOf(tile) && !computesItself)
    return;
  if (auto load = tile.getDefiningOp<tile::ViewLoadOp>())
    addView(load, load.getBoundedAxes(), load.getOffsets(), axes);
  forEachTileOperand(tile, axes, [&](Value operand, ArrayRef<int> map) {
    findViews(operand, map, false);
  });
}

Value NestEmitter::roundDown(Value value) {
  if (stride() == 1)
    return value;
  return b.createOrFold<arith::AndIOp>(loc, value, state.index(-stride()));
}

/// Whether a view has the row that the outer loops stand at; null where it has
/// every row.
Value NestEmitter::rowExists(const BoundedView &view) {
  Value all;
  for (int axis : view.axes) {
    int loop = view.map[axis];
    bool isRow = loop >= 0 && loop != shape.axis;
    if (!isRow || isTile(view.offsets[axis]))
      continue;
    Value one = slices.existsAt(view.op, axis, index[loop]);
    all = all ? arith::AndIOp::create(b, loc, all, one).getResult() : one;
  }
  return all;
}

/// Up to where all slices of this row exist in all views.
Value NestEmitter::wholeEnd() {
  unsigned level = slices.currentLevel();
  Value end = state.index(step.shape[shape.axis]);
  slices.insertAt(0);
  for (const BoundedView &view : views) {
    for (int axis : view.axes) {
      if (view.map[axis] != shape.axis || isTile(view.offsets[axis]))
        continue;
      Slices::Range range = slices.rangeOf(view.op, axis);
      slices.insertAt(0);
      Value fromStart = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                              range.first, state.index(0));
      Value whole =
          arith::SelectOp::create(b, loc, fromStart, range.end, state.index(0));
      end = b.createOrFold<arith::MinSIOp>(loc, end, whole);
    }
  }
  end = roundDown(end);
  slices.insertAt(level);
  for (const BoundedView &view : views)
    if (Value exists = rowExists(view))
      end = arith::SelectOp::create(b, loc, exists, end, state.index(0));
  return end;
}

/// Past the last slice that matters.
Value NestEmitter::storeEnd() {
  Value extent = state.index(step.shape[shape.axis]);
  if (!isStoreOnly())
    return extent;
  unsigned level = slices.currentLevel();
  Value last = state.index(0);
  for (const Root &root : step.roots) {
    auto view = llvm::find_if(views, [&](const BoundedView &candidate) {
      return candidate.op == root.op;
    });
    if (view == views.end())
      return extent;
    auto store = cast<tile::ViewStoreOp>(root.op);
    Value end = extent;
    if (llvm::is_contained(store.getBoundedAxes(), shape.axis) &&
        !isTile(store.getOffsets()[shape.axis])) {
      Slices::Range range = slices.rangeOf(store, shape.axis);
      slices.insertAt(0);
      end = roundDown(b.createOrFold<arith::AddIOp>(loc, range.end,
                                                    state.index(stride() - 1)));
    }
    slices.insertAt(level);
    if (Value exists = rowExists(*view))
      end = arith::SelectOp::create(b, loc, exists, end, state.index(0));
    last = b.createOrFold<arith::MaxSIOp>(loc, last, end);
  }
  return last;
}

/// Elements of a stored result along one of its axes, combined row after row.
void NestEmitter::reduceInMemory(tile::ReduceOp reduce, ValueRange values) {
  int axis = reduce.getAxis();
  Slice inner = slice();
  inner.index.erase(inner.index.begin() + axis);
  if (inner.axis > axis)
    --inner.axis;
  SmallVector<Value> slicesNow;
  for (Value value : values)
    slicesNow.push_back(spread(b, loc, value, shape.lanes));
  bool isOnly = step.shape[axis] == 1;
  if (!isOnly) {
    SmallVector<Value> before;
    for (Value result : reduce.getResults())
      before.push_back(slices.readHome(state.plan.homeOf(result),
                                       getElementTypeOrSelf(result.getType()),
                                       inner, loc, /*isFixed=*/false));
    slices.insertAt(slices.currentLevel());
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          index[axis], state.index(0));
    SmallVector<Value> combined =
        combine(state, reduce.getCombine().front(), before, slicesNow);
    if (state.failed)
      return;
    for (auto [value, now] : llvm::zip(slicesNow, combined))
      value = selectValue(b, loc, isFirst, value, now);
  }
  for (auto [result, value] : llvm::zip(reduce.getResults(), slicesNow))
    slices.writeHome(state.plan.homeOf(result), inner, value, loc);
}

/// One row of a scan across the slices: combined with the row before, which is
/// in memory.
void NestEmitter::scanInMemory(ValueRange values) {
  int axis = scan.getAxis();
  Slice here = slice(), last = here;
  Value one = state.index(scan.getReverse() ? 1 : -1);
  Value before = slices.add(here.index[axis], one, loc);
  // Of the first row there is none before, and any will do.
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        positions[axis], state.index(0));
  last.index[axis] =
      arith::SelectOp::create(b, loc, isFirst, here.index[axis], before);
  SmallVector<Value> rows, now;
  for (auto [result, value] : llvm::zip(scan.getResults(), values)) {
    rows.push_back(slices.readHome(state.plan.homeOf(result),
                                   tile::elementType(result.getType()), last,
                                   loc, /*isFixed=*/false));
    slices.insertAt(slices.currentLevel());
    now.push_back(spread(b, loc, value, shape.lanes));
  }
  SmallVector<Value> combined =
      combine(state, scan.getCombine().front(), rows, now);
  if (state.failed)
    return;
  for (auto [result, value, sum] : llvm::zip(scan.getResults(), now, combined))
    slices.writeHome(
        state.plan.homeOf(result), here,
        selectValue(b, loc, isFirst, value, spread(b, loc, sum, shape.lanes)),
        loc);
}

/// An atomic op's elements of a slice; what was there is kept where it is used.
void NestEmitter::changeMemory(Operation *atomic, ValueRange values) {
  Value old = emitAtomicSlice(b, atomic, values, shape.lanes);
  if (Home *home = state.plan.homeOf(atomic->getResult(0)))
    slices.writeHome(home, slice(), old, loc);
}

/// The index of the slice that the loop along an axis has come to.
Value NestEmitter::indexAt(int axis, Value position) {
  positions[axis] = position;
  if (!scan || !scan.getReverse() || int(scan.getAxis()) != axis)
    return position;
  int64_t size = axis == shape.axis ? stride() : 1;
  return arith::SubIOp::create(b, loc, state.index(step.shape[axis] - size),
                               position);
}

/// In the loop over whole slices, what all views have is not checked again.
void NestEmitter::cover() {
  for (const BoundedView &view : views) {
    Slices::Covered covered{view.op, {}};
    for (int loop : view.map)
      covered.index.push_back(loop < 0 ? Value() : index[loop]);
    slices.covered.push_back(std::move(covered));
  }
}

/// The work of one slice; gives the accumulators after it.
SmallVector<Value> NestEmitter::body(ValueRange accumulators) {
  Slice here = slice();
  slices.covered.clear();
  if (isWhole)
    cover();
  SmallVector<SmallVector<Value>> values;
  for (const Root &root : step.roots) {
    auto &list = values.emplace_back();
    slices.insertAt(slices.currentLevel());
    if (root.fromHome) {
      list.push_back(
          slices.readHome(root.fromHome, root.fromHome->element, here, loc));
      continue;
    }
    bool itself = root.kind == Root::Copy &&
                  root.target == state.plan.homeOf(root.source);
    for (Value tile : root.tiles()) {
      list.push_back(itself ? slices.compute(tile, here)
                            : slices.evaluate(tile, here));
      if (!list.back())
        return {};
    }
  }

  SmallVector<Value> after;
  Value isFirst;
  auto reduction = reductions.begin();
  for (auto [root, list] : llvm::zip(step.roots, values)) {
    slices.insertAt(slices.currentLevel());
    if (root.kind == Root::Copy) {
      slices.writeHome(root.target, here, list.front(), loc);
    } else if (root.kind == Root::Store) {
      slices.writeMemory(root.op, list.front(), here);
    } else if (root.kind == Root::Atomic) {
      changeMemory(root.op, list);
    } else if (lanes) {
      isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      positions[shape.axis], state.index(0));
      after.assign(accumulators.begin(), accumulators.end());
      SmallVector<Value> scanned = lanes->step(after, list, isFirst);
      for (auto [result, value] : llvm::zip(scan.getResults(), scanned))
        slices.writeHome(state.plan.homeOf(result), here, value, loc);
    } else if (root.kind == Root::Scan) {
      scanInMemory(list);
    } else if (reduction != reductions.end() && reduction->first == root.op) {
      if (!isFirst)
        isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        index[shape.axis], state.index(0));
      size_t count = list.size();
      ValueRange before = accumulators.slice(after.size(), count);
      llvm::append_range(after, reduction->second.step(before, list, isFirst));
      ++reduction;
    } else {
      reduceInMemory(cast<tile::ReduceOp>(root.op), list);
    }
    if (state.failed)
      return {};
  }
  return after;
}

/// The innermost loop, from `from` to `to`.
SmallVector<Value> NestEmitter::loop(Value from, Value to,
                                     ValueRange accumulators) {
  slices.insertAt(slices.currentLevel());
  std::optional<int64_t> first = constantInt(from), end = constantInt(to);
  if (first && end && *end - *first <= stride()) {
    if (*first >= *end)
      return SmallVector<Value>(accumulators);
    index[shape.axis] = indexAt(shape.axis, from);
    return body(accumulators);
  }
  auto innermost =
      scf::ForOp::create(b, loc, from, to, state.index(stride()), accumulators);
  slices.enter(innermost.getBody());
  slices.insertAt(slices.currentLevel());
  index[shape.axis] = indexAt(shape.axis, innermost.getInductionVar());
  SmallVector<Value> after = body(innermost.getRegionIterArgs());
  if (!state.failed && !accumulators.empty()) {
    b.setInsertionPointToEnd(innermost.getBody());
    scf::YieldOp::create(b, loc, after);
  }
  slices.leave();
  slices.insertAt(slices.currentLevel());
  return SmallVector<Value>(innermost.getResults());
}

void NestEmitter::finishReductions(ValueRange accumulators) {
  for (auto &[reduce, reduction] : reductions) {
    size_t count = reduce.getNumResults();
    SmallVector<Value> values =
        reduction.finish(accumulators.take_front(count));
    accumulators = accumulators.drop_front(count);
    if (state.failed)
      return;
    Slice at;
    for (auto [axis, variable] : llvm::enumerate(index))
      if (int(axis) != shape.axis)
        at.index.push_back(variable);
    for (auto [result, value] : llvm::zip(reduce.getResults(), values)) {
      if (isTile(result))
        slices.writeHome(state.plan.homeOf(result), at, value, loc);
      else
        state.scalars.map(result, value);
    }
  }
}

void NestEmitter::run() {
  OpBuilder::InsertionGuard guard(b);
  for (auto [axis, extent] : llvm::enumerate(step.shape)) {
    index[axis] = positions[axis] = state.index(0);
    if (int(axis) == shape.axis || extent == 1)
      continue;
    slices.insertAt(slices.currentLevel());
    auto outer = scf::ForOp::create(b, loc, state.index(0), state.index(extent),
                                    state.index(1));
    slices.enter(outer.getBody());
    slices.insertAt(slices.currentLevel());
    index[axis] = indexAt(int(axis), outer.getInductionVar());
  }

  AxisMap identity = identityMap(step.shape.size());
  for (const Root &root : step.roots) {
    for (Value tile : root.tiles())
      findViews(tile, identity,
                root.kind == Root::Copy &&
                    root.target == state.plan.homeOf(tile));
    if (auto store = dyn_cast_or_null<tile::ViewStoreOp>(root.op))
      addView(store, store.getBoundedAxes(), store.getOffsets(), identity);
    auto reduce = dyn_cast_or_null<tile::ReduceOp>(root.op);
    if (reduce && int(reduce.getAxis()) == shape.axis)
      reductions.emplace_back(reduce,
                              LaneReduction(state, reduce, shape.lanes));
  }

  slices.insertAt(slices.currentLevel());
  SmallVector<Value> accumulators;
  for (auto &[reduce, reduction] : reductions)
    llvm::append_range(accumulators, reduction.initial());
  if (scan && int(scan.getAxis()) == shape.axis) {
    lanes.emplace(state, scan, shape.lanes);
    accumulators = lanes->initial();
    // Backwards what is inside all bounds does not come first.
    if (scan.getReverse())
      views.clear();
  }

  Value extent = state.index(step.shape[shape.axis]);
  if (views.empty()) {
    accumulators = loop(state.index(0), extent, accumulators);
  } else {
    Value whole = wholeEnd();
    slices.insertAt(slices.currentLevel());
    isWhole = true;
    accumulators = loop(state.index(0), whole, accumulators);
    isWhole = false;
    if (state.failed)
      return;
    // Accumulators and scans stay as wide as they are.
    if (reductions.empty() && !lanes)
      shape.lanes = shape.narrow;
    Value end = storeEnd();
    slices.insertAt(slices.currentLevel());
    accumulators = loop(whole, end, accumulators);
  }
  if (state.failed)
    return;
  slices.insertAt(slices.currentLevel());
  finishReductions(accumulators);
}

} // namespace

/// Whether a tile that is computed for `into` is read from a home on the way.
static bool reads(const Plan &plan, Value tile, Home *into,
                  function_ref<bool(Home *)> isOne) {
  Home *home = plan.homeOf(tile);
  if (home && home != into)
    return isOne(home);
  bool any = false;
  if (tile.getDefiningOp())
    forEachTileOperand(tile, identityMap(shapeOf(tile).size()),
                       [&](Value operand, ArrayRef<int>) {
                         any |= reads(plan, operand, nullptr, isOne);
                       });
  return any;
}

/// Whether a copy may come before all others of a nest: it reads nothing that
/// they write, and they read nothing that it writes.
static bool mayComeFirst(const Plan &plan, const Step &step, const Root &copy) {
  auto isWritten = [&](Home *home) {
    return llvm::any_of(step.roots,
                        [&](const Root &root) { return root.target == home; });
  };
  auto isFilled = [&](Home *home) { return home == copy.target; };
  if (!copy.source || copy.target == plan.homeOf(copy.source) ||
      reads(plan, copy.source, nullptr, isWritten))
    return false;
  return llvm::none_of(step.roots, [&](const Root &root) {
    return root.fromHome == copy.target ||
           (root.source && root.source != copy.source &&
            reads(plan, root.source, root.target, isFilled));
  });
}

/// Copies that are better transposed on their own come out of the nest, in
/// front of it; what is left is the result.
static Step lowerTransposedFirst(LoweringState &state, const Step &step) {
  Step rest = step;
  bool isAllCopies = llvm::all_of(
      step.roots, [](const Root &root) { return root.kind == Root::Copy; });
  if (step.roots.size() < 2 || !isAllCopies)
    return rest;
  rest.roots.clear();
  for (const Root &root : step.roots) {
    Step single = step;
    single.roots = {root};
    NestShape shape;
    if (mayComeFirst(state.plan, step, root))
      shape = chooseShape(state, single);
    if (shape.transposed >= 0)
      lowerTransposed(state, single, shape);
    else
      rest.roots.push_back(root);
  }
  return rest;
}

void lowerNest(LoweringState &state, const Step &step) {
  Step rest = lowerTransposedFirst(state, step);
  if (rest.roots.empty() || state.failed)
    return;
  NestShape shape = chooseShape(state, rest);
  if (shape.transposed >= 0)
    return lowerTransposed(state, rest, shape);
  NestEmitter(state, rest, shape).run();
}

} // namespace tesela::cpu
