//===- Stages.h - the stages of a target's compilation --------------------===//

#ifndef TESELA_TARGET_STAGES_H
#define TESELA_TARGET_STAGES_H

#include "target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tesela {

/// Runs what `build` adds and shows the result to `observe`; a stage without a
/// name is not shown.
bool runStage(mlir::ModuleOp module, StageObserver observe, const char *name,
              llvm::function_ref<void(mlir::OpPassManager &)> build);

/// The module's kernel; null, with an error, where it holds none.
mlir::func::FuncOp kernelOf(mlir::ModuleOp module);

} // namespace tesela

#endif // TESELA_TARGET_STAGES_H
