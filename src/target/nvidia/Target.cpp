//===- Target.cpp - NVIDIA GPUs as one of the targets ---------------------===//

#include "target/nvidia/Nvidia.h"

#include "passes/Pipeline.h"
#include "target/Stages.h"
#include "target/nvidia/LaunchPlan.h"
#include "target/nvidia/Threads.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tesela::nvidia {

bool compile(ModuleOp module, const CompileOptions &options,
             StageObserver observe, Binary &binary) {
  if (!runStage(module, observe, "views",
                [&](OpPassManager &manager) {
                  buildTilePipeline(manager, options.general);
                }) ||
      !runStage(module, observe, "gpu", [&](OpPassManager &manager) {
        buildNvidiaLayoutPipeline(manager, options);
      }))
    return false;
  func::FuncOp kernel = kernelOf(module);
  if (!kernel)
    return false;
  binary.name = kernel.getName();
  if (!planLaunch(kernel, binary.gpu))
    return false;
  if (!runStage(module, observe, nullptr, [&](OpPassManager &manager) {
        buildNvidiaThreadPipeline(manager, options);
      }))
    return false;
  kernel = kernelOf(module);
  binary.gpu.sharedBytes =
      uint32_t(kernel->getAttrOfType<IntegerAttr>(sharedBytesAttr).getInt());
  if (auto bytes = kernel->getAttrOfType<IntegerAttr>(crowdedBytesAttr))
    binary.gpu.crowdedBytes = uint32_t(bytes.getInt());
  binary.gpu.threads = uint32_t(kernel
                                    ->getAttrOfType<DenseI32ArrayAttr>(
                                        NVVM::NVVMDialect::getReqntidAttrName())
                                    .asArrayRef()[0]);
  if (!runStage(module, observe, "nvvm", [&](OpPassManager &manager) {
        buildNvidiaLlvmPipeline(manager, options);
      }))
    return false;
  std::string error;
  binary.code = generatePtx(module, options.facts, observe, error);
  if (!binary.code.empty())
    return true;
  module.emitError(error);
  return false;
}

} // namespace tesela::nvidia
