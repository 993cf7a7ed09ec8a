//===- ViewPlan.cpp - the coordinates of an access through a view ---------===//
//
// Along an affine axis with stride P the address is
//
//   S + i * P  ==  (S - o * P) + (o + i) * P          for any offset o.
//
// A bound i < U becomes o + i < U + o, and o is taken from U: what U subtracts
// and S adds, times P, is where the array's own coordinate comes from. A view
// asks that coordinates are natural, so that o must be; where that is not
// known, o is 0. A bound i >= L asks it by itself, with o = -L.
//
//===----------------------------------------------------------------------===//

#include "passes/ViewPlan.h"

#include "analysis/PolynomialRange.h"

using namespace mlir;
using namespace tesela::analysis;

namespace tesela {
namespace {

using Side = MaskBound::Side;

class Planner {
public:
  Planner(ArrayRef<int64_t> shape, AtomTable &atoms,
          Preconditions &preconditions)
      : shape(shape), atoms(atoms), preconditions(preconditions),
        positions(shape.size()), indices(shape.size()) {}

  ViewPlan plan(const AffineAccess::Pointer &pointer, MaskBounds mask);

private:
  void splitOffset(const Polynomial &offset);
  void planIndexed(unsigned axis, SmallVectorImpl<MaskBound> &bounds);
  void planAffine(unsigned axis, SmallVectorImpl<MaskBound> &bounds);
  void placeFreeAxes();
  Polynomial agreedOffset(const Polynomial &stride, const Polynomial &limit);
  bool isExact(const Polynomial &polynomial);
  bool isComparable(const MaskBound &bound);
  bool isParameter(AtomTable::Id id);
  void leave(MaskBound &bound) { result.rest.push_back(bound.part); }

  ArrayRef<int64_t> shape;
  AtomTable &atoms;
  Preconditions &preconditions;
  ViewPlan result;
  /// By axis: what multiplies the position, and the index tiles with what
  /// multiplies them.
  SmallVector<Polynomial> positions;
  SmallVector<std::map<AtomTable::Id, Polynomial>> indices;
  /// The axes whose offset nothing has fixed.
  SmallVector<unsigned> freeAxes;
};

/// Sums up the terms of each axis; those without one are the shift.
void Planner::splitOffset(const Polynomial &offset) {
  for (auto &[monomial, coefficient] : offset.getTerms()) {
    auto axial = llvm::find_if(
        monomial, [&](AtomTable::Id id) { return atoms[id].isAxial(); });
    if (axial == monomial.end()) {
      result.shift = result.shift + Polynomial::term(monomial, coefficient);
      continue;
    }
    const Atom &atom = atoms[*axial];
    Polynomial factor =
        Polynomial::term(*quotient(monomial, {*axial}), coefficient);
    Polynomial &sum = atom.kind == Atom::Kind::Iota
                          ? positions[atom.axis]
                          : indices[atom.axis][*axial];
    sum = sum + factor;
  }
  // Terms that cancelled are no indices.
  for (auto &ofAxis : indices)
    std::erase_if(ofAxis, [](auto &entry) { return entry.second.isZero(); });
}

/// Computing it modulo 2^64 gives the whole number.
bool Planner::isExact(const Polynomial &polynomial) {
  if (polynomialRange(polynomial, atoms, preconditions.ranges()))
    return true;
  auto &terms = polynomial.getTerms();
  return terms.size() == 1 && terms.begin()->first.size() == 1 &&
         terms.begin()->second == 1;
}

/// A limit that is computed from what `bound` compares is exact.
bool Planner::isComparable(const MaskBound &bound) {
  return bound.width <= 32 || isExact(bound.limit) ||
         (preconditions.small(bound.lhs) && preconditions.small(bound.rhs));
}

//===----------------------------------------------------------------------===//
// Indexed axes
//===----------------------------------------------------------------------===//

void Planner::planIndexed(unsigned axis, SmallVectorImpl<MaskBound> &bounds) {
  ViewPlan::Axis &plan = result.axes[axis];
  plan.isIndexed = true;
  if (indices[axis].size() == 1 && positions[axis].isZero()) {
    auto &[index, stride] = *indices[axis].begin();
    plan.offset = Polynomial::atom(index);
    plan.stride = stride;
    for (MaskBound &bound : bounds) {
      // The view's own condition, where the index is natural anyway.
      bool isBound = bound.subject == index && bound.side == Side::Below &&
                     isComparable(bound) &&
                     preconditions.nonNegative(atoms[index].value);
      if (isBound)
        plan.bounds.push_back(bound.limit);
      else
        leave(bound);
    }
    return;
  }
  // Several things move along the axis: their sum, in elements, is the index.
  for (auto &[index, stride] : indices[axis])
    plan.offset = plan.offset + Polynomial::atom(index) * stride;
  AtomTable::Id position =
      atoms.intern({Atom::Kind::Iota, {}, {}, int(axis), -1});
  plan.offset = plan.offset + Polynomial::atom(position) * positions[axis];
  plan.stride = Polynomial::constant(1);
  for (MaskBound &bound : bounds)
    leave(bound);
}

//===----------------------------------------------------------------------===//
// Affine axes
//===----------------------------------------------------------------------===//

/// The terms that `limit` subtracts and that, times the stride, the shift adds.
Polynomial Planner::agreedOffset(const Polynomial &stride,
                                 const Polynomial &limit) {
  Polynomial offset;
  if (stride.size() != 1)
    return offset;
  for (auto &[monomial, coefficient] : limit.getTerms()) {
    Polynomial term = Polynomial::term(monomial, -uint64_t(coefficient));
    Polynomial moved = term * stride;
    if (moved.isZero())
      continue;
    auto &[movedMonomial, movedCoefficient] = *moved.getTerms().begin();
    if (result.shift.coefficient(movedMonomial) == movedCoefficient)
      offset = offset + term;
  }
  return offset;
}

void Planner::planAffine(unsigned axis, SmallVectorImpl<MaskBound> &bounds) {
  ViewPlan::Axis &plan = result.axes[axis];
  plan.stride = positions[axis];
  MaskBound *lower = nullptr;
  SmallVector<MaskBound *> upper;
  for (MaskBound &bound : bounds) {
    bool isPosition = atoms[bound.subject].kind == Atom::Kind::Iota;
    auto limit = bound.limit.asConstant();
    if (!isPosition) {
      leave(bound);
    } else if (bound.side == Side::Below) {
      // i < U holds everywhere where U is the size or more.
      if (!limit || *limit < plan.size)
        upper.push_back(&bound);
    } else if (!limit || *limit > 0) {
      if (lower || !isComparable(bound))
        leave(bound);
      else
        lower = &bound;
    }
  }

  if (lower) {
    Polynomial offset = -lower->limit;
    if (isExact(offset))
      plan.offset = offset;
    else {
      leave(*lower);
      lower = nullptr;
    }
  }
  if (!lower) {
    if (upper.empty()) {
      freeAxes.push_back(axis);
      return;
    }
    Polynomial offset = agreedOffset(plan.stride, upper.front()->limit);
    bool isUsable = offset.isZero() ||
                    (polynomialRange(offset, atoms, preconditions.ranges()) &&
                     preconditions.nonNegative(offset, atoms));
    if (isUsable)
      plan.offset = offset;
  }
  result.shift = result.shift - plan.offset * plan.stride;
  for (MaskBound *bound : upper) {
    Polynomial limit = bound->limit + plan.offset;
    bool isOwn = bound->width <= 32 || isExact(limit) || isComparable(*bound);
    if (isOwn)
      plan.bounds.push_back(limit);
    else
      leave(*bound);
  }
  // A lower bound alone: the other end of the tile bounds from above.
  if (lower && plan.bounds.empty())
    plan.bounds.push_back(plan.offset + Polynomial::constant(plan.size));
}

/// An argument of the kernel.
bool Planner::isParameter(AtomTable::Id id) {
  auto argument = dyn_cast_or_null<BlockArgument>(atoms[id].value);
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
}

/// Gives what is left of the shift to the axes that it moves along: first those
/// whose stride is a value, which names the axis; then, along those of constant
/// stride, what varies by itself. What has factors of its own, as in
/// `batch * stride_batch`, belongs to the base.
void Planner::placeFreeAxes() {
  for (bool isNamed : {true, false})
    for (unsigned axis : freeAxes) {
      ViewPlan::Axis &plan = result.axes[axis];
      if (plan.stride.size() != 1)
        continue;
      auto &[strideMonomial, strideCoefficient] =
          *plan.stride.getTerms().begin();
      if (isNamed == strideMonomial.empty())
        continue;
      Polynomial offset;
      for (auto &[monomial, coefficient] : result.shift.getTerms()) {
        auto rest = quotient(monomial, strideMonomial);
        // The one number that cannot be negated is no quotient.
        if (!rest || coefficient == INT64_MIN ||
            coefficient % strideCoefficient != 0)
          continue;
        if (!isNamed && (rest->size() != 1 || isParameter(rest->front())))
          continue;
        offset =
            offset + Polynomial::term(*rest, coefficient / strideCoefficient);
      }
      plan.offset = offset;
      result.shift = result.shift - offset * plan.stride;
    }
}

ViewPlan Planner::plan(const AffineAccess::Pointer &pointer, MaskBounds mask) {
  result.base = pointer.base;
  result.uniform = std::move(mask.uniform);
  result.rest = std::move(mask.rest);
  splitOffset(pointer.offset);
  SmallVector<SmallVector<MaskBound>> boundsOf(shape.size());
  for (MaskBound &bound : mask.bounds)
    boundsOf[atoms[bound.subject].axis].push_back(std::move(bound));
  for (auto [axis, size] : llvm::enumerate(shape)) {
    result.axes.push_back({size, {}, false, {}, {}});
    if (indices[axis].empty())
      planAffine(axis, boundsOf[axis]);
    else
      planIndexed(axis, boundsOf[axis]);
  }
  placeFreeAxes();

  // A tile that is there as a whole or not at all: some axis has its length or
  // none.
  bool hasBound = llvm::any_of(
      result.axes, [](ViewPlan::Axis &axis) { return !axis.bounds.empty(); });
  if (!result.uniform.empty() && !hasBound) {
    ViewPlan::Axis *whole = llvm::find_if(
        result.axes, [](ViewPlan::Axis &axis) { return !axis.isIndexed; });
    if (whole != result.axes.end()) {
      result.shift = result.shift + whole->offset * whole->stride;
      whole->offset = {};
      whole->bounds.push_back(Polynomial::constant(whole->size));
    }
  }
  return result;
}

} // namespace

ViewPlan planView(const AffineAccess::Pointer &pointer, MaskBounds mask,
                  ArrayRef<int64_t> shape, AtomTable &atoms,
                  Preconditions &preconditions) {
  return Planner(shape, atoms, preconditions).plan(pointer, std::move(mask));
}

} // namespace tesela
