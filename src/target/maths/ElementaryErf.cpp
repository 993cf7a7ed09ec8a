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
  bool isDouble = x.isDouble();
  llvm::ArrayRef<double> below = tables::erfFloat, above = tables::erfcFloat;
  if (isDouble) {
    below = tables::erfDouble;
    above = tables::erfcDouble;
  }
  Lanes small = fma(a, polynomial(square, below), a);

  // From here on the difference from 1 is less than half an ulp.
  double last = isDouble ? 5.93 : 3.95;
  Lanes bounded = select(a > last, last, a);
  Lanes large = 1.0 - expModerate(bounded * polynomial(bounded, above));
  return copySign(select(a < 1.0, small, large), x);
}

} // namespace tesela::maths
