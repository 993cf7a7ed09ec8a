//===- RingOps.cpp - verifiers of the types of rings ------------------===//

#include "dialect/gpu/Gpu.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tesela::gpu {

int64_t StagedType::getBytes() const {
  int64_t bits = getElementType().getIntOrFloatBitWidth();
  for (int64_t extent : getShape())
    bits *= extent;
  return bits / 8;
}

int64_t StagedType::getPanels() const {
  return getShape()[getAxis()] * getElementType().getIntOrFloatBitWidth() / 8 /
         getSwizzle();
}

LogicalResult
StagedType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   ArrayRef<int64_t> shape, Type element, int64_t axis,
                   int64_t swizzle) {
  if (shape.size() != 2 || axis < 0 || axis > 1)
    return emitError() << "is no matrix with a contiguous axis";
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
    return emitError() << "has elements of no whole bytes";
  if (swizzle != 32 && swizzle != 64 && swizzle != 128)
    return emitError() << "swizzles 32, 64 or 128 bytes";
  int64_t row = shape[axis] * element.getIntOrFloatBitWidth() / 8;
  if (row % swizzle != 0)
    return emitError() << "has rows of " << row
                       << " bytes, which are no whole panels";
  return success();
}

LogicalResult
RingType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                 int64_t slots, ArrayRef<Type> parts) {
  if (slots < 1 || slots > 32 || parts.empty())
    return emitError() << "has not 1 to 32 slots or no parts";
  for (Type part : parts)
    if (!isa<StagedType>(part))
      return emitError() << "has a part that is no staged tile";
  return success();
}

} // namespace tesela::gpu
