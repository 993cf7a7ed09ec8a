//===- Nvidia.h - kernels for NVIDIA GPUs ---------------------------------===//

#ifndef TESELA_TARGET_NVIDIA_NVIDIA_H
#define TESELA_TARGET_NVIDIA_NVIDIA_H

#include "target/Target.h"

namespace tesela::nvidia {

/// As `Target::compile` says: from tile IR to PTX.
bool compile(mlir::ModuleOp module, const CompileOptions &options,
             StageObserver observe, Binary &binary);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_NVIDIA_H
