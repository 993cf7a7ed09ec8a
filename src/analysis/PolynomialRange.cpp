//===- PolynomialRange.cpp - between which numbers a polynomial lies ------===//

#include "analysis/PolynomialRange.h"

#include "analysis/IntegerWidth.h"

using namespace mlir;

namespace tesela::analysis {

static std::optional<IntegerRange> atomRange(const Atom &atom,
                                             IntegerRanges &ranges) {
  switch (atom.kind) {
  case Atom::Kind::Scalar:
    return ranges.get(atom.value);
  case Atom::Kind::Iteration:
  case Atom::Kind::Trips: {
    scf::ForOp loop = atom.loop;
    if (integerWidth(loop.getStep().getType()) > 32)
      return std::nullopt;
    return IntegerRange{0, int64_t(1) << 32};
  }
  case Atom::Kind::Iota:
  case Atom::Kind::Index:
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<IntegerRange> polynomialRange(const Polynomial &polynomial,
                                            const AtomTable &atoms,
                                            IntegerRanges &ranges) {
  constexpr __int128 most = __int128(1) << 62;
  __int128 sumLow = 0, sumHigh = 0;
  for (auto &[monomial, coefficient] : polynomial.getTerms()) {
    __int128 low = coefficient, high = coefficient;
    for (AtomTable::Id id : monomial) {
      auto range = atomRange(atoms[id], ranges);
      if (!range)
        return std::nullopt;
      __int128 products[] = {low * range->least, low * range->most,
                             high * range->least, high * range->most};
      low = *std::min_element(products, products + 4);
      high = *std::max_element(products, products + 4);
      // Later factors may be 0 and still bring it back; not worth proving.
      if (low < -most || high > most)
        return std::nullopt;
    }
    sumLow += low;
    sumHigh += high;
  }
  if (sumLow < -most || sumHigh > most)
    return std::nullopt;
  return IntegerRange{int64_t(sumLow), int64_t(sumHigh)};
}

} // namespace tesela::analysis
