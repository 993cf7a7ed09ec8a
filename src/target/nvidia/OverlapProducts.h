//===- OverlapProducts.h - one product under way while the next begins ----===//

#ifndef TESELA_TARGET_NVIDIA_OVERLAPPRODUCTS_H
#define TESELA_TARGET_NVIDIA_OVERLAPPRODUCTS_H

#include "dialect/gpu/Gpu.h"

namespace tesela::nvidia {

/// Rewrites loops of two products of which the second needs the first, as they
/// are after the kernel has been split, in both roles.
void overlapProducts(gpu::RolesOp roles, unsigned numWarps);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_OVERLAPPRODUCTS_H
