//===- Entry.h - from a kernel to the function that a launch calls --------===//

#ifndef TESELA_TARGET_CPU_ENTRY_H
#define TESELA_TARGET_CPU_ENTRY_H

#include "target/cpu/Plan.h"

namespace tesela::cpu {

/// On an entry: an i64, the bytes of scratch memory that it wants.
inline constexpr llvm::StringLiteral scratchBytesAttr = "cpu.scratch_bytes";

/// Replaces a kernel by its entry, which `CpuEntry` can call.
mlir::LogicalResult lowerKernel(mlir::func::FuncOp kernel,
                                const LoweringOptions &options);

/// Replaces the function that checks a launch by one that `CpuPrecondition` can
/// call.
mlir::LogicalResult lowerPrecondition(mlir::func::FuncOp function);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_ENTRY_H
