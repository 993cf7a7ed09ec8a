//===- IntervalEvaluator.h - the interval of every integer of a kernel ----===//
//
// A memoised walk from a value to what it is computed from, over any domain of
// IntervalTransfer.h. Of a tile, the interval holds all elements. A domain
// further says
//
//   Note                  what it keeps beside an interval
//   begin(ops)            an interval of what `ops` compute together follows
//   limit(interval, width)  the interval, where the domain can hold its numbers
//   end(notes)            the note of it, given those of what it came from
//   unknown(value)        interval and note of a value that nothing is known of
//   argument(argument)    the same of a kernel's argument
//   programId(axis), numPrograms(axis)
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_ANALYSIS_INTERVALEVALUATOR_H
#define TESELA_ANALYSIS_INTERVALEVALUATOR_H

#include "analysis/IntervalTransfer.h"
#include "analysis/LoopRecurrence.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace tesela::analysis {

template <typename Domain>
class IntervalEvaluator {
public:
  using Range = Interval<Domain>;
  struct Entry {
    Range range;
    typename Domain::Note note;
  };

  explicit IntervalEvaluator(Domain &domain) : d(domain), transfer(domain) {}

  Entry get(mlir::Value value) {
    auto known = memo.find(value);
    if (known != memo.end())
      return known->second;
    // A chain this long is not worth the stack it takes.
    if (depth > 1000)
      return d.unknown(value);
    ++depth;
    Entry entry = compute(value);
    --depth;
    memo.insert({value, entry});
    return entry;
  }

  /// From 0 to the most iterations that the loop can have.
  Entry tripsOf(mlir::scf::ForOp loop) {
    llvm::SmallVector<typename Domain::Note> notes;
    Range range = trips(loop, notes);
    d.begin({});
    return {range, d.end(notes)};
  }

  void forget() { memo.clear(); }

private:
  Entry compute(mlir::Value value) {
    if (!integerWidth(value.getType()))
      return d.unknown(value);
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value))
      return blockArgument(argument);
    return result(llvm::cast<mlir::OpResult>(value));
  }

  Entry blockArgument(mlir::BlockArgument argument);
  Entry result(mlir::OpResult value);
  Entry constant(mlir::Value value, mlir::Attribute attribute);
  Entry induction(mlir::scf::ForOp loop);
  Entry recurrence(mlir::Value value, const Recurrence &recurrence);
  Range trips(mlir::scf::ForOp loop,
              llvm::SmallVectorImpl<typename Domain::Note> &notes);

  Entry joined(mlir::Value value, mlir::Value left, mlir::Value right) {
    Entry a = get(left), b = get(right);
    d.begin({});
    return {transfer.join(a.range, b.range), d.end({a.note, b.note})};
  }
  Entry leaf(Range range) {
    d.begin({});
    return {range, d.end({})};
  }

  Domain &d;
  IntervalTransfer<Domain> transfer;
  llvm::DenseMap<mlir::Value, Entry> memo;
  unsigned depth = 0;
};

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

template <typename Domain>
auto IntervalEvaluator<Domain>::blockArgument(mlir::BlockArgument argument)
    -> Entry {
  mlir::Operation *parent = argument.getOwner()->getParentOp();
  if (llvm::isa<mlir::func::FuncOp>(parent))
    return argument.getOwner()->isEntryBlock() ? d.argument(argument)
                                               : d.unknown(argument);
  auto loop = llvm::dyn_cast<mlir::scf::ForOp>(parent);
  if (!loop || loop.getUnsignedCmp())
    return d.unknown(argument);
  if (argument.getArgNumber() == 0)
    return induction(loop);
  if (auto found = matchRecurrence(argument))
    return recurrence(argument, *found);
  return d.unknown(argument);
}

template <typename Domain>
auto IntervalEvaluator<Domain>::induction(mlir::scf::ForOp loop) -> Entry {
  Entry lower = get(loop.getLowerBound()), upper = get(loop.getUpperBound());
  Entry step = get(loop.getStep());
  d.begin({});
  // Steps are positive. Without an iteration there is no value to bound.
  auto first = lower.range.lo;
  auto span = d.sub(d.sub(upper.range.hi, d.constant(1)), first);
  span = d.max(span, d.constant(0));
  // From a known start, the last value is a whole number of steps away.
  if (first == lower.range.hi && step.range.lo == step.range.hi) {
    unsigned width = integerWidth(loop.getStep().getType());
    auto by = d.max(step.range.lo, d.constant(1));
    span = d.mul(d.div(span, by), by, width);
  }
  return {{first, d.add(first, span)},
          d.end({lower.note, upper.note, step.note})};
}

template <typename Domain>
auto IntervalEvaluator<Domain>::trips(
    mlir::scf::ForOp loop, llvm::SmallVectorImpl<typename Domain::Note> &notes)
    -> Range {
  Entry lower = get(loop.getLowerBound()), upper = get(loop.getUpperBound());
  Entry step = get(loop.getStep());
  notes.append({lower.note, upper.note, step.note});
  auto zero = d.constant(0), one = d.constant(1);
  auto least = d.max(step.range.lo, one);
  auto span = d.max(d.sub(upper.range.hi, lower.range.lo), zero);
  return {zero, d.div(d.add(span, d.sub(least, one)), least)};
}

template <typename Domain>
auto IntervalEvaluator<Domain>::recurrence(mlir::Value value,
                                           const Recurrence &recurrence)
    -> Entry {
  if (mlir::scf::ForOp loop = recurrence.loop; loop.getUnsignedCmp())
    return d.unknown(value);
  unsigned width = integerWidth(value.getType());
  unsigned wide = width;
  llvm::SmallVector<typename Domain::Note> notes;
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<std::pair<Range, bool>> amounts;

  auto widen = [&](mlir::scf::ForOp loop) {
    wide = std::max(wide, integerWidth(loop.getStep().getType()));
  };
  // Everything that this depends on first: `begin` .. `end` does not nest.
  Entry init = get(recurrence.init);
  notes.push_back(init.note);
  Range times = trips(recurrence.loop, notes);
  widen(recurrence.loop);
  struct Amount {
    Range range;
    bool subtracts;
    llvm::SmallVector<Range, 1> repeats;
  };
  llvm::SmallVector<Amount> steps;
  for (const Recurrence::Step &step : recurrence.steps) {
    Entry amount = get(step.amount);
    notes.push_back(amount.note);
    ops.push_back(step.op);
    steps.push_back({amount.range, step.subtracts, {}});
    for (mlir::scf::ForOp loop : step.repeats) {
      if (loop.getUnsignedCmp())
        return d.unknown(value);
      steps.back().repeats.push_back(trips(loop, notes));
      widen(loop);
    }
  }

  // Modulo 2^width, the sum of the steps may be wrapped before it is repeated.
  d.begin({});
  Range sum = transfer.constant(0);
  for (Amount &step : steps) {
    Range amount = step.range;
    for (Range repeat : step.repeats)
      amount = d.wrap(transfer.mul(amount, repeat, wide), width);
    sum =
        step.subtracts ? transfer.sub(sum, amount) : transfer.add(sum, amount);
    sum = d.wrap(sum, width);
  }
  notes.push_back(d.end({}));

  d.begin(ops);
  Range moved = transfer.mul(times, sum, wide);
  Range range = d.wrap(transfer.add(init.range, moved), width);
  return {range, d.end(notes)};
}

//===----------------------------------------------------------------------===//
// Results of ops
//===----------------------------------------------------------------------===//

template <typename Domain>
auto IntervalEvaluator<Domain>::constant(mlir::Value value,
                                         mlir::Attribute attribute) -> Entry {
  auto of = [&](const llvm::APInt &least, const llvm::APInt &most) {
    return leaf(
        {d.constant(least.getSExtValue()), d.constant(most.getSExtValue())});
  };
  if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(attribute))
    return of(integer.getValue(), integer.getValue());
  auto dense = llvm::dyn_cast<mlir::DenseIntElementsAttr>(attribute);
  if (!dense || dense.empty())
    return d.unknown(value);
  if (dense.isSplat()) {
    auto element = dense.getSplatValue<llvm::APInt>();
    return of(element, element);
  }
  llvm::APInt least = *dense.begin(), most = least;
  for (const llvm::APInt &element : dense) {
    least = llvm::APIntOps::smin(least, element);
    most = llvm::APIntOps::smax(most, element);
  }
  return of(least, most);
}

template <typename Domain>
auto IntervalEvaluator<Domain>::result(mlir::OpResult value) -> Entry {
  mlir::Operation *op = value.getOwner();
  mlir::Attribute attribute;
  if (mlir::matchPattern(op, mlir::m_Constant(&attribute)))
    return constant(value, attribute);

  if (auto iota = llvm::dyn_cast<tile::IotaOp>(op)) {
    int64_t start = int32_t(iota.getStart());
    int64_t last = start + iota.getType().getDimSize(0) - 1;
    return leaf({d.constant(start), d.constant(last)});
  }
  if (auto id = llvm::dyn_cast<tile::ProgramIdOp>(op))
    return leaf(d.programId(id.getAxis()));
  if (auto extent = llvm::dyn_cast<tile::NumProgramsOp>(op))
    return leaf(d.numPrograms(extent.getAxis()));
  if (llvm::isa<tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp,
                tile::ReshapeOp, tile::PermuteOp, tile::SplitOp,
                tile::GatherOp>(op))
    return get(op->getOperand(0));
  if (llvm::isa<tile::JoinOp, tile::CatOp>(op))
    return joined(value, op->getOperand(0), op->getOperand(1));

  if (auto branch = llvm::dyn_cast<mlir::scf::IfOp>(op)) {
    unsigned index = value.getResultNumber();
    return joined(value, branch.thenYield().getOperand(index),
                  branch.elseYield().getOperand(index));
  }
  if (auto loop = llvm::dyn_cast<mlir::scf::ForOp>(op)) {
    if (auto found = matchRecurrence(value))
      return recurrence(value, *found);
    return d.unknown(value);
  }
  if (auto reduce = llvm::dyn_cast<tile::ReduceOp>(op)) {
    // The least or greatest of some elements is one of them.
    mlir::Operation *combiner = reduce.getSingleCombiner();
    if (llvm::isa_and_nonnull<mlir::arith::MinSIOp, mlir::arith::MaxSIOp>(
            combiner))
      return get(op->getOperand(0));
    return d.unknown(value);
  }

  llvm::SmallVector<Range> ranges;
  llvm::SmallVector<typename Domain::Note> notes;
  for (mlir::Value operand : op->getOperands()) {
    Entry entry = get(operand);
    ranges.push_back(entry.range);
    notes.push_back(entry.note);
  }
  d.begin({op});
  std::optional<Range> range = transfer(op, ranges);
  if (!range)
    return d.unknown(value);
  Range limited = d.limit(*range, integerWidth(value.getType()));
  return {limited, d.end(notes)};
}

} // namespace tesela::analysis

#endif // TESELA_ANALYSIS_INTERVALEVALUATOR_H
