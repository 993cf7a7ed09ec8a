//===- ElementaryErf.cpp - the error function -----------------------------===//
//
//   |x| <= 1:  erf(x) = x + x P(x^2)
//   above:     erf(x) = 1 - e^(|x| L(|x|)),   L from ln(1 - erf)
//
//   |x| < 1/2: erfc(x) = 1 - erf(x)
//   above:     erfc(x) = e^(-x^2) Q((x - 4) / (x + 4)) / (1 + 2x)
//   below:     erfc(x) = 2 - erfc(-x)
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

Lanes erfc(Lanes x) {
  Lanes a = abs(x);
  // From here on it is 0.
  Lanes bounded = select(a > 28.0, 28.0, a);
  Lanes scaled =
      polynomial((bounded - 4.0) / (bounded + 4.0), tables::erfcScaled) /
      fma(bounded, 2.0, 1.0);
  // e^-(square + rest), and where that may be subnormal, e^86 times it first:
  // e^-86 happens to be almost a number.
  Lanes square = bounded * bounded;
  Lanes rest = fma(bounded, bounded, -square);
  Lanes isSmall = square > 512.0;
  Lanes power = exp(select(isSmall, 86.0 - square, -square));
  Lanes result = fma(power * scaled, -rest, power * scaled);
  result = select(isSmall, result * 0x1.e726c3f64d0fep-125, result);
  result = select(x < 0.0, 2.0 - result, result);
  Lanes near = 1.0 - fma(x, polynomial(x * x, tables::erfDouble), x);
  result = select(a < 0.5, near, result);
  return select(equal(x, x), result, x);
}

} // namespace tesela::maths
