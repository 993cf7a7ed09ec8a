//===- PointwiseOps.cpp - folds of elementwise ops ------------------------===//

#include "dialect/tile/Float8.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/CommonFolders.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tesela::tile;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  // p + 0 == p
  if (matchPattern(adaptor.getOffset(), m_Zero()))
    return getPtr();
  return {};
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor adaptor) {
  // ptr_to_int (int_to_ptr a) == a
  if (auto source = getPtr().getDefiningOp<IntToPtrOp>())
    return source.getAddress();
  return {};
}

OpFoldResult IntToPtrOp::fold(FoldAdaptor adaptor) {
  // int_to_ptr (ptr_to_int p) == p, if it is of the same type
  auto source = getAddress().getDefiningOp<PtrToIntOp>();
  if (source && source.getPtr().getType() == getType())
    return source.getPtr();
  return {};
}

OpFoldResult PtrCastOp::fold(FoldAdaptor adaptor) {
  if (getPtr().getType() == getType())
    return getPtr();
  // ptr_cast (ptr_cast p) goes straight to the last type.
  if (auto source = getPtr().getDefiningOp<PtrCastOp>()) {
    if (source.getPtr().getType() == getType())
      return source.getPtr();
    getPtrMutable().assign(source.getPtr());
    return getResult();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Integer division and shifts
//===----------------------------------------------------------------------===//

template <typename Compute>
static OpFoldResult foldInts(ArrayRef<Attribute> operands, Compute compute) {
  return constFoldBinaryOp<IntegerAttr>(operands, compute);
}

OpFoldResult DivSIOp::fold(FoldAdaptor adaptor) {
  // x / 1 == x
  if (matchPattern(adaptor.getRhs(), m_One()))
    return getLhs();
  return foldInts(adaptor.getOperands(), [](const APInt &a, const APInt &b) {
    // `sdiv` wraps the smallest number divided by -1 to itself.
    return b.isZero() ? APInt(a.getBitWidth(), 0) : a.sdiv(b);
  });
}

OpFoldResult DivUIOp::fold(FoldAdaptor adaptor) {
  // x / 1 == x
  if (matchPattern(adaptor.getRhs(), m_One()))
    return getLhs();
  return foldInts(adaptor.getOperands(), [](const APInt &a, const APInt &b) {
    return b.isZero() ? APInt(a.getBitWidth(), 0) : a.udiv(b);
  });
}

/// x % 1 == 0
static Attribute remainderOfOne(Attribute divisor, Type type) {
  return matchPattern(divisor, m_One())
             ? Builder(type.getContext()).getZeroAttr(type)
             : TypedAttr();
}

OpFoldResult RemSIOp::fold(FoldAdaptor adaptor) {
  if (Attribute zero = remainderOfOne(adaptor.getRhs(), getType()))
    return zero;
  return foldInts(adaptor.getOperands(), [](const APInt &a, const APInt &b) {
    bool trivial = b.isZero() || b.isAllOnes();
    return trivial ? APInt(a.getBitWidth(), 0) : a.srem(b);
  });
}

OpFoldResult RemUIOp::fold(FoldAdaptor adaptor) {
  if (Attribute zero = remainderOfOne(adaptor.getRhs(), getType()))
    return zero;
  return foldInts(adaptor.getOperands(), [](const APInt &a, const APInt &b) {
    return b.isZero() ? APInt(a.getBitWidth(), 0) : a.urem(b);
  });
}

OpFoldResult ShLIOp::fold(FoldAdaptor adaptor) {
  // x << 0 == x
  if (matchPattern(adaptor.getRhs(), m_Zero()))
    return getLhs();
  return foldInts(adaptor.getOperands(), [](const APInt &a, const APInt &b) {
    bool tooWide = b.uge(a.getBitWidth());
    return tooWide ? APInt(a.getBitWidth(), 0) : a.shl(b);
  });
}

OpFoldResult ShRSIOp::fold(FoldAdaptor adaptor) {
  // x >> 0 == x
  if (matchPattern(adaptor.getRhs(), m_Zero()))
    return getLhs();
  return foldInts(adaptor.getOperands(), [](const APInt &a, const APInt &b) {
    return a.ashr(b.getLimitedValue(a.getBitWidth() - 1));
  });
}

OpFoldResult ShRUIOp::fold(FoldAdaptor adaptor) {
  // x >> 0 == x
  if (matchPattern(adaptor.getRhs(), m_Zero()))
    return getLhs();
  return foldInts(adaptor.getOperands(), [](const APInt &a, const APInt &b) {
    bool tooWide = b.uge(a.getBitWidth());
    return tooWide ? APInt(a.getBitWidth(), 0) : a.lshr(b);
  });
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Towards zero, saturating, NaN to 0: what `APFloat` does by itself.
static OpFoldResult foldFpToInt(Attribute source, Type resultType,
                                bool isSigned) {
  auto convert = [&](const APFloat &value, bool &) {
    APSInt result(elementType(resultType).getIntOrFloatBitWidth(), !isSigned);
    bool isExact;
    value.convertToInteger(result, APFloat::rmTowardZero, &isExact);
    if (value.isNaN())
      result = 0;
    return APInt(result);
  };
  return constFoldCastOp<FloatAttr, IntegerAttr>(ArrayRef<Attribute>{source},
                                                 resultType, convert);
}

OpFoldResult FpToSIOp::fold(FoldAdaptor adaptor) {
  return foldFpToInt(adaptor.getSource(), getType(), /*isSigned=*/true);
}

OpFoldResult FpToUIOp::fold(FoldAdaptor adaptor) {
  return foldFpToInt(adaptor.getSource(), getType(), /*isSigned=*/false);
}

OpFoldResult FpToFp8Op::fold(FoldAdaptor adaptor) {
  auto type = cast<FloatType>(elementType(getType()));
  auto convert = [&](const APFloat &value, bool &) {
    return roundToFloat8(value, type.getFloatSemantics());
  };
  return constFoldCastOp<FloatAttr, FloatAttr>(adaptor.getOperands(), getType(),
                                               convert);
}
