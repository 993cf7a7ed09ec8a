//===- ProductOps.cpp - verifiers of asynchronous products ----------------===//

#include "dialect/gpu/Gpu.h"

using namespace mlir;

namespace tesela::gpu {

LogicalResult TransposeOp::verify() {
  StagedType from = getStaged().getType(), to = getResult().getType();
  if (to != StagedType::get(getContext(),
                            {from.getShape()[1], from.getShape()[0]},
                            from.getElementType(), 1 - from.getAxis(),
                            from.getSwizzle()))
    return emitOpError("exchanges the axes and changes nothing else");
  return success();
}

static ArrayRef<int64_t> shapeOf(Type type) {
  if (auto staged = dyn_cast<StagedType>(type))
    return staged.getShape();
  return cast<RankedTensorType>(type).getShape();
}

LogicalResult WgmmaOp::verify() {
  ArrayRef<int64_t> a = shapeOf(getA().getType()), b = shapeOf(getB().getType()),
                    c = shapeOf(getAcc().getType());
  if (a.size() != 2 || c.size() != 2 || a[1] != b[0] || c[0] != a[0] ||
      c[1] != b[1])
    return emitOpError("has factors that do not fit together");
  if (c[0] % 64 != 0 || c[1] % 8 != 0)
    return emitOpError("needs rows by 64 and columns by 8");
  return success();
}

} // namespace tesela::gpu
