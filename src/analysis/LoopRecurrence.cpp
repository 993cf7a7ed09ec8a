//===- LoopRecurrence.cpp - what a loop adds to a value each time ---------===//
//
// Walks from the value that the loop yields back to the one that it carries,
// through additions of amounts from outside the loop.
//
//===----------------------------------------------------------------------===//

#include "analysis/LoopRecurrence.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tesela::analysis {
namespace {

/// The step that `op` takes from one of its operands, which goes to `from`.
std::optional<Recurrence::Step> matchStep(Operation *op, scf::ForOp loop,
                                          Value &from) {
  auto outside = [&](Value value) {
    return loop.isDefinedOutsideOfLoop(value);
  };
  auto take = [&](Value kept, Value amount, bool subtracts) {
    from = kept;
    return Recurrence::Step{op, amount, subtracts, {}};
  };
  if (auto add = dyn_cast<arith::AddIOp>(op)) {
    if (outside(add.getRhs()))
      return take(add.getLhs(), add.getRhs(), false);
    if (outside(add.getLhs()))
      return take(add.getRhs(), add.getLhs(), false);
  } else if (auto sub = dyn_cast<arith::SubIOp>(op)) {
    if (outside(sub.getRhs()))
      return take(sub.getLhs(), sub.getRhs(), true);
  } else if (auto move = dyn_cast<tile::AddPtrOp>(op)) {
    if (outside(move.getOffset()))
      return take(move.getPtr(), move.getOffset(), false);
  }
  return std::nullopt;
}

std::optional<Recurrence> match(scf::ForOp loop, unsigned index) {
  Recurrence recurrence{loop, loop.getInitArgs()[index], {}};
  BlockArgument carried = loop.getRegionIterArg(index);
  Value value = loop.getYieldedValues()[index];
  while (value != carried) {
    Operation *op = value.getDefiningOp();
    if (!op || !loop->isProperAncestor(op))
      return std::nullopt;
    if (auto inner = dyn_cast<scf::ForOp>(op)) {
      auto nested = matchRecurrence(cast<OpResult>(value));
      bool sameTrips = loop.isDefinedOutsideOfLoop(inner.getLowerBound()) &&
                       loop.isDefinedOutsideOfLoop(inner.getUpperBound()) &&
                       loop.isDefinedOutsideOfLoop(inner.getStep());
      if (!nested || !sameTrips)
        return std::nullopt;
      for (Recurrence::Step &step : nested->steps) {
        if (!loop.isDefinedOutsideOfLoop(step.amount))
          return std::nullopt;
        step.repeats.push_back(inner);
        recurrence.steps.push_back(std::move(step));
      }
      value = nested->init;
      continue;
    }
    auto step = matchStep(op, loop, value);
    if (!step)
      return std::nullopt;
    recurrence.steps.push_back(std::move(*step));
  }
  return recurrence;
}

} // namespace

std::optional<Recurrence> matchRecurrence(BlockArgument carried) {
  auto loop = dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp());
  if (!loop || carried.getArgNumber() == 0)
    return std::nullopt;
  return match(loop, carried.getArgNumber() - 1);
}

std::optional<Recurrence> matchRecurrence(OpResult result) {
  auto loop = dyn_cast<scf::ForOp>(result.getOwner());
  if (!loop)
    return std::nullopt;
  return match(loop, result.getResultNumber());
}

} // namespace tesela::analysis
