//===- MaskBounds.cpp - the bounds that a mask is made of -----------------===//
//
// A comparison is a bound where the difference of its sides is a scalar plus or
// minus one position, or one element of an index tile.
//
//===----------------------------------------------------------------------===//

#include "analysis/MaskBounds.h"

#include "analysis/IntegerWidth.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tesela::analysis {
namespace {

void splitParts(Value mask, SmallVector<Operation *, 2> spread,
                SmallVectorImpl<MaskPart> &parts) {
  if (matchPattern(mask, m_One()))
    return;
  Operation *op = mask.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp>(op)) {
    splitParts(op->getOperand(0), spread, parts);
    splitParts(op->getOperand(1), spread, parts);
    return;
  }
  if (isa_and_nonnull<tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp,
                      tile::PermuteOp>(op)) {
    spread.push_back(op);
    splitParts(op->getOperand(0), std::move(spread), parts);
    return;
  }
  parts.push_back({mask, std::move(spread)});
}

/// lhs - rhs >= 0 where both sides are read as whole numbers.
struct Comparison {
  Value greater, less;
  bool strict;
};

std::optional<Comparison> signedComparison(arith::CmpIOp compare,
                                           Assumptions &assumptions) {
  using Predicate = arith::CmpIPredicate;
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  switch (compare.getPredicate()) {
  case Predicate::slt:
    return Comparison{rhs, lhs, true};
  case Predicate::sle:
    return Comparison{rhs, lhs, false};
  case Predicate::sgt:
    return Comparison{lhs, rhs, true};
  case Predicate::sge:
    return Comparison{lhs, rhs, false};
  case Predicate::eq:
  case Predicate::ne:
    return std::nullopt;
  case Predicate::ult:
  case Predicate::ule:
  case Predicate::ugt:
  case Predicate::uge:
    break;
  }
  // Of natural numbers, both readings are the same.
  if (!assumptions.nonNegative(lhs) || !assumptions.nonNegative(rhs))
    return std::nullopt;
  switch (compare.getPredicate()) {
  case Predicate::ult:
    return Comparison{rhs, lhs, true};
  case Predicate::ule:
    return Comparison{rhs, lhs, false};
  case Predicate::ugt:
    return Comparison{lhs, rhs, true};
  default:
    return Comparison{lhs, rhs, false};
  }
}

std::optional<MaskBound> matchBound(const MaskPart &part, AffineAccess &access,
                                    const AtomTable &atoms,
                                    Assumptions &assumptions) {
  auto compare = part.condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  auto comparison = signedComparison(compare, assumptions);
  if (!comparison)
    return std::nullopt;
  auto greater = access.integer(comparison->greater, true);
  auto less = access.integer(comparison->less, true);
  if (!greater || !less)
    return std::nullopt;
  // margin >= 0 where the comparison holds
  std::optional<Polynomial> margin = access.withInductionVariables(
      *greater - *less - Polynomial::constant(comparison->strict));
  for (Operation *op : llvm::reverse(part.spread)) {
    margin = access.through(op, *margin);
    if (!margin)
      return std::nullopt;
  }

  const Polynomial::Monomial *subject = nullptr;
  for (auto &[monomial, coefficient] : margin->getTerms()) {
    bool isAxial = llvm::any_of(
        monomial, [&](AtomTable::Id id) { return atoms[id].isAxial(); });
    if (!isAxial)
      continue;
    bool isUnit = coefficient == 1 || coefficient == -1;
    if (subject || monomial.size() != 1 || !isUnit)
      return std::nullopt;
    subject = &monomial;
  }
  if (!subject)
    return std::nullopt;
  int64_t coefficient = margin->coefficient(*subject);
  Polynomial rest = *margin - Polynomial::term(*subject, coefficient);
  MaskBound bound{MaskBound::Side::Below,
                  subject->front(),
                  {},
                  integerWidth(compare.getLhs().getType()),
                  compare.getLhs(),
                  compare.getRhs(),
                  part};
  if (coefficient < 0) {
    // rest - subject >= 0
    bound.limit = rest + Polynomial::constant(1);
  } else {
    // rest + subject >= 0
    bound.side = MaskBound::Side::AtLeast;
    bound.limit = -rest;
  }
  return bound;
}

} // namespace

MaskBounds findMaskBounds(Value mask, AffineAccess &access,
                          const AtomTable &atoms, Assumptions &assumptions) {
  MaskBounds result;
  if (!mask)
    return result;
  SmallVector<MaskPart> parts;
  splitParts(mask, {}, parts);
  for (MaskPart &part : parts) {
    if (!isa<RankedTensorType>(part.condition.getType()))
      result.uniform.push_back(part.condition);
    else {
      size_t mark = assumptions.mark();
      if (auto bound = matchBound(part, access, atoms, assumptions)) {
        result.bounds.push_back(std::move(*bound));
        continue;
      }
      access.retract(mark);
      result.rest.push_back(std::move(part));
    }
  }
  return result;
}

} // namespace tesela::analysis
