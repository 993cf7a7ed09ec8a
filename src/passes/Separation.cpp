//===- Separation.cpp - which buffers a launch keeps apart ----------------===//
//
//   kernel(%x, %out), loads through %x, stores through %out
//     ==>  the check asks for   last byte of %x < first byte of %out,
//                         or    last byte of %out < first byte of %x,
//                         or, where loads and stores that stand together
//                         have the same coordinates,
//                                  %x == %out  and equal strides
//
// First and last byte are bounds over all instances. An argument with an access
// that the launch does not bound is left alone, and so is each that an access
// through a choice of pointers may go through.
//
//===----------------------------------------------------------------------===//

#include "passes/Separation.h"

#include "analysis/MemoryDependence.h"
#include "passes/LaunchDomain.h"
#include "passes/Meetings.h"

#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;
using namespace tesela::analysis;

namespace tesela {
namespace {

using Range = Interval<LaunchDomain>;
using Note = LaunchDomain::Note;

/// An interval, and what it came from.
struct Bounded {
  Range range;
  SmallVector<Note> notes;
};

/// Pairs of scalar arguments that must be equal, by number.
using Equalities = std::map<unsigned, unsigned>;

class Separator {
public:
  Separator(func::FuncOp kernel, const AtomTable &atoms, Preconditions &checks)
      : kernel(kernel), atoms(atoms), state(checks.check()),
        domain(state.domain), transfer(domain) {}

  void run(ArrayRef<PlannedAccess> accesses);

private:
  using Accesses = SmallVector<Access>;

  std::optional<Bounded> coordinates(const ViewPlan &plan, unsigned axis,
                                     ArrayRef<int64_t> shape);
  std::optional<Bounded> elements(const ViewPlan &plan);
  std::optional<Bounded> bytes(unsigned argument);
  bool assumeApart(unsigned p, unsigned q);
  void assumeInjective(unsigned p);
  bool isAlike(const ViewPlan &a, const ViewPlan &b, Equalities &equalities);
  Value isInjective(const ViewPlan &plan, SmallVectorImpl<Note> &notes);
  Value either(Value a, Value b) {
    return domain.builder.createOrFold<arith::OrIOp>(domain.location(), a, b);
  }
  BlockArgument parameter(AtomTable::Id id);

  func::FuncOp kernel;
  const AtomTable &atoms;
  Preconditions::State &state;
  LaunchDomain &domain;
  IntervalTransfer<LaunchDomain> transfer;
  /// By number of the pointer argument. Without a plan: unbounded.
  std::map<unsigned, Accesses> accessesOf;
  std::map<unsigned, Meetings> meetingsOf;
  std::map<unsigned, std::optional<Bounded>> bytesOf;
  SmallVector<int32_t> apart;
  SmallVector<Attribute> inStep;
};

//===----------------------------------------------------------------------===//
// What is touched
//===----------------------------------------------------------------------===//

/// The coordinates along an axis that exist.
std::optional<Bounded> Separator::coordinates(const ViewPlan &plan,
                                              unsigned axis,
                                              ArrayRef<int64_t> shape) {
  const ViewPlan::Axis &of = plan.axes[axis];
  auto offset = state.polynomial(of.offset, atoms, shape);
  Bounded result{offset.range, {}};
  if (!of.isIndexed)
    result.range.hi = domain.add(result.range.hi, domain.constant(of.size - 1));
  bool isKnown = offset.note.bounded;
  if (isKnown)
    result.notes.push_back(offset.note);
  for (const Polynomial &limit : of.bounds) {
    auto bound = state.polynomial(limit, atoms, shape);
    if (!bound.note.bounded)
      continue;
    Value last = domain.sub(bound.range.hi, domain.constant(1));
    Value zero = domain.constant(0);
    result.range = isKnown ? Range{domain.max(result.range.lo, zero),
                                   domain.min(result.range.hi, last)}
                           : Range{zero, last};
    result.notes.push_back(bound.note);
    isKnown = true;
  }
  return isKnown ? std::optional(result) : std::nullopt;
}

/// Distances from the argument, in elements.
std::optional<Bounded> Separator::elements(const ViewPlan &plan) {
  SmallVector<int64_t> shape;
  for (const ViewPlan::Axis &axis : plan.axes)
    shape.push_back(axis.size);
  auto shift = state.polynomial(plan.shift, atoms, shape);
  if (!shift.note.bounded)
    return std::nullopt;
  Bounded result{shift.range, {shift.note}};
  for (unsigned axis = 0; axis != plan.axes.size(); ++axis) {
    auto along = coordinates(plan, axis, shape);
    auto stride = state.polynomial(plan.axes[axis].stride, atoms, shape);
    if (!along || !stride.note.bounded)
      return std::nullopt;
    result.notes.append(along->notes);
    result.notes.push_back(stride.note);
    domain.begin({});
    Range moved = transfer.mul(along->range, stride.range, 64);
    result.range = domain.wrap(transfer.add(result.range, moved), 64);
    result.notes.push_back(domain.end({}));
  }
  return result;
}

/// Addresses from the first byte that is touched to behind the last.
std::optional<Bounded> Separator::bytes(unsigned argument) {
  auto known = bytesOf.find(argument);
  if (known != bytesOf.end())
    return known->second;
  std::optional<Bounded> &result = bytesOf[argument];
  auto type = cast<tile::PtrType>(kernel.getArgument(argument).getType());
  int64_t size = std::max(1u, type.getPointee().getIntOrFloatBitWidth() / 8);
  std::optional<Bounded> all;
  for (const Access &access : accessesOf[argument]) {
    auto touched = access.plan ? elements(*access.plan) : std::nullopt;
    if (!touched)
      return result;
    if (!all) {
      all = touched;
      continue;
    }
    all->range = transfer.join(all->range, touched->range);
    all->notes.append(touched->notes);
  }
  Value pointer = domain.check().getArgument(argument);
  Value address = domain.builder.createOrFold<tile::PtrToIntOp>(
      domain.location(), domain.builder.getI64Type(), pointer);
  domain.begin({});
  Range span = {all->range.lo, domain.add(all->range.hi, domain.constant(1))};
  span = domain.wrap(transfer.mul(span, transfer.constant(size), 64), 64);
  all->range = domain.wrap(transfer.add(span, {address, address}), 64);
  all->notes.push_back(domain.end({}));
  result = all;
  return result;
}

//===----------------------------------------------------------------------===//
// Accesses in step
//===----------------------------------------------------------------------===//

BlockArgument Separator::parameter(AtomTable::Id id) {
  auto argument = dyn_cast_or_null<BlockArgument>(atoms[id].value);
  if (!argument || argument.getOwner() != &kernel.front())
    return {};
  return argument;
}

/// Whether both have the same coordinates, strides and distance from their
/// argument, if the arguments of b in `equalities` were those of a.
bool Separator::isAlike(const ViewPlan &a, const ViewPlan &b,
                        Equalities &equalities) {
  if (a.axes.size() != b.axes.size())
    return false;
  SmallVector<std::pair<const Polynomial *, const Polynomial *>> pairs;
  pairs.push_back({&a.shift, &b.shift});
  for (auto [left, right] : llvm::zip(a.axes, b.axes)) {
    if (left.size != right.size || (left.isIndexed && left.size != 1) ||
        right.isIndexed != left.isIndexed)
      return false;
    pairs.push_back({&left.offset, &right.offset});
    pairs.push_back({&left.stride, &right.stride});
  }
  // Strides of different arrays are different arguments.
  auto onlyIn = [&](const Polynomial &in, const Polynomial &other) {
    llvm::SmallSetVector<AtomTable::Id, 2> only;
    for (auto &[monomial, coefficient] : in.getTerms())
      for (AtomTable::Id id : monomial)
        only.insert(id);
    for (auto &[monomial, coefficient] : other.getTerms())
      for (AtomTable::Id id : monomial)
        only.remove(id);
    return only;
  };
  std::map<AtomTable::Id, AtomTable::Id> renaming;
  for (auto [left, right] : pairs) {
    auto ofLeft = onlyIn(*left, *right), ofRight = onlyIn(*right, *left);
    if (ofLeft.empty() && ofRight.empty())
      continue;
    if (ofLeft.size() != 1 || ofRight.size() != 1)
      return false;
    BlockArgument from = parameter(ofRight.front());
    BlockArgument to = parameter(ofLeft.front());
    if (!from || !to || from.getType() != to.getType())
      return false;
    auto [known, isNew] =
        equalities.try_emplace(from.getArgNumber(), to.getArgNumber());
    if (known->second != to.getArgNumber())
      return false;
    renaming[ofRight.front()] = ofLeft.front();
  }
  for (auto [left, right] : pairs) {
    Polynomial renamed = right->renamed([&](AtomTable::Id id) {
      auto found = renaming.find(id);
      return found == renaming.end() ? id : found->second;
    });
    if (renamed != *left)
      return false;
  }
  return true;
}

/// The condition under which no two elements of the tile share an address, with
/// either axis as the inner one; null where there is none.
Value Separator::isInjective(const ViewPlan &plan,
                             SmallVectorImpl<Note> &notes) {
  SmallVector<int64_t> shape;
  for (const ViewPlan::Axis &axis : plan.axes)
    shape.push_back(axis.size);
  /// Least and greatest distance of neighbours, and elements.
  struct Step {
    Value least, most, count;
  };
  SmallVector<Step> steps;
  Value zero = domain.constant(0), one = domain.constant(1);
  for (auto [number, axis] : llvm::enumerate(plan.axes)) {
    if (axis.size == 1)
      continue;
    auto stride = state.polynomial(axis.stride, atoms, shape);
    if (axis.isIndexed || !stride.note.bounded)
      return {};
    notes.push_back(stride.note);
    Value negated = domain.sub(zero, stride.range.hi);
    Value least = domain.max(domain.max(stride.range.lo, negated), zero);
    Value most = domain.max(domain.sub(zero, stride.range.lo), stride.range.hi);
    Value count = domain.constant(axis.size);
    for (const Polynomial &limit : axis.bounds) {
      auto bound = state.polynomial(limit, atoms, shape);
      if (!bound.note.bounded)
        continue;
      notes.push_back(bound.note);
      count = domain.max(domain.min(count, bound.range.hi), one);
    }
    steps.push_back({least, most, count});
  }
  auto nested = [&](ArrayRef<Step> innerFirst) {
    domain.begin({});
    Value holds = domain.flag(true), reach = zero;
    for (const Step &step : innerFirst) {
      holds = domain.both(holds, domain.le(domain.add(reach, one), step.least));
      Value further = domain.mul(step.most, domain.sub(step.count, one), 64);
      reach = domain.add(reach, further);
    }
    holds = domain.both(holds, domain.end({}).valid);
    return holds;
  };
  SmallVector<Step> reversed(llvm::reverse(steps));
  Value rowMajor = nested(reversed);
  return steps.size() < 2 ? rowMajor : either(rowMajor, nested(steps));
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

bool Separator::assumeApart(unsigned p, unsigned q) {
  auto ofP = bytes(p), ofQ = bytes(q);
  if (!ofP || !ofQ)
    return false;
  SmallVector<Note> notes(ofP->notes);
  notes.append(ofQ->notes);
  domain.begin({});
  Note note = domain.end(notes);
  Value condition = either(domain.le(ofP->range.hi, ofQ->range.lo),
                           domain.le(ofQ->range.hi, ofP->range.lo));

  // Or in place: everything that meets a store is in step with it.
  Equalities equalities;
  bool areAlike = meetingsOf.at(p).allPairs(
      meetingsOf.at(q), [&](const Access &a, const Access &b) {
        return isAlike(*a.plan, *b.plan, equalities);
      });
  SmallVector<Note> moreNotes;
  Value inPlace;
  if (areAlike) {
    func::FuncOp check = domain.check();
    auto equal = [&](Value a, Value b) {
      return domain.builder.createOrFold<arith::CmpIOp>(
          domain.location(), arith::CmpIPredicate::eq, a, b);
    };
    auto address = [&](unsigned argument) {
      return domain.builder.createOrFold<tile::PtrToIntOp>(
          domain.location(), domain.builder.getI64Type(),
          check.getArgument(argument));
    };
    inPlace = equal(address(p), address(q));
    for (auto [from, to] : equalities)
      inPlace = domain.both(
          inPlace, equal(check.getArgument(from), check.getArgument(to)));
    for (unsigned argument : {p, q})
      for (const Access &access : accessesOf[argument]) {
        Value injective = isInjective(*access.plan, moreNotes);
        inPlace = injective ? domain.both(inPlace, injective) : Value();
        if (!inPlace)
          break;
      }
  }
  if (inPlace) {
    domain.begin({});
    Note more = domain.end(moreNotes);
    note.bounded &= more.bounded;
    condition = either(condition, domain.both(more.valid, inPlace));
  }
  if (!state.assume(note, condition))
    return false;
  if (!inPlace) {
    apart.append({int32_t(p), int32_t(q)});
    return true;
  }
  SmallVector<int32_t> entry = {int32_t(p), int32_t(q)};
  for (auto [from, to] : equalities)
    entry.append({int32_t(from), int32_t(to)});
  inStep.push_back(DenseI32ArrayAttr::get(kernel.getContext(), entry));
  return true;
}

/// A kernel that updates a tile in place, with strides that only a launch
/// knows.
void Separator::assumeInjective(unsigned p) {
  SmallVector<Note> notes;
  Value condition;
  for (unsigned number : meetingsOf.at(p).alikeOnes()) {
    const Access &access = accessesOf[p][number];
    Equalities none;
    // Not where elements lie anywhere.
    if (isInjectiveView(access.op) ||
        !isAlike(*access.plan, *access.plan, none))
      continue;
    Value injective = isInjective(*access.plan, notes);
    if (!injective)
      return;
    condition = domain.both(condition, injective);
  }
  domain.begin({});
  if (condition && state.assume(domain.end(notes), condition))
    inStep.push_back(
        DenseI32ArrayAttr::get(kernel.getContext(), {int32_t(p), int32_t(p)}));
}

/// All pointer arguments that a pointer may come from.
static void visitRoots(Value value, Block &entry,
                       function_ref<void(BlockArgument)> visit) {
  SmallVector<Value> work{value};
  llvm::DenseSet<Value> seen;
  auto isPointer = [](Value of) {
    return isa<tile::PtrType>(tile::elementType(of.getType()));
  };
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() == &entry) {
        if (isPointer(argument))
          visit(argument);
        continue;
      }
      op = argument.getOwner()->getParentOp();
    }
    // What stands in memory is no argument.
    if (isa<tile::LoadOp, tile::ViewLoadOp>(op))
      continue;
    bool fromIntegers = !isPointer(next) || isa<tile::IntToPtrOp>(op);
    auto follow = [&](ValueRange operands) {
      for (Value operand : operands)
        if (fromIntegers || isPointer(operand))
          work.push_back(operand);
    };
    follow(op->getOperands());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        follow(block.getTerminator()->getOperands());
  }
}

void Separator::run(ArrayRef<PlannedAccess> accesses) {
  for (const PlannedAccess &access : accesses) {
    bool isStore = isa<tile::StoreOp, tile::ViewStoreOp>(access.op) ||
                   tile::isAtomic(access.op);
    BlockArgument root = accessRoot(access.op);
    if (!root) {
      auto add = [&](BlockArgument argument) {
        accessesOf[argument.getArgNumber()].push_back(
            {nullptr, isStore, access.op});
      };
      visitRoots(accessPointer(access.op), kernel.front(), add);
      continue;
    }
    bool isPlanned = access.plan && access.plan->base == root;
    accessesOf[root.getArgNumber()].push_back(
        {isPlanned ? &*access.plan : nullptr, isStore, access.op});
  }
  SmallVector<unsigned> arguments;
  for (auto &[argument, all] : accessesOf) {
    arguments.push_back(argument);
    meetingsOf.emplace(argument, Meetings(all));
  }
  for (unsigned p : arguments) {
    assumeInjective(p);
    for (unsigned q : arguments)
      if (p < q && meetingsOf.at(p).meet(meetingsOf.at(q)))
        assumeApart(p, q);
  }
  OpBuilder builder(kernel.getContext());
  if (!apart.empty())
    kernel->setAttr(apartAttr, builder.getDenseI32ArrayAttr(apart));
  if (!inStep.empty())
    kernel->setAttr(inStepAttr, builder.getArrayAttr(inStep));
}

} // namespace

void separateBuffers(func::FuncOp kernel, ArrayRef<PlannedAccess> accesses,
                     const AtomTable &atoms, Preconditions &preconditions) {
  Separator(kernel, atoms, preconditions).run(accesses);
}

} // namespace tesela
