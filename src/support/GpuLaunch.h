//===- GpuLaunch.h - what launching a GPU binary takes --------------------===//
//
// A kernel's parameters are its slots, one each and in order, then one tensor
// map of 128 bytes (`CUtensorMap`, by value, `__grid_constant__`) for each
// entry of `tensorMaps`. Program instance (x, y, z) is the thread block of
// these indices.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_SUPPORT_GPULAUNCH_H
#define TESELA_SUPPORT_GPULAUNCH_H

#include "support/HostProgram.h"
#include "tesela/types.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tesela {

/// The array behind a tensor map, innermost dimension first. Its elements are
/// bytes apart as `cuTensorMapEncodeTiled` wants them; numbers marked "value"
/// are indices of values of the host program.
struct TensorMapPlan {
  DType dtype = DType::Float16;
  /// Bytes of the shared-memory swizzle: 0 (none), 32, 64 or 128.
  uint32_t swizzleBytes = 0;
  uint32_t address = 0; // value
  struct Dimension {
    uint32_t extent = 0; // value, in elements
    uint32_t stride = 0; // value, in bytes; unused for the innermost one
    uint32_t box = 1;    // elements
    bool operator==(const Dimension &) const = default;
  };
  std::vector<Dimension> dimensions; // 1 to 5

  bool operator==(const TensorMapPlan &) const = default;
};

struct GpuLaunch {
  /// Of one block, along x.
  uint32_t threads = 128;
  /// Dynamic shared memory, bytes.
  uint32_t sharedBytes = 0;
  /// Instead of `sharedBytes` in launches of more blocks than run at one time,
  /// so that fewer do; 0 where that is of no use.
  uint32_t crowdedBytes = 0;
  /// Blocks of a cluster along x; 1 for none.
  uint32_t cluster = 1;
  HostProgram host;
  /// The value that says whether the binary's assumptions hold; nothing where
  /// it assumes nothing.
  std::optional<uint32_t> precondition;
  /// A map that can't be encoded (an address that is not a multiple of 16, a
  /// stride that is not, or negative, or too large) is an assumption that does
  /// not hold.
  std::vector<TensorMapPlan> tensorMaps;

  static constexpr size_t maxTensorMaps = 24;
  /// More than any device has.
  static constexpr uint32_t maxSharedBytes = 1 << 20;

  bool operator==(const GpuLaunch &) const = default;

  /// Whether all numbers are in range: what is from a file is asked first.
  bool isValid(const ArgumentLayout &layout) const;
};

} // namespace tesela

#endif // TESELA_SUPPORT_GPULAUNCH_H
