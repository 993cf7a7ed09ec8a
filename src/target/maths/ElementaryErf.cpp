//===- ElementaryErf.cpp - the error function -----------------------------===//
//
//   |x| <= 1:  erf(x) = x + x P(x^2)
//   above:     erf(x) = 1 - e^(|x| L(|x|)),   L from ln(1 - erf)
//
//===----------------------------------------------------------------------===//

#include "target/maths/Elementary.h"
#include "target/maths/MathTables.h"

namespace tesela::maths {

Lanes erf(Lanes x) {
  Lanes a = abs(x);
  Lanes square = a * a;
  Lanes small = fma(a, polynomial(square, tables::erfFloat), a);

  // Above 3.95 the difference from 1 is less than half an ulp.
  Lanes bounded = select(a > 3.95, 3.95, a);
  Lanes large =
      1.0 - expModerate(bounded * polynomial(bounded, tables::erfcFloat));
  return copySign(select(a < 1.0, small, large), x);
}

} // namespace tesela::maths
