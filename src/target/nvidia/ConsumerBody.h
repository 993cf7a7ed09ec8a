//===- ConsumerBody.h - the part of a kernel that its consumers run -------===//

#ifndef TESELA_TARGET_NVIDIA_CONSUMERBODY_H
#define TESELA_TARGET_NVIDIA_CONSUMERBODY_H

#include "target/nvidia/WarpPlan.h"

namespace tesela::nvidia {

/// Rewrites, where it stands, the body of a kernel whose plan was made from it:
/// loads become takes of slots, dots asynchronous products.
void rewriteConsumers(const WarpPlan &plan, llvm::ArrayRef<mlir::Value> rings);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_CONSUMERBODY_H
