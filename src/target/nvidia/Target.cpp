//===- Target.cpp - kernels for NVIDIA GPUs -------------------------------===//

#include "target/nvidia/Nvidia.h"

#include "mlir/IR/BuiltinOps.h"

namespace tesela::nvidia {

bool compile(mlir::ModuleOp module, const CompileOptions &, StageObserver,
             Binary &) {
  module.emitError("kernels for NVIDIA GPUs need a compiler that this library "
                   "was built without");
  return false;
}

} // namespace tesela::nvidia
