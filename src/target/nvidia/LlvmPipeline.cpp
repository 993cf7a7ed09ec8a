//===- LlvmPipeline.cpp - thread programs to the LLVM dialect -------------===//

#include "target/nvidia/Nvidia.h"

#include "target/Passes.h"
#include "target/nvidia/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
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
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createUBToLLVMConversionPass());
  manager.addPass(createConvertNVVMToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createNvidiaMarkKernels());
  addStageCheck(manager, "llvm");
}

} // namespace tesela::nvidia
