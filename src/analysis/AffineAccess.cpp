//===- AffineAccess.cpp - addresses as sums of one term an axis -----------===//
//
// Additions, subtractions and multiplications become polynomials where they
// cannot wrap, or where wrapping modulo 2^64 is what the address does anyway.
// Every other scalar is an atom, and every other tile that varies along one
// axis alone is an index tile, computed as the kernel computes it.
//
//===----------------------------------------------------------------------===//

#include "analysis/AffineAccess.h"

#include "analysis/IntegerWidth.h"
#include "analysis/LoopRecurrence.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tesela::analysis {

/// Longer sums are not worth comparing.
static constexpr size_t mostTerms = 32;

static bool isScalar(Value value) {
  return !isa<RankedTensorType>(value.getType());
}

Polynomial AffineAccess::scalar(Value value) {
  return Polynomial::atom(
      atoms.intern({Atom::Kind::Scalar, value, {}, -1, -1}));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

std::optional<Polynomial> AffineAccess::integer(Value value, bool exact) {
  unsigned width = integerWidth(value.getType());
  if (!width)
    return std::nullopt;
  // Narrow numbers are extended before an address sees them.
  exact |= width < 64;
  auto known = integers.find({value, exact});
  if (known != integers.end())
    return known->second;
  if (depth > 1000)
    return opaque(value);
  ++depth;
  size_t mark = assumptions.mark();
  std::optional<Polynomial> result = computeInteger(value, exact);
  --depth;
  if (!result) {
    retract(mark);
    result = opaque(value);
  }
  integers[{value, exact}] = result;
  return result;
}

/// The value as it stands.
std::optional<Polynomial> AffineAccess::opaque(Value value) {
  if (isScalar(value))
    return scalar(value);
  uint64_t varying = axes.get(value);
  if (!llvm::has_single_bit(varying))
    return std::nullopt;
  int axis = llvm::countr_zero(varying);
  return Polynomial::atom(
      atoms.intern({Atom::Kind::Index, value, {}, axis, axis}));
}

std::optional<Polynomial> AffineAccess::computeInteger(Value value,
                                                       bool exact) {
  unsigned width = integerWidth(value.getType());
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return Polynomial::constant(constant.getSExtValue());
  Operation *op = value.getDefiningOp();
  if (!op || isa<scf::ForOp>(op))
    return carried(value, exact);

  if (auto iota = dyn_cast<tile::IotaOp>(op)) {
    Polynomial start = Polynomial::constant(int32_t(iota.getStart()));
    if (iota.getType().getDimSize(0) == 1)
      return start;
    return start +
           Polynomial::atom(atoms.intern({Atom::Kind::Iota, {}, {}, 0, -1}));
  }
  if (isa<tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp, tile::PermuteOp,
          tile::ReshapeOp>(op)) {
    auto source = integer(op->getOperand(0), exact);
    return source ? through(op, *source) : std::nullopt;
  }
  if (isa<arith::ExtSIOp>(op))
    return integer(op->getOperand(0), true);
  if (isa<arith::ExtUIOp>(op)) {
    if (!assumptions.nonNegative(op->getOperand(0)))
      return std::nullopt;
    return integer(op->getOperand(0), true);
  }
  if (isa<arith::IndexCastOp>(op)) {
    if (width < 64 && !assumptions.noWrap(op))
      return std::nullopt;
    return integer(op->getOperand(0), exact);
  }
  if (isa<arith::TruncIOp>(op)) {
    if (!assumptions.noWrap(op))
      return std::nullopt;
    return integer(op->getOperand(0), true);
  }

  bool isShift = isa<tile::ShLIOp>(op);
  if (!isShift && !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  APInt amount;
  if (isShift && (!matchPattern(op->getOperand(1), m_ConstantInt(&amount)) ||
                  amount.uge(std::min(width, 63u))))
    return std::nullopt;
  auto left = integer(op->getOperand(0), exact);
  auto right = isShift
                   ? Polynomial::constant(int64_t(1) << amount.getZExtValue())
                   : integer(op->getOperand(1), exact);
  if (!left || !right)
    return std::nullopt;
  std::optional<Polynomial> result;
  if (isa<arith::AddIOp>(op))
    result = *left + *right;
  else if (isa<arith::SubIOp>(op))
    result = *left - *right;
  else
    result = product(*left, *right);
  // Ask last: what is not of use should not be assumed.
  if (!result || result->size() > mostTerms)
    return std::nullopt;
  if (exact && !assumptions.noWrap(op))
    return std::nullopt;
  return result;
}

std::optional<Polynomial> AffineAccess::product(const Polynomial &a,
                                                const Polynomial &b) {
  if (a.size() * b.size() > 4 * mostTerms)
    return std::nullopt;
  Polynomial result = a * b;
  for (auto &[monomial, coefficient] : result.getTerms())
    if (llvm::count_if(monomial, [&](AtomTable::Id id) {
          return atoms[id].isAxial();
        }) > 1)
      return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Values that loops carry
//===----------------------------------------------------------------------===//

/// How often the steps of a recurrence were taken where `value` is seen.
std::optional<Polynomial> AffineAccess::carried(Value value, bool exact) {
  unsigned width = integerWidth(value.getType());
  std::optional<Recurrence> recurrence;
  if (auto argument = dyn_cast<BlockArgument>(value))
    recurrence = matchRecurrence(argument);
  else
    recurrence = matchRecurrence(cast<OpResult>(value));
  if (!recurrence)
    return std::nullopt;
  auto init = integer(recurrence->init, exact);
  auto moved = iterations(value, exact);
  if (!init || !moved)
    return std::nullopt;
  if (exact || width < 64)
    for (Recurrence::Step &step : recurrence->steps)
      if (!assumptions.noWrap(step.op))
        return std::nullopt;
  return *init + *moved;
}

/// What the iterations so far have added to a recurrence.
std::optional<Polynomial> AffineAccess::iterations(Value value, bool exact) {
  std::optional<Recurrence> recurrence;
  Atom::Kind kind = Atom::Kind::Iteration;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    recurrence = matchRecurrence(argument);
  } else {
    recurrence = matchRecurrence(cast<OpResult>(value));
    kind = Atom::Kind::Trips;
  }
  if (!recurrence || recurrence->loop.getUnsignedCmp())
    return std::nullopt;
  Polynomial sum;
  for (Recurrence::Step &step : recurrence->steps) {
    std::optional<Polynomial> amount = integer(step.amount, exact);
    for (scf::ForOp repeat : step.repeats) {
      if (!amount || repeat.getUnsignedCmp())
        return std::nullopt;
      amount = product(*amount, Polynomial::atom(atoms.intern(
                                    {Atom::Kind::Trips, {}, repeat, -1, -1})));
    }
    if (!amount)
      return std::nullopt;
    sum = step.subtracts ? sum - *amount : sum + *amount;
  }
  if (sum.size() > mostTerms)
    return std::nullopt;
  return sum *
         Polynomial::atom(atoms.intern({kind, {}, recurrence->loop, -1, -1}));
}

Polynomial AffineAccess::withInductionVariables(const Polynomial &polynomial) {
  Polynomial result;
  for (auto &[monomial, coefficient] : polynomial.getTerms()) {
    auto counter = llvm::find_if(monomial, [&](AtomTable::Id id) {
      return atoms[id].kind == Atom::Kind::Iteration;
    });
    Polynomial whole = Polynomial::term(monomial, coefficient);
    if (counter == monomial.end()) {
      result = result + whole;
      continue;
    }
    scf::ForOp loop = atoms[*counter].loop;
    // iteration * step == induction variable - lower bound
    std::optional<Polynomial> rest;
    if (std::optional<APInt> step = loop.getConstantStep()) {
      int64_t by = step->getSExtValue();
      if (auto others = quotient(monomial, {*counter});
          by > 0 && coefficient % by == 0)
        rest = Polynomial::term(*others, coefficient / by);
    } else {
      AtomTable::Id by =
          atoms.intern({Atom::Kind::Scalar, loop.getStep(), {}, -1, -1});
      Polynomial::Monomial both = {*counter, by};
      llvm::sort(both);
      if (auto others = quotient(monomial, both))
        rest = Polynomial::term(*others, coefficient);
    }
    std::optional<Polynomial> lower;
    if (rest)
      lower = integer(loop.getLowerBound(), true);
    if (!lower) {
      result = result + whole;
      continue;
    }
    Polynomial covered = scalar(loop.getInductionVar()) - *lower;
    result = result + withInductionVariables(*rest * covered);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

std::optional<Polynomial> AffineAccess::through(Operation *shapeOp,
                                                const Polynomial &source) {
  auto resultType = cast<RankedTensorType>(shapeOp->getResult(0).getType());
  SmallVector<int> axisOf(64, -1);
  auto sourceType =
      dyn_cast<RankedTensorType>(shapeOp->getOperand(0).getType());
  if (!sourceType)
    return source;
  if (sourceType.getRank() >= 63 || resultType.getRank() >= 63)
    return std::nullopt;

  bool isKnown =
      llvm::TypeSwitch<Operation *, bool>(shapeOp)
          .Case([&](tile::BroadcastOp) {
            for (int axis = 0; axis < sourceType.getRank(); ++axis)
              axisOf[axis] = axis;
            return true;
          })
          .Case([&](tile::ExpandDimsOp expand) {
            int inserted = expand.getAxis();
            for (int axis = 0; axis < sourceType.getRank(); ++axis)
              axisOf[axis] = axis < inserted ? axis : axis + 1;
            return true;
          })
          .Case([&](tile::PermuteOp permute) {
            for (auto [axis, from] : llvm::enumerate(permute.getOrder()))
              axisOf[from] = axis;
            return true;
          })
          .Case([&](tile::ReshapeOp reshape) {
            // Axes of one element may come and go.
            if (reshape.getCanReorder())
              return false;
            int to = 0;
            for (int axis = 0; axis < sourceType.getRank(); ++axis) {
              if (sourceType.getDimSize(axis) == 1)
                continue;
              while (to < resultType.getRank() &&
                     resultType.getDimSize(to) == 1)
                ++to;
              if (to == resultType.getRank() ||
                  resultType.getDimSize(to) != sourceType.getDimSize(axis))
                return false;
              axisOf[axis] = to++;
            }
            return true;
          })
          .Default([](Operation *) { return false; });
  if (!isKnown)
    return std::nullopt;
  return source.renamed([&](AtomTable::Id id) {
    if (!atoms[id].isAxial())
      return id;
    Atom moved = atoms[id];
    moved.axis = axisOf[moved.axis];
    return atoms.intern(moved);
  });
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

std::optional<AffineAccess::Pointer> AffineAccess::pointer(Value value) {
  if (!isa<tile::PtrType>(tile::elementType(value.getType())))
    return std::nullopt;
  auto known = pointers.find(value);
  if (known != pointers.end())
    return known->second;
  std::optional<Pointer> result;
  if (depth <= 1000) {
    ++depth;
    result = computePointer(value);
    --depth;
  }
  // Any scalar can be a base.
  if (!result && isScalar(value))
    result = Pointer{value, Polynomial()};
  pointers[value] = result;
  return result;
}

std::optional<AffineAccess::Pointer> AffineAccess::computePointer(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<scf::ForOp>(op)) {
    std::optional<Recurrence> recurrence;
    if (auto argument = dyn_cast<BlockArgument>(value))
      recurrence = matchRecurrence(argument);
    else
      recurrence = matchRecurrence(cast<OpResult>(value));
    if (!recurrence)
      return std::nullopt;
    auto start = pointer(recurrence->init);
    auto moved = iterations(value, false);
    if (!start || !moved)
      return std::nullopt;
    return Pointer{start->base, start->offset + *moved};
  }
  if (auto move = dyn_cast<tile::AddPtrOp>(op)) {
    auto start = pointer(move.getPtr());
    if (!start)
      return std::nullopt;
    auto offset = integer(move.getOffset(), false);
    if (!offset)
      return std::nullopt;
    Pointer moved = {start->base, start->offset + *offset};
    if (moved.offset.size() > mostTerms)
      return std::nullopt;
    return moved;
  }
  if (isa<tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp, tile::PermuteOp,
          tile::ReshapeOp>(op)) {
    auto source = pointer(op->getOperand(0));
    if (!source)
      return std::nullopt;
    auto offset = through(op, source->offset);
    if (!offset)
      return std::nullopt;
    return Pointer{source->base, *offset};
  }
  return std::nullopt;
}

} // namespace tesela::analysis
