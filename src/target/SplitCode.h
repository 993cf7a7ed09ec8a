//===- SplitCode.h - two halves of a kernel's code ------------------------===//

#ifndef TESELA_TARGET_SPLITCODE_H
#define TESELA_TARGET_SPLITCODE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tesela {

/// On a function of the second half.
inline constexpr llvm::StringLiteral secondHalfAttr = "tile.second_half";

/// Takes the second half out of a module of the LLVM dialect, into one of its
/// own. What one half calls of the other is a hidden symbol of both. Null where
/// the code has no halves.
mlir::OwningOpRef<mlir::ModuleOp> takeSecondHalf(mlir::ModuleOp module);

} // namespace tesela

#endif // TESELA_TARGET_SPLITCODE_H
