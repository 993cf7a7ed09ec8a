//===- NestShape.cpp - which loop is innermost, and how wide slices are ---===//
//
// Every access to memory votes for the axis along which it is contiguous: along
// any other it costs an instruction a lane. Slices fill some registers of the
// widest type that is computed with, so that independent instructions hide
// their latency.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Nests.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tesela::cpu {
namespace {

struct Survey {
  const LoweringState &state;
  const Step &step;
  int64_t widest = 1;
  int64_t work = 0;
  SmallVector<std::pair<Value, AxisMap>> seen = {};
  struct Access {
    /// The axis of the nest that it is contiguous along, or -1.
    int contiguous;
    AxisMap axes;
  };
  SmallVector<Access> accesses = {};

  void visitView(ValueRange offsets, ValueRange strides, ArrayRef<int> axes) {
    int contiguous = -1;
    for (auto [axis, stride] : llvm::enumerate(strides))
      if (constantInt(state.scalars.lookupOrDefault(stride)) == 1 &&
          !isTile(offsets[axis]))
        contiguous = axes[axis];
    accesses.push_back({contiguous, AxisMap(axes)});
  }

  void visitHome(const Home *home, ArrayRef<int> axes) {
    int contiguous = -1;
    for (auto [axis, stride] : llvm::enumerate(home->strides))
      if (stride == 1 && (home->shape[axis] != 1 || contiguous < 0))
        contiguous = axes[axis];
    accesses.push_back({contiguous, AxisMap(axes)});
  }

  void widen(Type type) {
    Type element = cast<RankedTensorType>(type).getElementType();
    int64_t bytes = storedBytes(element);
    auto floatType = dyn_cast<FloatType>(element);
    if (floatType && bytes < 4)
      bytes = 4;
    widest = std::max(widest, bytes);
  }

  void visit(Value tile, ArrayRef<int> axes, bool computesItself) {
    std::pair<Value, AxisMap> key(tile, AxisMap(axes));
    if (llvm::is_contained(seen, key))
      return;
    seen.push_back(key);
    bool varies = llvm::any_of(axes, [](int axis) { return axis >= 0; });
    if (varies)
      widen(tile.getType());
    Home *home = state.plan.homeOf(tile);
    if (home && !computesItself) {
      visitHome(home, axes);
      return;
    }
    Operation *op = tile.getDefiningOp();
    if (!op)
      return;
    work += pointwiseCost(op);
    if (auto load = dyn_cast<tile::ViewLoadOp>(op))
      visitView(load.getOffsets(), load.getStrides(), axes);
    forEachTileOperand(tile, axes, [&](Value operand, ArrayRef<int> map) {
      visit(operand, map, false);
    });
  }

  void run() {
    for (const Root &root : step.roots) {
      AxisMap identity = identityMap(step.shape.size());
      for (Value tile : root.tiles())
        visit(tile, identity,
              root.kind == Root::Copy &&
                  root.target == state.plan.homeOf(tile));
      if (root.fromHome)
        visitHome(root.fromHome, identity);
      if (root.target)
        visitHome(root.target, identity);
      if (root.kind == Root::Scan)
        for (Value result : root.op->getResults())
          visitHome(state.plan.homeOf(result), identity);
      if (auto store = dyn_cast_or_null<tile::ViewStoreOp>(root.op))
        visitView(store.getOffsets(), store.getStrides(), identity);
    }
  }
};

} // namespace

/// Whether a single tile is stored along its last axis and comes from where it
/// is contiguous along another one.
static void findTransposed(const LoweringState &state, const Step &step,
                           const Survey &survey, NestShape &shape) {
  const Root &root = step.roots.front();
  int last = int(step.shape.size()) - 1;
  if (step.roots.size() != 1 || root.kind != Root::Copy || !root.source ||
      last < 1 || root.target->strides[last] != 1)
    return;
  int other = -1;
  for (const Survey::Access &access : ArrayRef(survey.accesses).drop_back()) {
    if (access.contiguous < 0)
      continue;
    if (access.contiguous == last || (other >= 0 && access.contiguous != other))
      return;
    other = access.contiguous;
  }
  if (other < 0)
    return;
  int64_t lanes = std::clamp<int64_t>(
      state.options.vectorBytes / storedBytes(root.target->element), 4, 16);
  if (step.shape[last] % lanes != 0 || step.shape[other] % lanes != 0 ||
      laneLimit(state.plan, root.source, other) < lanes)
    return;
  shape = {last, lanes, lanes, other};
}

/// Two rows at a time, as many columns of each as fill a register together.
static NestShape pairedShape(const LoweringState &state, const Root &root) {
  int64_t lanes =
      std::min<int64_t>(root.target->panel / dotVectors(state.options),
                        laneLimit(state.plan, root.source, 1));
  return {1, lanes, lanes, 0};
}

NestShape chooseShape(const LoweringState &state, const Step &step) {
  if (Home *target = step.roots.front().target; target && target->isPaired)
    return pairedShape(state, step.roots.front());
  Survey survey{state, step};
  survey.run();
  // Few instructions a slice leave registers for longer slices.
  int64_t registers = survey.work <= 12 ? 4 : 2;
  int64_t wanted = std::clamp<int64_t>(
      registers * state.options.vectorBytes / survey.widest, 2, 64);
  // Each lane of an atomic op is code of its own.
  if (llvm::any_of(step.roots,
                   [](const Root &root) { return root.kind == Root::Atomic; }))
    wanted = std::min<int64_t>(wanted, 4);

  int64_t single = std::max<int64_t>(wanted / registers, 2);

  NestShape best;
  double bestCost = 0;
  for (int axis = int(step.shape.size()) - 1; axis >= 0; --axis) {
    int64_t lanes = wanted;
    for (const Root &root : step.roots) {
      for (Value tile : root.tiles())
        lanes = std::min(lanes, laneLimit(state.plan, tile, axis));
      if (root.target && root.target->panel && axis == 1)
        lanes = std::min(lanes, root.target->panel);
    }
    int64_t extent = step.shape[axis];
    lanes = std::min(lanes, extent & -extent);
    double cost = 4 + survey.work;
    for (const Survey::Access &access : survey.accesses) {
      bool runsAlong = llvm::is_contained(access.axes, axis);
      cost += runsAlong && access.contiguous != axis ? 2 * lanes : 1;
    }
    cost /= lanes;
    if (best.axis < 0 || cost < bestCost) {
      best = {axis, lanes, std::min(lanes, single)};
      bestCost = cost;
    }
  }
  if (best.lanes <= 1)
    best.lanes = best.narrow = 0;
  findTransposed(state, step, survey, best);
  return best;
}

} // namespace tesela::cpu
