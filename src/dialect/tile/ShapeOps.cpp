//===- ShapeOps.cpp - verifiers and folds of shape ops --------------------===//

#include "dialect/tile/Tile.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tesela::tile;

/// The element of a constant that is the same everywhere, or null.
static Attribute splatValue(Attribute constant) {
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(constant))
    if (dense.isSplat())
      return dense.getSplatValue<Attribute>();
  return {};
}

/// The same element everywhere under another shape; null for pointers, which
/// no attribute can hold.
static Attribute resplat(Attribute constant, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (!tensor.getElementType().isIntOrFloat())
    return {};
  if (Attribute value = splatValue(constant))
    return DenseElementsAttr::get(tensor, value);
  return {};
}

/// shape op (splat x) == splat x
template <typename ShapeOp>
static LogicalResult splatOfSplat(ShapeOp op, PatternRewriter &rewriter) {
  auto splat = op.getSource().template getDefiningOp<SplatOp>();
  if (!splat)
    return rewriter.notifyMatchFailure(op, "the source is no splat");
  rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getValue());
  return success();
}

static LogicalResult sameElementType(Operation *op, Type source, Type result) {
  if (elementType(source) == elementType(result))
    return success();
  return op->emitOpError("source elements are ")
         << elementType(source) << ", result elements are "
         << elementType(result);
}

LogicalResult IotaOp::verify() {
  int64_t start = int32_t(getStart());
  int64_t last = start + getType().getNumElements() - 1;
  if (last > INT32_MAX)
    return emitOpError("last element ") << last << " does not fit i32";
  return success();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  Attribute value = adaptor.getValue();
  if (!isa_and_nonnull<IntegerAttr, FloatAttr>(value))
    return {};
  return DenseElementsAttr::get(cast<ShapedType>(getType()), value);
}

LogicalResult ExpandDimsOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  int64_t axis = getAxis();
  if (axis < 0 || axis > source.getRank())
    return emitOpError("axis ")
           << axis << " is past the last axis of " << source;
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + axis, 1);
  if (result.getShape() != ArrayRef<int64_t>(shape))
    return emitOpError("result of ")
           << source << " with axis " << axis << " inserted is " << result;
  return sameElementType(*this, source, result);
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return resplat(adaptor.getSource(), getType());
}

LogicalResult ExpandDimsOp::canonicalize(ExpandDimsOp op,
                                         PatternRewriter &rewriter) {
  return splatOfSplat(op, rewriter);
}

LogicalResult BroadcastOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  if (source.getRank() != result.getRank())
    return emitOpError("source has rank ")
           << source.getRank() << ", result has rank " << result.getRank();
  for (auto [from, to] : llvm::zip(source.getShape(), result.getShape()))
    if (from != to && from != 1)
      return emitOpError("an axis of ")
             << from << " elements cannot be repeated to " << to;
  return sameElementType(*this, source, result);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return resplat(adaptor.getSource(), getType());
}

LogicalResult BroadcastOp::canonicalize(BroadcastOp op,
                                        PatternRewriter &rewriter) {
  // broadcast (broadcast x) == broadcast x
  if (auto inner = op.getSource().getDefiningOp<BroadcastOp>()) {
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(),
                                             inner.getSource());
    return success();
  }
  return splatOfSplat(op, rewriter);
}

LogicalResult ReshapeOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  if (source.getNumElements() != result.getNumElements())
    return emitOpError("source has ")
           << source.getNumElements() << " elements, result has "
           << result.getNumElements();
  return sameElementType(*this, source, result);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return resplat(adaptor.getSource(), getType());
}

LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  // reshape (reshape x) == reshape x, in the order that either allows
  if (auto inner = op.getSource().getDefiningOp<ReshapeOp>()) {
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getSource(),
                                           op.getCanReorder() ||
                                               inner.getCanReorder());
    return success();
  }
  return splatOfSplat(op, rewriter);
}

LogicalResult PermuteOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  ArrayRef<int32_t> order = getOrder();
  SmallVector<bool> seen(source.getRank(), false);
  if (int64_t(order.size()) != source.getRank())
    return emitOpError("order has ")
           << order.size() << " axes, source has rank " << source.getRank();
  SmallVector<int64_t> shape;
  for (int32_t axis : order) {
    if (axis < 0 || axis >= source.getRank() || seen[axis])
      return emitOpError("order is no permutation of the axes of ") << source;
    seen[axis] = true;
    shape.push_back(source.getDimSize(axis));
  }
  if (result.getShape() != ArrayRef<int64_t>(shape))
    return emitOpError("result is ") << result << ", its shape does not follow";
  return sameElementType(*this, source, result);
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  if (llvm::equal(getOrder(), llvm::seq<int32_t>(0, getOrder().size())))
    return getSource();
  return resplat(adaptor.getSource(), getType());
}

LogicalResult PermuteOp::canonicalize(PermuteOp op, PatternRewriter &rewriter) {
  // permute (permute x) == permute x by the order of both
  if (auto inner = op.getSource().getDefiningOp<PermuteOp>()) {
    SmallVector<int32_t> order;
    for (int32_t axis : op.getOrder())
      order.push_back(inner.getOrder()[axis]);
    rewriter.replaceOpWithNewOp<PermuteOp>(op, op.getType(), inner.getSource(),
                                           order);
    return success();
  }
  return splatOfSplat(op, rewriter);
}

/// `pair` is `half` with an axis of two elements after its last.
static LogicalResult verifyPair(Operation *op, Type half, Type pair) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(half).getShape());
  shape.push_back(2);
  if (cast<RankedTensorType>(pair).getShape() != ArrayRef<int64_t>(shape))
    return op->emitOpError("the shape of ")
           << pair << " is not that of " << half << " with an axis of 2 added";
  return sameElementType(op, half, pair);
}

LogicalResult JoinOp::verify() {
  return verifyPair(*this, getLhs().getType(), getType());
}

OpFoldResult JoinOp::fold(FoldAdaptor adaptor) {
  // join (split x) == x
  auto split = getLhs().getDefiningOp<SplitOp>();
  if (split && getLhs() == split.getLhs() && getRhs() == split.getRhs())
    return split.getSource();
  return {};
}

LogicalResult SplitOp::verify() {
  return verifyPair(*this, getLhs().getType(), getSource().getType());
}

LogicalResult SplitOp::fold(FoldAdaptor adaptor,
                            SmallVectorImpl<OpFoldResult> &results) {
  // split (join x, y) == x, y
  if (auto join = getSource().getDefiningOp<JoinOp>()) {
    results.append({join.getLhs(), join.getRhs()});
    return success();
  }
  Attribute half = resplat(adaptor.getSource(), getLhs().getType());
  if (!half)
    return failure();
  results.append({half, half});
  return success();
}

LogicalResult CatOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  auto result = cast<RankedTensorType>(getType());
  if (lhs.getRank() != 1 || rhs.getRank() != 1 || result.getRank() != 1)
    return emitOpError("operands and result have one axis");
  if (lhs.getDimSize(0) + rhs.getDimSize(0) != result.getDimSize(0))
    return emitOpError("result has ")
           << result.getDimSize(0) << " elements, operands have "
           << lhs.getDimSize(0) << " and " << rhs.getDimSize(0);
  if (failed(sameElementType(*this, lhs, result)))
    return failure();
  return sameElementType(*this, rhs, result);
}

LogicalResult GatherOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  auto result = cast<RankedTensorType>(getType());
  int64_t axis = getAxis();
  if (axis < 0 || axis >= source.getRank())
    return emitOpError("axis ")
           << axis << " is past the last axis of " << source;
  if (!llvm::isPowerOf2_64(uint64_t(source.getDimSize(axis))))
    return emitOpError("axis ")
           << axis << " of " << source << " is no power of two long";
  SmallVector<int64_t> shape(indices.getShape());
  if (indices.getRank() == source.getRank())
    shape[axis] = source.getDimSize(axis);
  if (source.getShape() != ArrayRef<int64_t>(shape))
    return emitOpError("source is ")
           << source << ", indices are " << indices << ": they differ along"
           << " another axis than " << axis;
  if (result.getShape() != indices.getShape())
    return emitOpError("result is ")
           << result << ", which has not the shape of " << indices;
  return sameElementType(*this, source, result);
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  return resplat(adaptor.getSource(), getType());
}
