//===- ElementaryExp.cpp - exponential and hyperbolic functions -----------===//
//
//   x = k ln(2) + r,  k integer, |r| <= ln(2)/2     (Cody and Waite)
//   e^x = 2^k (1 + e),  e = e^r - 1 = r + r^2 q(r)
//
// k comes from adding a number so large that the sum's last bit counts ones;
// the sum's low bits then are k as an integer, which is what a power of two is
// built from. 2^k goes in as two factors, so that results may be subnormal.
//
//===----------------------------------------------------------------------===//

#include "target/maths/Elementary.h"
#include "target/maths/MathTables.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cmath>

using namespace mlir;

namespace tesela::maths {

namespace {

struct Format {
  int mantissa;
  int bias;
  /// 1.5 * 2^mantissa
  double toInteger;
  double log2e;
  double ln2High, ln2Low;
  ArrayRef<double> exp, exp2, sinh;
};

/// e^x = 2^k (1 + e).
struct Reduced {
  Lanes k;
  /// k as an integer in the low bits.
  Lanes kBits;
  /// e = r + tail.
  Lanes e, r, tail;
};

} // namespace

static const Format &formatOf(Lanes x) {
  static const Format single = {23,
                                127,
                                0x1.8p23,
                                0x1.715476p0,
                                0x1.62e43p-1,
                                -0x1.05c61p-29,
                                tables::expFloat,
                                tables::exp2Float,
                                tables::sinhFloat};
  static const Format wide = {52,
                              1023,
                              0x1.8p52,
                              0x1.71547652b82fep0,
                              0x1.62e42fefa39efp-1,
                              0x1.abc9e3b39803fp-56,
                              tables::expDouble,
                              tables::exp2Double,
                              tables::sinhDouble};
  return x.isDouble() ? wide : single;
}

static Reduced reduce(Lanes x) {
  const Format &format = formatOf(x);
  Lanes sum = fma(x, format.log2e, format.toInteger);
  Lanes k = sum - format.toInteger;
  Lanes r = fma(k, -format.ln2High, x);
  r = fma(k, -format.ln2Low, r);
  Lanes square = r * r;
  Lanes p = polynomial(r, format.exp);
  return {k, bits(sum), fma(square, p, r), r, square * p};
}

/// 2^(k + add), where that is a normal number.
static Lanes powerOfTwo(Lanes kBits, const Format &format, int add = 0) {
  Lanes one = integer(kBits, uint64_t(format.bias + add) << format.mantissa);
  return fromBits((kBits << format.mantissa) + one);
}

/// Bits of a vector that fills a register of AVX-512; else 0.
static int64_t registerBits(Lanes x) {
  auto type = dyn_cast<VectorType>(x.type());
  if (!x.builder().hasScale || !type || type.getRank() != 1)
    return 0;
  int64_t width = type.getNumElements() * (x.isDouble() ? 64 : 32);
  return width == 128 || width == 256 || width == 512 ? width : 0;
}

static Value laneMask(LanesBuilder &where, int64_t lanes) {
  Type type = where.builder.getIntegerType(lanes > 8 ? 16 : 8);
  return LLVM::ConstantOp::create(where.builder, where.loc, type,
                                  where.builder.getIntegerAttr(type, -1));
}

/// AVX-512's scalef, on a whole register; null where there is none.
static Value scaleInOne(Lanes x, Lanes k) {
  LanesBuilder &where = x.builder();
  int64_t width = registerBits(x);
  if (!width)
    return {};
  auto type = cast<VectorType>(x.type());
  OpBuilder &builder = where.builder;
  std::string name = std::string("llvm.x86.avx512.mask.scalef.") +
                     (x.isDouble() ? "pd." : "ps.") + std::to_string(width);
  SmallVector<Value> operands = {x.get(), k.get(), x.get(),
                                 laneMask(where, type.getNumElements())};
  if (width == 512) {
    // Rounded as everything else.
    Type i32 = builder.getI32Type();
    operands.push_back(LLVM::ConstantOp::create(
        builder, where.loc, i32, builder.getIntegerAttr(i32, 4)));
  }
  return LLVM::CallIntrinsicOp::create(builder, where.loc, type,
                                       builder.getStringAttr(name), operands)
      .getResults();
}

/// 2^(k + add) (1 + e).
static Lanes scale(const Reduced &x, int add = 0) {
  const Format &format = formatOf(x.e);
  Lanes k = add ? x.k + double(add) : x.k;
  if (Value scaled = scaleInOne(x.e + 1.0, k))
    return {x.e.builder(), scaled};
  // The magic number's low bits are zero: halving it keeps those of k / 2
  // right.
  Lanes half = shiftRightZeros(x.kBits, 1);
  Lanes first = powerOfTwo(half, format);
  Lanes second = powerOfTwo(x.kBits - half, format, add);
  return fma(x.e, first, first) * second;
}

Lanes exp(Lanes x) {
  x = x.isDouble() ? clamp(x, -746.0, 710.0) : clamp(x, -104.0, 89.0);
  return scale(reduce(x));
}

Lanes expModerate(Lanes x) {
  Reduced reduced = reduce(x);
  Lanes power = powerOfTwo(reduced.kBits, formatOf(x));
  return fma(reduced.e, power, power);
}

/// 2^(x + rest), the rest being small or left out.
static Lanes exp2Of(Lanes x, const Lanes *rest) {
  x = x.isDouble() ? clamp(x, -1076.0, 1025.0) : clamp(x, -151.0, 129.0);
  const Format &format = formatOf(x);
  Lanes sum = x + format.toInteger;
  Lanes k = sum - format.toInteger;
  Lanes r = x - k;
  if (rest)
    r = r + *rest;
  Lanes e = r * polynomial(r, format.exp2);
  return scale({k, bits(sum), e, e, 0.0});
}

Lanes exp2(Lanes x) { return exp2Of(x, nullptr); }

Lanes exp2Sum(Lanes x, Lanes rest) { return exp2Of(x, &rest); }

Lanes expm1(Lanes x) {
  Lanes bounded = x.isDouble() ? clamp(x, -40.0, 710.0) : clamp(x, -20.0, 89.0);
  Reduced reduced = reduce(bounded);
  // 2^k e + (2^k - 1), halved so that 2^k can't overflow before the result.
  // The two may cancel: what rounding r's share lost is added to the tail's.
  Lanes half = powerOfTwo(reduced.kBits, formatOf(x), -1);
  Lanes offset = half - 0.5;
  Lanes sum = fma(half, reduced.r, offset);
  Lanes lost = fma(half, reduced.r, offset - sum);
  Lanes result = sum + fma(half, reduced.tail, lost);
  return copySign(result + result, x);
}

/// above / below with an estimate of 1 / below, by a step of Newton's.
static Lanes ratioBy(Lanes inverse, Lanes above, Lanes below) {
  Lanes quotient = above * inverse;
  return fma(fma(-below, quotient, above), inverse, quotient);
}

/// above / below, both of moderate size. Wide divisions are slow: two steps
/// from AVX-512's estimate give the same result in a third of the time.
static Lanes ratio(Lanes above, Lanes below) {
  LanesBuilder &where = above.builder();
  if (where.hasReciprocal && !above.isDouble())
    return ratioBy(nearReciprocal(below), above, below);
  int64_t width = registerBits(above);
  if (!width || above.isDouble())
    return above / below;
  auto type = cast<VectorType>(above.type());
  std::string name = "llvm.x86.avx512.rcp14.ps." + std::to_string(width);
  Value operands[] = {below.get(), below.get(),
                      laneMask(where, type.getNumElements())};
  Lanes inverse(where, LLVM::CallIntrinsicOp::create(
                           where.builder, where.loc, type,
                           where.builder.getStringAttr(name), operands)
                           .getResults());
  inverse = fma(inverse, fma(-below, inverse, 1.0), inverse);
  return ratioBy(inverse, above, below);
}

// With E = e^-2|x| = s (1 + e):  tanh|x| = (1 - E) / (1 + E). Both are taken
// from e, so that nothing cancels near zero.
Lanes tanh(Lanes x) {
  Lanes bounded = abs(x) * -2.0;
  double low = x.isDouble() ? -40.0 : -20.0;
  bounded = select(bounded < low, low, bounded);
  Reduced reduced = reduce(bounded);
  Lanes s = powerOfTwo(reduced.kBits, formatOf(x));
  Lanes above = fma(-s, reduced.e, 1.0 - s);
  Lanes below = fma(s, reduced.e, s + 1.0);
  return copySign(ratio(above, below), x);
}

/// e^|x| / 2, which overflows only where sinh and cosh do.
static Lanes halfExp(Lanes x) {
  double high = x.isDouble() ? 712.0 : 91.0;
  Lanes magnitude = abs(x);
  return scale(reduce(select(magnitude > high, high, magnitude)), -1);
}

Lanes cosh(Lanes x) {
  Lanes half = halfExp(x);
  return half + 0.25 / half;
}

Lanes sinh(Lanes x) {
  Lanes half = halfExp(x);
  Lanes large = half - 0.25 / half;
  Lanes magnitude = abs(x);
  Lanes square = magnitude * magnitude;
  Lanes small =
      fma(square * magnitude, polynomial(square, formatOf(x).sinh), magnitude);
  return copySign(select(magnitude < 1.0, small, large), x);
}

} // namespace tesela::maths
