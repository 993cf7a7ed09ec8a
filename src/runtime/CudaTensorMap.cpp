//===- CudaTensorMap.cpp - tensor maps from a launch's own numbers --------===//

#include "runtime/CudaCode.h"

namespace tesela::runtime {

/// `CUtensorMapDataType`. Types that it lacks are copied as others of their
/// size: filling with zeros is all that it has to know them for.
static int dataType(DType dtype) {
  switch (dtype) {
  case DType::Float16:
    return 6;
  case DType::Float32:
    return 7;
  case DType::Float64:
    return 8;
  case DType::BFloat16:
    return 9;
  case DType::Int32:
    return 3;
  case DType::Int64:
    return 5;
  default:
    break;
  }
  switch (byteWidth(dtype)) {
  case 1:
    return 0;
  case 2:
    return 1;
  case 4:
    return 2;
  default:
    return 4;
  }
}

static int swizzleMode(uint32_t bytes) {
  return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
}

MapOutcome encodeTensorMap(const CudaDevice &device, const TensorMapPlan &plan,
                           std::span<const int64_t> values,
                           cuda::TensorMap &map, RunError &error) {
  constexpr int interleaveNone = 0, promotion128 = 2, fillZeros = 0;
  constexpr int64_t largestExtent = int64_t(1) << 32;
  constexpr int64_t largestStride = int64_t(1) << 40;
  uint64_t extents[5], strides[5] = {};
  uint32_t box[5], steps[5];
  size_t rank = plan.dimensions.size();
  int64_t address = values[plan.address];
  if (address % 16 != 0)
    return MapOutcome::NotEncodable;
  for (size_t i = 0; i < rank; ++i) {
    const TensorMapPlan::Dimension &dimension = plan.dimensions[i];
    int64_t extent = values[dimension.extent];
    if (extent < 1 || extent > largestExtent)
      return MapOutcome::NotEncodable;
    extents[i] = uint64_t(extent);
    box[i] = dimension.box;
    steps[i] = 1;
    if (i == 0)
      continue;
    int64_t stride = values[dimension.stride];
    if (stride < 0 || stride >= largestStride || stride % 16 != 0)
      return MapOutcome::NotEncodable;
    strides[i - 1] = uint64_t(stride);
  }
  CudaResult result = device.driver().encodeTensorMap(
      &map, dataType(plan.dtype), unsigned(rank),
      reinterpret_cast<void *>(address), extents, strides, box, steps,
      interleaveNone, swizzleMode(plan.swizzleBytes), promotion128, fillZeros);
  if (result == cuda::Success)
    return MapOutcome::Done;
  if (result == cuda::InvalidValue)
    return MapOutcome::NotEncodable;
  device.fail(result, "a tensor map cannot be encoded", error);
  return MapOutcome::Failed;
}

} // namespace tesela::runtime
