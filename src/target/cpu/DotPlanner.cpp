//===- DotPlanner.cpp - from where dots read their operands ---------------===//
//
// In the order of preference: streamed as the dot goes; for several iterations
// of a loop at once, in place or in copies that wait; in copies of an iteration
// each; from where the tile is stored. Copies that neighbouring instances would
// make again are kept.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/DotPlanner.h"

#include "target/cpu/Pointwise.h"
#include "target/cpu/Slices.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tesela::cpu {

/// How long K gets at most where a dot waits for several iterations, and how
/// large its operands.
static constexpr int64_t deferredDepth = 256;
static constexpr int64_t deferredBytes = 192 << 10;

/// A dot with so many rows at most reads its right operand once.
static constexpr int64_t streamedRows = 8;

/// How much of an operand is kept for the next instances at most: of a dot that
/// waits, and of one that each iteration of a loop computes.
struct Keeping {
  int64_t bytes;
  int64_t places;
};
static constexpr Keeping keepingOfDeferred{1 << 20, 16};
static constexpr Keeping keepingOfOthers{2 << 20, 64};

/// The type of a dot's operands in scratch.
static Type operandType(const LoweringOptions &options, tile::DotOp dot) {
  if (isPairedDot(options, dot))
    return IntegerType::get(dot.getContext(), 16);
  return dotComputeType(dot.getType().getElementType());
}

/// Whether a dot's operand that is copied lies in panels of so many columns:
/// the right one, if it has more than that.
static bool liesInPanels(ArrayRef<int64_t> shape, unsigned number,
                         int64_t panel, bool isPaired) {
  return number == 1 && shape.size() == 2 && shape[1] % panel == 0 &&
         (shape[1] != panel || isPaired);
}

Home *Plan::newOperandHome(ArrayRef<int64_t> shape, unsigned number,
                           Type element, int64_t panel, bool isPaired) {
  Home *home = newHome(shape, element, /*padRows=*/true);
  if (!liesInPanels(shape, number, panel, isPaired))
    return home;
  home->panel = panel;
  home->panelStride = shape[0] * panel;
  home->strides = {panel, 1};
  home->bytes = shape[0] * shape[1] * storedBytes(element);
  home->isPaired = isPaired;
  return home;
}

void DotPlanner::run() {
  Plan &plan = planning.plan;
  kernel.walk<WalkOrder::PreOrder>([&](tile::DotOp dot) {
    if (canStream(dot))
      plan.streamed.insert(dot);
  });
  kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) { defer(loop); });
  kernel.walk<WalkOrder::PreOrder>([&](tile::DotOp dot) {
    if (!plan.isDeferred(dot))
      makeOperands(dot);
  });
}

/// Few rows, and a right operand whose rows lie in memory as they are.
bool DotPlanner::canStream(tile::DotOp dot) {
  ArrayRef<int64_t> shape = shapeOf(dot.getResult());
  Type sum = dot.getType().getElementType();
  // The result is where the sums wait, and must not round them.
  if (shape.size() != 2 || shape[0] > streamedRows ||
      dotComputeType(sum) != sum || isPairedDot(planning.options, dot))
    return false;
  Value right = dot.getB();
  while (!stored.contains(right)) {
    Operation *op = right.getDefiningOp();
    if (auto view = dyn_cast_or_null<tile::ViewLoadOp>(op))
      return !view.getMask() && !isTile(view.getOffsets()[0]) &&
             !isTile(view.getOffsets()[1]) &&
             constantInt(view.getStrides()[1]) == 1;
    if (!op || !isPointwise(op) || op->getNumOperands() != 1)
      return false;
    right = op->getOperand(0);
    if (!isTile(right))
      return false;
  }
  return false;
}

/// Dots read what is stored in the type they compute with, and copies of the
/// rest.
void DotPlanner::makeOperands(tile::DotOp dot) {
  Plan &plan = planning.plan;
  Type element = operandType(planning.options, dot);
  bool isPaired = isPairedDot(planning.options, dot);
  for (unsigned operand : {0u, 1u}) {
    if (operand == 1 && plan.isStreamed(dot))
      continue;
    if (operand == 1 && keepRight(dot))
      continue;
    Value tile = dot->getOperand(operand);
    Home *home = plan.homes.lookup(tile);
    if (!home || home->element != element || (isPaired && operand == 1)) {
      bool inPairs = isPaired && operand == 1;
      int64_t panel = dotPanel(planning.options,
                               dotComputeType(dot.getType().getElementType()));
      bool inPanels = liesInPanels(shapeOf(tile), operand, panel, isPaired);
      auto &copies = planning.copiesOf[tile];
      auto known = llvm::find_if(copies, [&](Home *copy) {
        return copy->element == element && !llvm::is_contained(parts, copy) &&
               copy->isPaired == inPairs &&
               copy->panel == (inPanels ? panel : 0);
      });
      if (known != copies.end()) {
        home = *known;
      } else {
        home = plan.newOperandHome(shapeOf(tile), operand, element, panel,
                                   inPairs);
        copies.push_back(home);
      }
    }
    plan.operandHomes[{dot, operand}] = home;
  }
}

/// Finds the dots of a loop that can wait for several iterations: their sum is
/// carried by the loop and used for nothing else in it.
void DotPlanner::defer(scf::ForOp loop) {
  Plan &plan = planning.plan;
  Block *body = loop.getBody();
  DeferredDots deferred;
  deferred.iterations = 64;
  for (auto [argument, yielded, result] :
       llvm::zip(loop.getRegionIterArgs(), body->getTerminator()->getOperands(),
                 loop.getResults())) {
    auto dot = yielded.getDefiningOp<tile::DotOp>();
    if (!dot || dot->getBlock() != body || dot.getAcc() != argument ||
        !argument.hasOneUse() || !dot->hasOneUse() || plan.isStreamed(dot))
      continue;
    auto isMadeHere = [&](Value tile) {
      return tile.getDefiningOp() && tile.getParentBlock() == body;
    };
    ArrayRef<int64_t> a = shapeOf(dot.getA()), b = shapeOf(dot.getB());
    if (!isMadeHere(dot.getA()) || !isMadeHere(dot.getB()) || a.size() != 2)
      continue;
    // K as long as both operands stay in the second level of cache.
    int64_t bytes = storedBytes(dotComputeType(dot.getType().getElementType()));
    int64_t depth =
        std::min<int64_t>(deferredDepth, deferredBytes / bytes /
                                             std::max<int64_t>(a[0] + b[1], 1));
    deferred.iterations = std::min(deferred.iterations, depth / a[1]);
    deferred.dots.push_back(dot);
    plan.homes[result] = plan.homes[yielded] = plan.homes[argument];
  }
  if (deferred.dots.empty() || deferred.iterations < 2)
    return;
  for (Operation *dot : deferred.dots)
    for (unsigned number : {0u, 1u})
      deferred.operands.push_back({dot, number});
  findSources(loop, deferred);
  for (LoopOperand &operand : deferred.operands)
    makeLoopOperand(operand, deferred.iterations, keepingOfDeferred);
  plan.deferred[loop] = std::move(deferred);
}

bool DotPlanner::writesNothing(scf::ForOp loop) {
  return llvm::none_of(writes,
                       [&](Operation *op) { return loop->isAncestor(op); });
}

/// Whoever waits for another instance sees what that one wrote.
bool DotPlanner::isAlone() {
  return llvm::none_of(writes, [](Operation *op) {
    return isa<tile::BarrierOp>(op) || tile::isAtomic(op);
  });
}

/// Whether the right operand of a dot that each iteration computes is kept: one
/// view, moved on by a loop, that neighbouring instances read as well. A loop
/// that begins anywhere goes on where another one ended; that has few
/// iterations left.
bool DotPlanner::keepRight(tile::DotOp dot) {
  auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
  Value tile = dot.getB();
  if (!loop || planning.plan.homes.lookup(tile) || shapeOf(tile).size() != 2 ||
      !constantInt(loop.getLowerBound()) || !writesNothing(loop) || !isAlone())
    return false;
  LoopOperand operand{dot, 1};
  for (int axis = 0; axis < 2 && !operand.source; ++axis)
    operand.source = matchSteppedView(tile, axis, loop);
  if (!operand.source || dependsOnFirstId(operand.source->view->getOperands()))
    return false;
  operand.places = keepingOfOthers.places;
  makeLoopOperand(operand, 1, keepingOfOthers);
  planning.plan.kept[loop].push_back(operand);
  return true;
}

/// Decides which operands are read in place, and which are kept from instance
/// to instance: the right one, unless only the left one is the same for
/// neighbours.
void DotPlanner::findSources(scf::ForOp loop, DeferredDots &deferred) {
  if (!writesNothing(loop))
    return;
  for (size_t left = 0; left + 1 < deferred.operands.size(); left += 2) {
    bool varies[2];
    for (unsigned number : {0u, 1u}) {
      LoopOperand &operand = deferred.operands[left + number];
      operand.source = matchSteppedView(operand.dot->getOperand(number),
                                        number == 0 ? 1 : 0, loop);
      varies[number] = !operand.source ||
                       dependsOnFirstId(operand.source->view->getOperands());
    }
    for (unsigned number : {0u, 1u}) {
      LoopOperand &operand = deferred.operands[left + number];
      if (!operand.source)
        continue;
      tile::ViewLoadOp view = operand.source->view;
      Type compute = dotComputeType(
          cast<tile::DotOp>(operand.dot).getType().getElementType());
      operand.isInPlace =
          number == 0 && operand.source->isPlain &&
          cast<RankedTensorType>(view.getType()).getElementType() == compute &&
          constantInt(view.getStrides()[1]) == 1;
      bool isShared =
          number == 1 ? !varies[1] || varies[0] : !varies[0] && varies[1];
      operand.places = !operand.isInPlace && isShared && isAlone()
                           ? keepingOfDeferred.places
                           : 1;
    }
  }
}

/// The homes of an operand of so many iterations.
void DotPlanner::makeLoopOperand(LoopOperand &operand, int64_t iterations,
                                 const Keeping &keeping) {
  Plan &plan = planning.plan;
  auto dot = cast<tile::DotOp>(operand.dot);
  Value tile = dot->getOperand(operand.number);
  if (operand.isInPlace && operand.source->view.getBounds().empty())
    return;
  Type element = operandType(planning.options, dot);
  SmallVector<int64_t> shape(shapeOf(tile));
  int axis = operand.number == 0 ? 1 : 0;
  int64_t step = shape[axis];
  shape[axis] *= iterations;
  Home *whole = plan.newOperandHome(
      shape, operand.number, element,
      dotPanel(planning.options,
               dotComputeType(dot.getType().getElementType())),
      isPairedDot(planning.options, dot));
  operand.places = std::min(operand.places, keeping.bytes / whole->bytes);
  if (operand.places > 1) {
    // The keys, and one row of what is known of all of them.
    int64_t length = 2 + 3 * shape.size();
    operand.keys =
        plan.newHome({operand.places + 1, length},
                     IntegerType::get(dot.getContext(), 64), /*padRows=*/false);
    operand.keys->isKept = whole->isKept = true;
    whole->bytes *= operand.places;
  }
  Home *part = plan.newHome(shapeOf(tile), element, /*padRows=*/false);
  part->strides = whole->strides;
  part->panel = whole->panel;
  part->panelStride = whole->panelStride;
  part->isPaired = whole->isPaired;
  part->isOptional = operand.isInPlace || operand.keys;
  parts.push_back(part);
  planning.copiesOf[tile].push_back(part);
  plan.operandHomes[{dot, operand.number}] = whole;
  operand.part = part;
  operand.whole = whole;
  operand.step = step * whole->strides[axis];
}

} // namespace tesela::cpu
