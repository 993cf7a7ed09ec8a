//===- Target.cpp - NVIDIA GPUs as one of the targets ---------------------===//

#include "target/nvidia/Nvidia.h"

#include "dialect/tile/Tile.h"
#include "passes/Pipeline.h"
#include "target/nvidia/LaunchPlan.h"
#include "target/nvidia/Threads.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tesela::nvidia {

/// Runs what `build` adds and shows the result to `observe`.
static bool runStage(ModuleOp module, StageObserver observe, const char *name,
                     llvm::function_ref<void(OpPassManager &)> build) {
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  build(manager);
  if (failed(manager.run(module)))
    return false;
  if (observe && name)
    observe(name, [&] {
      std::string text;
      llvm::raw_string_ostream(text) << module;
      return text;
    });
  return true;
}

static func::FuncOp kernelOf(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(tile::kernelAttr))
      return function;
  return {};
}

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
  if (!kernel) {
    module.emitError("holds no kernel");
    return false;
  }
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
