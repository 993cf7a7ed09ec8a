//===- Pipeline.cpp - the order of the passes to machine code -------------===//

#include "target/cpu/Cpu.h"

#include "target/cpu/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tesela::cpu {

static bool hasFeature(const TargetFacts &facts, const std::string &feature) {
  return ("," + facts.features + ",").find(",+" + feature + ",") !=
         std::string::npos;
}

void buildCpuLoopPipeline(OpPassManager &manager,
                          const CompileOptions &options) {
  CpuLowerTilesOptions lower;
  lower.vectorBytes = options.facts.vectorBytes;
  lower.vectorRegisters = options.facts.vectorRegisters;
  lower.general = options.general;
  manager.addPass(createCpuLowerTiles(lower));
  manager.addPass(createCSEPass());
}

void buildCpuLlvmPipeline(OpPassManager &manager,
                          const CompileOptions &options) {
  bool isX86 = options.facts.triple.rfind("x86_64", 0) == 0;
  CpuExpandMathOptions math;
  math.hasFma = !isX86 || hasFeature(options.facts, "fma");
  math.hasScale = hasFeature(options.facts, "avx512vl");
  manager.addPass(createCpuExpandMath(math));
  if (options.facts.fpFusion)
    manager.addPass(createCpuAllowContraction());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createUBToLLVMConversionPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}

void buildCpuPipeline(OpPassManager &manager, const CompileOptions &options) {
  buildCpuLoopPipeline(manager, options);
  buildCpuLlvmPipeline(manager, options);
}

} // namespace tesela::cpu
