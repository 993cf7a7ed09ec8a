//===- Swizzle.h - the buffer between two layouts -------------------------===//

#ifndef TESELA_LAYOUT_SWIZZLE_H
#define TESELA_LAYOUT_SWIZZLE_H

#include "layout/MemoryAccess.h"

namespace tesela::layout {

/// A layout of shared memory, and what the accesses of both sides cost.
struct SharedBuffer {
  LinearLayout layout;
  SharedAccess store;
  SharedAccess load;
};

/// The buffer through which a tile gets from one layout to another, both of the
/// same shape and surjective, at the least number of wavefronts and accesses:
/// of the vectors that both sides could move, or one of them alone, those that
/// pay most, without bank conflicts where that is possible. Elements have 8 to
/// 64 bits. Each block's part is in its own memory.
std::optional<SharedBuffer> conversionBuffer(const LinearLayout &source,
                                             const LinearLayout &destination,
                                             unsigned elementBits);

} // namespace tesela::layout

#endif // TESELA_LAYOUT_SWIZZLE_H
