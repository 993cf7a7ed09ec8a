//===- FlattenControl.h - loops and branches as blocks --------------------===//

#ifndef TESELA_TARGET_FLATTENCONTROL_H
#define TESELA_TARGET_FLATTENCONTROL_H

namespace mlir {
class OpBuilder;
class Operation;
} // namespace mlir

namespace tesela {

/// Replaces an `scf.for`, `scf.if` or `scf.while`, in which nothing of `scf` is
/// left, by blocks and the LLVM dialect's branches. Its types are those of that
/// dialect. False where it is another op.
bool flattenControl(mlir::OpBuilder &b, mlir::Operation *op);

} // namespace tesela

#endif // TESELA_TARGET_FLATTENCONTROL_H
