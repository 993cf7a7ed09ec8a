//===- TotalIntegers.cpp - division, shifts, float to integer -------------===//
//
//   %q = tile.divsi %a, %b
//     ==>
//   %bad = %b == 0 or (%a is the smallest and %b == -1)
//   %q' = arith.divsi %a, select(%bad, 1, %b)
//   %q = select(%b == 0, 0, %q')
//
// CPUs do not divide vectors of integers, so their quotients of at most 32 bits
// are computed as floats: an f64 quotient of two such numbers is nearer to the
// true one than that can be to the next integer, and truncates to the same.
//
//===----------------------------------------------------------------------===//

#include "target/maths/TotalIntegers.h"

#include "dialect/tile/Tile.h"
#include "target/maths/Slices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tesela::maths {
namespace {

struct IntegerEmitter {
  OpBuilder &b;
  Location loc;
  Type element;
  int64_t lanes;
  bool divideFloats;

  Value number(int64_t value) {
    return intConstant(b, loc, element, value, lanes);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  }
  Value isEqual(Value lhs, Value rhs) {
    return compare(arith::CmpIPredicate::eq, lhs, rhs);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  unsigned width() const { return element.getIntOrFloatBitWidth(); }

  Value quotient(Value lhs, Value rhs, bool isSigned) {
    if (divideFloats && lanes && width() <= 32 &&
        !matchPattern(rhs, m_Constant()))
      return quotientOfFloats(lhs, rhs, isSigned);
    if (isSigned)
      return arith::DivSIOp::create(b, loc, lhs, rhs);
    return arith::DivUIOp::create(b, loc, lhs, rhs);
  }

  Value quotientOfFloats(Value lhs, Value rhs, bool isSigned) {
    Type wide = sliceType(b.getI32Type(), lanes);
    Type floats =
        sliceType(width() <= 16 ? b.getF32Type() : Type(b.getF64Type()), lanes);
    auto toFloat = [&](Value value) -> Value {
      // A narrow number fits a signed i32, whatever its own sign.
      if (width() < 32) {
        value = isSigned
                    ? arith::ExtSIOp::create(b, loc, wide, value).getResult()
                    : arith::ExtUIOp::create(b, loc, wide, value).getResult();
        return arith::SIToFPOp::create(b, loc, floats, value);
      }
      if (isSigned)
        return arith::SIToFPOp::create(b, loc, floats, value);
      return arith::UIToFPOp::create(b, loc, floats, value);
    };
    Value ratio = arith::DivFOp::create(b, loc, toFloat(lhs), toFloat(rhs));
    if (width() < 32)
      return arith::TruncIOp::create(
          b, loc, lhs.getType(),
          arith::FPToSIOp::create(b, loc, wide, ratio).getResult());
    if (isSigned)
      return arith::FPToSIOp::create(b, loc, lhs.getType(), ratio);
    return arith::FPToUIOp::create(b, loc, lhs.getType(), ratio);
  }

  Value divide(Value lhs, Value rhs, bool isSigned) {
    Value zero = isEqual(rhs, number(0));
    Value bad = zero;
    if (isSigned) {
      int64_t smallest = int64_t(uint64_t(1) << (width() - 1));
      Value overflow = arith::AndIOp::create(
          b, loc, isEqual(lhs, number(smallest)), isEqual(rhs, number(-1)));
      bad = arith::OrIOp::create(b, loc, zero, overflow);
    }
    Value safe = isSafeDivisor(rhs) ? rhs : select(bad, number(1), rhs);
    return select(zero, number(0), quotient(lhs, safe, isSigned));
  }

  Value remainder(Value lhs, Value rhs, bool isSigned) {
    Value bad = isEqual(rhs, number(0));
    if (isSigned)
      bad = arith::OrIOp::create(b, loc, bad, isEqual(rhs, number(-1)));
    Value safe = isSafeDivisor(rhs) ? rhs : select(bad, number(1), rhs);
    Value whole = quotient(lhs, safe, isSigned);
    return arith::SubIOp::create(b, loc, lhs,
                                 arith::MulIOp::create(b, loc, whole, safe));
  }

  /// A constant that is neither 0 nor -1.
  static bool isSafeDivisor(Value divisor) {
    llvm::APInt value;
    return matchPattern(divisor, m_ConstantInt(&value)) && !value.isZero() &&
           !value.isAllOnes();
  }

  Value shift(Operation *op, Value lhs, Value rhs) {
    Value past = compare(arith::CmpIPredicate::uge, rhs, number(width()));
    if (isa<tile::ShRSIOp>(op))
      return arith::ShRSIOp::create(b, loc, lhs,
                                    select(past, number(width() - 1), rhs));
    Value amount = select(past, number(0), rhs);
    Value result =
        isa<tile::ShLIOp>(op)
            ? arith::ShLIOp::create(b, loc, lhs, amount).getResult()
            : arith::ShRUIOp::create(b, loc, lhs, amount).getResult();
    return select(past, number(0), result);
  }

  /// Towards zero; out of range the nearest end of the range, NaN gives 0. The
  /// conversion proper happens in at least 32 bits, the ends are exact floats.
  Value fromFloat(Value value, bool isSigned) {
    Type from = getElementTypeOrSelf(value.getType());
    if (from.getIntOrFloatBitWidth() < 32) {
      from = b.getF32Type();
      value = convertFloat(b, loc, value, from);
    }
    unsigned bits = width();
    Type inner = bits < 32 ? b.getI32Type() : element;
    // Unsigned numbers below 32 bits fit a signed i32.
    bool signedStep = isSigned || bits < 32;
    Value result =
        signedStep
            ? arith::FPToSIOp::create(b, loc, sliceType(inner, lanes), value)
                  .getResult()
            : arith::FPToUIOp::create(b, loc, sliceType(inner, lanes), value)
                  .getResult();
    llvm::APInt most = isSigned ? llvm::APInt::getSignedMaxValue(bits)
                                : llvm::APInt::getMaxValue(bits);
    llvm::APInt least = isSigned ? llvm::APInt::getSignedMinValue(bits)
                                 : llvm::APInt::getZero(bits);
    unsigned innerBits = inner.getIntOrFloatBitWidth();
    auto limit = [&](const llvm::APInt &end) {
      llvm::APInt extended =
          isSigned ? end.sext(innerBits) : end.zext(innerBits);
      return constant(b, loc, b.getIntegerAttr(inner, extended), lanes);
    };
    double upper = std::ldexp(1.0, isSigned ? int(bits) - 1 : int(bits));
    double lower = isSigned ? -upper : 0.0;
    auto test = [&](arith::CmpFPredicate predicate, Value against) {
      return arith::CmpFOp::create(b, loc, predicate, value, against);
    };
    Value high = floatConstant(b, loc, from, upper, lanes);
    Value low = floatConstant(b, loc, from, lower, lanes);
    result = select(test(arith::CmpFPredicate::OGE, high), limit(most), result);
    result = select(test(arith::CmpFPredicate::OLE, low), limit(least), result);
    Value zero = intConstant(b, loc, inner, 0, lanes);
    result = select(test(arith::CmpFPredicate::UNO, value), zero, result);
    if (bits < 32)
      result =
          arith::TruncIOp::create(b, loc, sliceType(element, lanes), result);
    return result;
  }
};

} // namespace

Value emitTotalInteger(OpBuilder &b, Operation *op, ArrayRef<Value> operands,
                       bool divideFloats) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  IntegerEmitter emit{b, op->getLoc(), element, lanesOf(operands[0]),
                      divideFloats};
  return TypeSwitch<Operation *, Value>(op)
      .Case<tile::DivSIOp>(
          [&](auto) { return emit.divide(operands[0], operands[1], true); })
      .Case<tile::DivUIOp>(
          [&](auto) { return emit.divide(operands[0], operands[1], false); })
      .Case<tile::RemSIOp>(
          [&](auto) { return emit.remainder(operands[0], operands[1], true); })
      .Case<tile::RemUIOp>(
          [&](auto) { return emit.remainder(operands[0], operands[1], false); })
      .Case<tile::ShLIOp, tile::ShRSIOp, tile::ShRUIOp>(
          [&](auto) { return emit.shift(op, operands[0], operands[1]); })
      .Case<tile::FpToSIOp>(
          [&](auto) { return emit.fromFloat(operands[0], true); })
      .Case<tile::FpToUIOp>(
          [&](auto) { return emit.fromFloat(operands[0], false); })
      .Default([](Operation *) { return Value(); });
}

} // namespace tesela::maths
