//===- LayoutOps.cpp - folding of conversions -----------------------------===//

#include "dialect/gpu/Gpu.h"

using namespace mlir;

namespace tesela::gpu {

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  Value source = getSource();
  if (source.getType() == getType())
    return source;
  if (auto before = source.getDefiningOp<ConvertOp>())
    if (before.getSource().getType() == getType())
      return before.getSource();
  return {};
}

} // namespace tesela::gpu
