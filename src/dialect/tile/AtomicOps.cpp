//===- AtomicOps.cpp - verifiers of atomic ops ----------------------------===//

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tesela::tile;

/// Of a scalar null, which equals no tile's.
static std::optional<ArrayRef<int64_t>> shapeOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getShape();
  return std::nullopt;
}

static LogicalResult verifyAccess(Operation *op, Type ptr, Type value) {
  Type pointee = cast<PtrType>(elementType(ptr)).getPointee();
  if (pointee != elementType(value))
    return op->emitOpError("pointers to ")
           << pointee << " access elements of " << elementType(value);
  if (shapeOf(ptr) != shapeOf(value))
    return op->emitOpError("value is ")
           << value << ", which has not the shape of " << ptr;
  return success();
}

static bool isOfFloats(AtomicKind kind) {
  return kind == AtomicKind::FAdd || kind == AtomicKind::FMax ||
         kind == AtomicKind::FMin;
}

LogicalResult AtomicRMWOp::verify() {
  Type element = elementType(getType());
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  bool isNarrowSum = getKind() == AtomicKind::FAdd && bits == 16;
  bool isFloat = isa<FloatType>(element);
  bool fits = getKind() == AtomicKind::Xchg || isOfFloats(getKind()) == isFloat;
  if ((bits != 32 && bits != 64 && !isNarrowSum) || !fits)
    return emitOpError("`") << stringifyAtomicKind(getKind())
                            << "` is not defined for " << element;
  if (getMask() && shapeOf(getMask().getType()) != shapeOf(getType()))
    return emitOpError("mask is ")
           << getMask().getType() << ", which has not the shape of "
           << getPtr().getType();
  return verifyAccess(*this, getPtr().getType(), getType());
}

/// A mask that is known: true needs none, false leaves nothing to do.
LogicalResult AtomicRMWOp::canonicalize(AtomicRMWOp op,
                                        PatternRewriter &rewriter) {
  if (op.getMask() && matchPattern(op.getMask(), m_One())) {
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  }
  // What stays is ordered with other accesses even if it touches nothing.
  if (!op.getMask() || !matchPattern(op.getMask(), m_Zero()) ||
      op.getOrder() != MemoryOrder::Relaxed)
    return rewriter.notifyMatchFailure(op, "the mask is not known");
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(
      op, rewriter.getZeroAttr(op.getType()));
  return success();
}

LogicalResult AtomicCasOp::verify() {
  Type element = elementType(getType());
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  if (bits != 16 && bits != 32 && bits != 64)
    return emitOpError("elements of ") << element << " cannot be compared";
  return verifyAccess(*this, getPtr().getType(), getType());
}

MemoryOrder tesela::tile::atomicOrder(Operation *op) {
  if (auto rmw = dyn_cast<AtomicRMWOp>(op))
    return rmw.getOrder();
  return cast<AtomicCasOp>(op).getOrder();
}

bool tesela::tile::isAtomic(Operation *op) {
  return isa<AtomicRMWOp, AtomicCasOp>(op);
}
