//===- LlvmPipeline.cpp - thread programs to the LLVM dialect -------------===//

#include "target/nvidia/Nvidia.h"

#include "target/Passes.h"
#include "target/nvidia/Passes.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tesela::nvidia {

void buildNvidiaLlvmPipeline(OpPassManager &manager,
                             const CompileOptions &options) {
  // What kernels multiply and add may fuse, not the formulas of elementary
  // functions.
  if (options.facts.fpFusion)
    manager.addPass(createAllowContraction());
  manager.addPass(createNvidiaExpandMath());
  addStageCheck(manager, "math");
  addLlvmConversions(manager, /*bf16IsBits=*/false);
  manager.addPass(createConvertNVVMToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createNvidiaMarkKernels());
  addStageCheck(manager, "llvm");
}

} // namespace tesela::nvidia
