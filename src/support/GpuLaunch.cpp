//===- GpuLaunch.cpp - what launching a GPU binary takes ------------------===//

#include "support/GpuLaunch.h"

namespace tesela {

static bool isValidMap(const TensorMapPlan &map, size_t numValues) {
  uint32_t swizzle = map.swizzleBytes;
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return false;
  if (map.dtype > DType::Float64 || map.address >= numValues ||
      map.dimensions.empty() || map.dimensions.size() > 5)
    return false;
  for (size_t i = 0; i < map.dimensions.size(); ++i) {
    const TensorMapPlan::Dimension &dimension = map.dimensions[i];
    if (dimension.extent >= numValues ||
        (i > 0 && dimension.stride >= numValues) || dimension.box < 1 ||
        dimension.box > 256)
      return false;
  }
  return true;
}

bool GpuLaunch::isValid(const ArgumentLayout &layout) const {
  if (threads < 1 || threads > 1024 || cluster < 1 || cluster > 16 ||
      sharedBytes > maxSharedBytes || crowdedBytes > maxSharedBytes ||
      tensorMaps.size() > maxTensorMaps)
    return false;
  if (!host.isValid(layout))
    return false;
  size_t numValues = host.instructions.size();
  if (precondition && *precondition >= numValues)
    return false;
  for (const TensorMapPlan &map : tensorMaps)
    if (!isValidMap(map, numValues))
      return false;
  return true;
}

} // namespace tesela
