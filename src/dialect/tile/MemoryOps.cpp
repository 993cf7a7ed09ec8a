//===- MemoryOps.cpp - verifiers of loads, stores and views ---------------===//

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tesela::tile;

/// Of a tile its shape; of a scalar nothing.
static ArrayRef<int64_t> shapeOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getShape();
  return {};
}

static LogicalResult sameShape(Operation *op, StringRef what, Type type,
                               Type like) {
  bool bothTiles = isa<RankedTensorType>(type) == isa<RankedTensorType>(like);
  if (bothTiles && shapeOf(type) == shapeOf(like))
    return success();
  return op->emitOpError() << what << " is " << type
                           << ", which has not the shape of " << like;
}

/// Pointer, value and mask of an access through pointers agree.
static LogicalResult verifyAccess(Operation *op, Type ptr, Type value,
                                  Value mask) {
  Type pointee = cast<PtrType>(elementType(ptr)).getPointee();
  if (pointee != elementType(value))
    return op->emitOpError("pointers to ")
           << pointee << " access elements of " << elementType(value);
  if (failed(sameShape(op, "value", value, ptr)))
    return failure();
  return mask ? sameShape(op, "mask", mask.getType(), ptr) : success();
}

LogicalResult LoadOp::verify() {
  if (getOther()) {
    if (!getMask())
      return emitOpError("has `other` without `mask`");
    if (getOther().getType() != getType())
      return emitOpError("`other` is ")
             << getOther().getType() << ", result is " << getType();
  }
  return verifyAccess(*this, getPtr().getType(), getType(), getMask());
}

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(),
                       SideEffects::DefaultResource::get());
  // As if it wrote, a volatile load stays where it is.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(),
                         SideEffects::DefaultResource::get());
}

/// Drops a mask that is true everywhere.
template <typename AccessOp>
static LogicalResult dropTrueMask(AccessOp op, PatternRewriter &rewriter) {
  if (!op.getMask() || !matchPattern(op.getMask(), m_One()))
    return rewriter.notifyMatchFailure(op, "the mask is not known");
  rewriter.modifyOpInPlace(op, [&] {
    op.getMaskMutable().clear();
    if constexpr (std::is_same_v<AccessOp, LoadOp>)
      op.getOtherMutable().clear();
  });
  return success();
}

LogicalResult LoadOp::canonicalize(LoadOp op, PatternRewriter &rewriter) {
  if (!op.getMask() || !matchPattern(op.getMask(), m_Zero()))
    return dropTrueMask(op, rewriter);
  // Nothing is read: what is left is `other`, or zero.
  if (op.getOther()) {
    rewriter.replaceOp(op, op.getOther());
    return success();
  }
  TypedAttr zero;
  if (elementType(op.getType()).isIntOrFloat())
    zero = rewriter.getZeroAttr(op.getType());
  if (!zero)
    return rewriter.notifyMatchFailure(op, "no attribute is a null pointer");
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, zero);
  return success();
}

LogicalResult StoreOp::canonicalize(StoreOp op, PatternRewriter &rewriter) {
  if (!op.getMask() || !matchPattern(op.getMask(), m_Zero()))
    return dropTrueMask(op, rewriter);
  rewriter.eraseOp(op);
  return success();
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getPtr().getType(), getValue().getType(),
                      getMask());
}

template <typename ViewOp>
static LogicalResult verifyView(ViewOp op, RankedTensorType tile) {
  if (op.getBase().getType().getPointee() != tile.getElementType())
    return op.emitOpError("base points at ")
           << op.getBase().getType().getPointee() << ", elements are "
           << tile.getElementType();
  int64_t rank = tile.getRank();
  if (int64_t(op.getOffsets().size()) != rank ||
      int64_t(op.getStrides().size()) != rank)
    return op.emitOpError("has ")
           << op.getOffsets().size() << " offsets and "
           << op.getStrides().size() << " strides for rank " << rank;
  for (auto [offset, size] : llvm::zip(op.getOffsets(), tile.getShape())) {
    auto indexed = dyn_cast<RankedTensorType>(offset.getType());
    if (indexed && indexed.getShape() != ArrayRef<int64_t>(size))
      return op.emitOpError("an axis of ")
             << size << " elements is indexed by " << indexed;
  }
  ArrayRef<int32_t> axes = op.getBoundedAxes();
  if (axes.size() != op.getBounds().size())
    return op.emitOpError("has ")
           << op.getBounds().size() << " bounds for " << axes.size() << " axes";
  for (auto [position, axis] : llvm::enumerate(axes))
    if (axis < 0 || axis >= rank || (position && axes[position - 1] >= axis))
      return op.emitOpError("bounded axes are not increasing axes of ") << tile;
  return op.getMask() ? sameShape(op, "mask", op.getMask().getType(), tile)
                      : success();
}

LogicalResult ViewLoadOp::verify() {
  auto tile = cast<RankedTensorType>(getType());
  if (getOther() && getOther().getType() != tile &&
      getOther().getType() != tile.getElementType())
    return emitOpError("`other` is ")
           << getOther().getType() << ", result is " << tile;
  return verifyView(*this, tile);
}

LogicalResult ViewStoreOp::verify() {
  return verifyView(*this, cast<RankedTensorType>(getValue().getType()));
}
