//===- FeedRings.h - a ring that its consumers fill themselves ------------===//

#ifndef TESELA_TARGET_NVIDIA_FEEDRINGS_H
#define TESELA_TARGET_NVIDIA_FEEDRINGS_H

#include "dialect/gpu/Gpu.h"

namespace tesela::nvidia {

/// Where one warpgroup takes one ring's slots in one simple loop, it fills them
/// itself, and there is no producer. False where everything stays as it is.
bool feedRing(gpu::RolesOp roles, unsigned numWarps);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_FEEDRINGS_H
