//===- MemoryAccess.h - how a layout's elements come from memory ----------===//
//
// Given a layout in registers and a bijective one in memory (offsets to
// coordinates): how many elements a thread moves at once, how many wavefronts a
// warp's access to shared memory takes, and whether `ldmatrix` and `stmatrix`
// can do it.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_LAYOUT_MEMORYACCESS_H
#define TESELA_LAYOUT_MEMORYACCESS_H

#include "layout/LinearLayout.h"

namespace tesela::layout {

/// An access moves 2^`vectorBits` elements, which follow each other in memory
/// and are aligned to their number. Which registers: in the numbering
/// `registers` (see `renumberRegisters`) the lowest bits count along a vector,
/// the others count accesses.
struct VectorAccess {
  unsigned vectorBits = 0;
  std::vector<uint64_t> registers;

  unsigned accesses() const { return 1u << (registers.size() - vectorBits); }
  /// The register with element `index` of access `access`.
  uint64_t registerOf(uint64_t access, uint64_t index) const {
    return BitMatrix(64, registers)(access << vectorBits | index);
  }
};

/// The widest access of at most 2^`maxVectorBits` elements; no offset that
/// threads start at keeps it from being aligned. None where shapes differ.
/// Memory outside of the tile (a tensor's rows) takes `dense` in the order of
/// strides; what is known of its alignment bounds the result further.
std::optional<VectorAccess> vectorAccess(const LinearLayout &layout,
                                         const LinearLayout &memory,
                                         unsigned maxVectorBits);

/// What all accesses of a warp to a tile in shared memory cost.
struct SharedAccess {
  VectorAccess vector;
  /// Of one access: how often the 32 banks of 4 bytes are read or written.
  unsigned wavefronts = 1;
  /// The same if no two lanes wanted different words of one bank.
  unsigned ideal = 1;
  unsigned totalWavefronts() const { return vector.accesses() * wavefronts; }
};

/// In accesses of up to 16 bytes. One of 8 or 16 bytes is done in two or four
/// parts, a half or a quarter of the warp each.
std::optional<SharedAccess> sharedAccess(const LinearLayout &layout,
                                         const LinearLayout &shared,
                                         unsigned elementBits);

/// A layout moved by `ldmatrix` or `stmatrix`. In the numbering `registers` the
/// lowest bits count the elements of a 32-bit register, the next ones the
/// matrices of an instruction, the others instructions.
struct MatrixAccess {
  unsigned packedBits = 0;
  /// 0, 1 or 2: an instruction moves 1, 2 or 4 matrices.
  unsigned matrixBits = 0;
  std::vector<uint64_t> registers;
  /// The offset of the 16 bytes whose address a lane gives; the register counts
  /// instructions. Lanes beyond the last matrix repeat addresses.
  PlaceMap rows;
  /// Of one matrix; 1 without conflicts.
  unsigned wavefronts = 1;
};

/// None where the layout is not made of such matrices, or their rows are not
/// 16 bytes in one piece. `transposed` is for elements of 16 bits.
std::optional<MatrixAccess> matrixAccess(const LinearLayout &layout,
                                         const LinearLayout &shared,
                                         unsigned elementBits,
                                         bool transposed = false);

} // namespace tesela::layout

#endif // TESELA_LAYOUT_MEMORYACCESS_H
