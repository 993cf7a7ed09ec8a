//===- Instructions.h - ops as those of the LLVM dialect ------------------===//

#ifndef TESELA_TARGET_INSTRUCTIONS_H
#define TESELA_TARGET_INSTRUCTIONS_H

#include "mlir/IR/Types.h"

namespace mlir {
class OpBuilder;
class Operation;
} // namespace mlir

namespace tesela {

/// The type of a value in the LLVM dialect; the same where it is one already.
/// Index is an i64, a float of 8 bits an i8, and so a bf16 an i16 where it is
/// to be moved only.
mlir::Type instructionType(mlir::Type type, bool bf16IsBits);

/// Replaces a straight-line op on scalars and 1-D vectors, whose types are
/// those of the LLVM dialect, by ops of that dialect. False where it has no
/// such form.
bool replaceByInstruction(mlir::OpBuilder &b, mlir::Operation *op);

} // namespace tesela

#endif // TESELA_TARGET_INSTRUCTIONS_H
