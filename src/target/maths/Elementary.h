//===- Elementary.h - elementary functions in straight-line code ----------===//
//
// Each works on f32 and, where not said otherwise, on f64. docs/maths.md has
// their errors; the special values are those of the C standard's annex F.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_TARGET_MATHS_ELEMENTARY_H
#define TESELA_TARGET_MATHS_ELEMENTARY_H

#include "target/maths/Lanes.h"

namespace tesela::maths {

// ElementaryExp.cpp
Lanes exp(Lanes x);
/// Where |x| <= 80; cheaper.
Lanes expModerate(Lanes x);
Lanes exp2(Lanes x);
/// 2^(x + rest) in f64.
Lanes exp2Sum(Lanes x, Lanes rest);
Lanes expm1(Lanes x);
Lanes sinh(Lanes x);
Lanes cosh(Lanes x);
Lanes tanh(Lanes x);

// ElementaryLog.cpp
Lanes log(Lanes x);
Lanes log2(Lanes x);
/// log2 of a positive f64 as a sum of two, to about 2^-64 of it.
struct LanesSum {
  Lanes high, rest;
};
LanesSum log2Sum(Lanes x);
Lanes log10(Lanes x);
Lanes log1p(Lanes x);
/// f64
Lanes asinh(Lanes x);
Lanes acosh(Lanes x);
Lanes atanh(Lanes x);

// ElementaryPow.cpp
Lanes pow(Lanes x, Lanes y);
Lanes cbrt(Lanes x);

// ElementaryTrig.cpp
Lanes sin(Lanes x);
Lanes cos(Lanes x);
Lanes tan(Lanes x);

// ElementaryArc.cpp
Lanes asin(Lanes x);
Lanes acos(Lanes x);
Lanes atan(Lanes x);
Lanes atan2(Lanes y, Lanes x);

// ElementaryErf.cpp
Lanes erf(Lanes x);
/// f64
Lanes erfc(Lanes x);

// ElementaryExact.cpp: without error
Lanes remainder(Lanes x, Lanes y);
/// f16 or bf16 to f32 or f64.
Lanes widen(Lanes x, mlir::FloatType type);
/// f32 or f64 to bf16, and f64 to f16, rounded once to nearest even.
Lanes narrow(Lanes x, mlir::FloatType type);

} // namespace tesela::maths

#endif // TESELA_TARGET_MATHS_ELEMENTARY_H
