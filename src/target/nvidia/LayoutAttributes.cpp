//===- LayoutAttributes.cpp - layouts as encodings of types ---------------===//

#include "target/nvidia/Passes.h"
#include "target/nvidia/Threads.h"

using namespace mlir;

namespace tesela::nvidia {

using layout::Dim;
using layout::LinearLayout;

LinearLayout layoutOf(RankedTensorType type) {
  auto attribute = cast<gpu::LayoutAttr>(type.getEncoding());
  LinearLayout result(layout::Shape(type.getShape()));
  auto add = [&](Dim dim, ArrayRef<int64_t> bases) {
    for (int64_t base : bases)
      result.add(dim, uint64_t(base));
  };
  add(Dim::Register, attribute.getRegisters());
  add(Dim::Lane, attribute.getLanes());
  add(Dim::Warp, attribute.getWarps());
  return result;
}

gpu::LayoutAttr attributeOf(MLIRContext *context, const LinearLayout &layout) {
  auto bases = [&](Dim dim) {
    return SmallVector<int64_t>(layout.bases(dim).begin(),
                                layout.bases(dim).end());
  };
  return gpu::LayoutAttr::get(context, bases(Dim::Register), bases(Dim::Lane),
                              bases(Dim::Warp));
}

RankedTensorType withLayout(RankedTensorType type, const LinearLayout &layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               attributeOf(type.getContext(), layout));
}

unsigned capabilityOf(StringRef processor) {
  unsigned number = 0;
  if (!processor.consume_front("sm_") || processor.consumeInteger(10, number))
    return 0;
  return number;
}

} // namespace tesela::nvidia
