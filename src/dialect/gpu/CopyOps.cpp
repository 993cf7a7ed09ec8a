//===- CopyOps.cpp - verifiers of asynchronous copies ---------------------===//

#include "dialect/gpu/Gpu.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tesela::gpu {

LogicalResult RingSlotOp::verify() {
  RingType ring = getRing().getType();
  if (getParts().getTypes() != TypeRange(ring.getParts()))
    return emitOpError("gives the parts of its ring");
  llvm::APInt number;
  if (matchPattern(getNumber(), m_ConstantInt(&number)) &&
      (number.isNegative() || number.getSExtValue() >= ring.getSlots()))
    return emitOpError("wants slot ")
           << number.getSExtValue() << " of " << ring.getSlots();
  return success();
}

LogicalResult CopyViewOp::verify() {
  RankedTensorType tile = getTileType();
  StagedType staged = getStaged().getType();
  if (staged.getShape() != tile.getShape() ||
      staged.getElementType() != tile.getElementType())
    return emitOpError("copies ") << tile << " to " << staged;
  if (getBase().getType().getPointee() != tile.getElementType())
    return emitOpError("base points at ")
           << getBase().getType().getPointee() << ", elements are "
           << tile.getElementType();
  if (getOffsets().size() != size_t(tile.getRank()) ||
      getStrides().size() != size_t(tile.getRank()))
    return emitOpError("has ")
           << getOffsets().size() << " offsets and " << getStrides().size()
           << " strides for rank " << tile.getRank();
  for (auto [offset, size] : llvm::zip(getOffsets(), tile.getShape())) {
    auto indexed = dyn_cast<RankedTensorType>(offset.getType());
    if (indexed && indexed.getShape() != ArrayRef<int64_t>(size))
      return emitOpError("an axis of ")
             << size << " elements is indexed by " << indexed;
  }
  ArrayRef<int32_t> axes = getBoundedAxes();
  if (axes.size() != getBounds().size())
    return emitOpError("has ")
           << getBounds().size() << " bounds for " << axes.size() << " axes";
  for (auto [position, axis] : llvm::enumerate(axes))
    if (axis < 0 || axis >= tile.getRank() ||
        (position && axes[position - 1] >= axis))
      return emitOpError("bounded axes are not increasing axes of ") << tile;
  if (getMask() &&
      cast<RankedTensorType>(getMask().getType()).getShape() != tile.getShape())
    return emitOpError("mask is ")
           << getMask().getType() << ", which has not the shape of " << tile;
  return success();
}

} // namespace tesela::gpu
