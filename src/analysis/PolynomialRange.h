//===- PolynomialRange.h - between which numbers a polynomial lies --------===//

#ifndef TESELA_ANALYSIS_POLYNOMIALRANGE_H
#define TESELA_ANALYSIS_POLYNOMIALRANGE_H

#include "analysis/IntegerRanges.h"
#include "analysis/Polynomial.h"

namespace tesela::analysis {

/// The range of a polynomial of scalars, computed with whole numbers. Nothing
/// where that might not fit 62 bits and a sign: where it does, computing the
/// polynomial modulo 2^64 is exact, and so is adding a number of up to 62 bits.
std::optional<IntegerRange> polynomialRange(const Polynomial &polynomial,
                                            const AtomTable &atoms,
                                            IntegerRanges &ranges);

} // namespace tesela::analysis

#endif // TESELA_ANALYSIS_POLYNOMIALRANGE_H
