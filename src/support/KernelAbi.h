//===- KernelAbi.h - how a compiled kernel is called ----------------------===//
//
// Run-time arguments lie in one buffer, each at an offset that is fixed while
// compiling: naturally aligned, in the order of the kernel's parameters, as a C
// struct would hold them. Constants have no place in it. A pointer is 8 bytes,
// a scalar as many as its type (`Int1` one byte, 0 or 1).
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_SUPPORT_KERNELABI_H
#define TESELA_SUPPORT_KERNELABI_H

#include "tesela/types.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tesela {

/// One run-time argument of a compiled kernel.
struct ArgumentSlot {
  bool isPointer = false;
  /// Of the scalar, or of what the pointer points at.
  DType dtype = DType::Int32;
  uint32_t offset = 0;

  bool operator==(const ArgumentSlot &) const = default;
};

/// The layout of the argument buffer.
struct ArgumentLayout {
  std::vector<ArgumentSlot> slots;
  uint32_t bytes = 0;

  /// Appends a slot and gives its offset.
  uint32_t append(bool isPointer, DType dtype) {
    uint32_t size = isPointer ? 8 : uint32_t(byteWidth(dtype));
    uint32_t offset = (bytes + size - 1) / size * size;
    slots.push_back({isPointer, dtype, offset});
    bytes = offset + size;
    return offset;
  }
  bool operator==(const ArgumentLayout &) const = default;
};

/// A compiled kernel on a CPU runs the instances `begin <= i < end` of the grid
/// in order. Instance i has the program id `(i % x, i / x % y, i / (x * y))` in
/// a grid of `x * y * z`. `scratch` is 64-byte aligned memory of the calling
/// thread's own, as large as the compiled kernel asks for; its contents are
/// undefined before and after.
using CpuEntry = void (*)(const void *arguments, void *scratch,
                          const int32_t *grid, int64_t begin, int64_t end);

/// Whether the facts hold that a fast binary takes for granted. Has no effect.
using CpuPrecondition = bool (*)(const void *arguments, const int32_t *grid);

} // namespace tesela

#endif // TESELA_SUPPORT_KERNELABI_H
