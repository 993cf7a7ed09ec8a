//===- Lanes.h - formulas that make arith ops -----------------------------===//
//
//   Lanes y = fma(x, 2.0, 1.0);         %y = math.fma %x, %c2, %c1
//   y = select(x < 0.0, -y, y);         %c = arith.cmpf olt, %x, %c0 …
//
// One value for every lane, float, integer or truth value, scalar or vector. A
// number beside one takes its type. Comparisons are ordered (false for NaN) on
// floats and signed on integers. Nothing here may be contracted or reordered:
// the ops carry no fast-math flags.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_TARGET_MATHS_LANES_H
#define TESELA_TARGET_MATHS_LANES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace tesela::maths {

/// The same shape with other elements.
mlir::Type withElements(mlir::Type type, mlir::Type element);

/// Where formulas put their ops, and what the processor offers them.
struct LanesBuilder {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  /// AVX-512 multiplies by powers of two in one instruction.
  bool hasScale = false;
  /// Division is slow, and 1 / x with an error of an ulp is an instruction.
  bool hasReciprocal = false;

  /// The same in the region of an op.
  LanesBuilder inside(mlir::OpBuilder &nested, mlir::Location at) const {
    return {nested, at, hasScale, hasReciprocal};
  }
};

class Lanes {
public:
  Lanes(LanesBuilder &where, mlir::Value value) : where(&where), value(value) {}
  /// A number; its type is that of what it is combined with.
  Lanes(double number) : number(number) {}
  Lanes(int number) : number(number) {}

  mlir::Value get() const { return value; }
  mlir::Type type() const { return value.getType(); }
  mlir::Type elementType() const { return mlir::getElementTypeOrSelf(value); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(elementType()); }
  bool isDouble() const { return elementType().isF64(); }
  LanesBuilder &builder() const { return *where; }

  /// The value itself, or the number as one of `like`'s type.
  Lanes as(Lanes like) const;

private:
  LanesBuilder *where = nullptr;
  mlir::Value value;
  double number = 0;
};

Lanes operator+(Lanes a, Lanes b);
Lanes operator-(Lanes a, Lanes b);
Lanes operator*(Lanes a, Lanes b);
Lanes operator/(Lanes a, Lanes b);
Lanes operator-(Lanes a);
Lanes operator&(Lanes a, Lanes b);
Lanes operator|(Lanes a, Lanes b);
Lanes operator^(Lanes a, Lanes b);
Lanes operator<<(Lanes a, int count);
/// Keeps the sign.
Lanes operator>>(Lanes a, int count);
Lanes shiftRightZeros(Lanes a, Lanes count);
Lanes shiftLeft(Lanes a, Lanes count);
Lanes operator<(Lanes a, Lanes b);
Lanes operator<=(Lanes a, Lanes b);
Lanes operator>(Lanes a, Lanes b);
Lanes operator>=(Lanes a, Lanes b);
/// Ordered: false for NaN.
Lanes equal(Lanes a, Lanes b);
/// Unordered: true for NaN.
Lanes differs(Lanes a, Lanes b);

Lanes fma(Lanes a, Lanes b, Lanes c);
Lanes select(Lanes condition, Lanes a, Lanes b);
Lanes abs(Lanes x);
Lanes sqrt(Lanes x);
/// 1 / x and 1 / sqrt(x) of f32 to an ulp or two: instructions, where the
/// processor has them.
Lanes nearReciprocal(Lanes x);
Lanes nearRsqrt(Lanes x);
Lanes trunc(Lanes x);
Lanes copySign(Lanes magnitude, Lanes sign);

/// The bits of a float as an integer of its width, and back.
Lanes bits(Lanes x);
Lanes fromBits(Lanes x);
/// An integer of `like`'s type with these bits.
Lanes integer(Lanes like, uint64_t value);
/// Signed integers to a float type, element by element.
Lanes toFloat(Lanes x, mlir::FloatType type);
/// To a wider or narrower float type.
Lanes convert(Lanes x, mlir::FloatType type);
/// To a wider or narrower integer type, filling with zeros.
Lanes convertInteger(Lanes x, unsigned width);

/// Into [low, high]; NaN stays what it is.
Lanes clamp(Lanes x, double low, double high);
/// c[0] + c[1] x + c[2] x^2 + …, by Horner's rule with fused operations.
Lanes polynomial(Lanes x, llvm::ArrayRef<double> coefficients);

} // namespace tesela::maths

#endif // TESELA_TARGET_MATHS_LANES_H
