//===- SharedTransfer.h - registers to and from shared memory -------------===//

#ifndef TESELA_TARGET_NVIDIA_SHAREDTRANSFER_H
#define TESELA_TARGET_NVIDIA_SHAREDTRANSFER_H

#include "target/nvidia/Threads.h"

namespace tesela::nvidia {

/// Moves a tile between a thread's registers, in `layout`, and shared memory,
/// in `memory` (from offsets to coordinates, one for each element), whose first
/// byte is at `base`. Elements take whole bytes there: an i1 takes one.
void storeShared(const ThreadLowering &lowering, mlir::OpBuilder &b,
                 mlir::Location loc, mlir::Value registers,
                 const layout::LinearLayout &layout,
                 const layout::LinearLayout &memory, mlir::Value base);
mlir::Value loadShared(const ThreadLowering &lowering, mlir::OpBuilder &b,
                       mlir::Location loc, mlir::VectorType type,
                       const layout::LinearLayout &layout,
                       const layout::LinearLayout &memory, mlir::Value base);

/// Bytes of one element in shared memory.
int64_t sharedBytes(mlir::Type element);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_SHAREDTRANSFER_H
