//===- Passes.h - passes of the NVIDIA target -----------------------------===//

#ifndef TESELA_TARGET_NVIDIA_PASSES_H
#define TESELA_TARGET_NVIDIA_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tesela::nvidia {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "target/nvidia/Passes.h.inc"

/// 90 of "sm_90a"; 0 of what is no such name.
unsigned capabilityOf(llvm::StringRef processor);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_PASSES_H
