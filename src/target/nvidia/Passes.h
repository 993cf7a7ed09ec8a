//===- Passes.h - passes of the NVIDIA target -----------------------------===//

#ifndef TESELA_TARGET_NVIDIA_PASSES_H
#define TESELA_TARGET_NVIDIA_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tesela::nvidia {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "target/nvidia/Passes.h.inc"

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_PASSES_H
