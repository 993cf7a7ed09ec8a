//===- Pipeline.cpp - the order of the passes to thread programs ----------===//

#include "target/nvidia/Nvidia.h"

#include "target/Passes.h"
#include "target/nvidia/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tesela::nvidia {

void buildNvidiaLayoutPipeline(OpPassManager &manager,
                               const CompileOptions &options) {
  // What a launch would have to check is taken for granted there.
  if (options.facts.processor == "sm_90a" && !options.general) {
    NvidiaSpecialiseWarpsOptions warps;
    warps.numWarps = unsigned(options.numWarps);
    warps.numStages = unsigned(options.numStages);
    manager.addPass(createNvidiaSpecialiseWarps(warps));
  }
  manager.addNestedPass<func::FuncOp>(createNvidiaWidenDots());
  manager.addNestedPass<func::FuncOp>(createNvidiaGroupInstances());
  NvidiaCopyFactorsOptions copies;
  copies.numWarps = unsigned(options.numWarps);
  copies.numStages = unsigned(options.numStages);
  copies.processor = options.facts.processor;
  manager.addNestedPass<func::FuncOp>(createNvidiaCopyFactors(copies));
  NvidiaAssignLayoutsOptions layouts;
  layouts.numWarps = unsigned(options.numWarps);
  layouts.processor = options.facts.processor;
  manager.addNestedPass<func::FuncOp>(createNvidiaAssignLayouts(layouts));
  manager.addPass(createCSEPass());
  manager.addNestedPass<func::FuncOp>(createNvidiaOrderMemory());
}

void buildNvidiaThreadPipeline(OpPassManager &manager,
                               const CompileOptions &options) {
  NvidiaLowerThreadsOptions lower;
  lower.numWarps = unsigned(options.numWarps);
  lower.processor = options.facts.processor;
  manager.addPass(createNvidiaLowerThreads(lower));
  addStageCheck(manager, "loops");
  manager.addPass(createCSEPass());
}

void buildNvidiaPipeline(OpPassManager &manager,
                         const CompileOptions &options) {
  buildNvidiaLayoutPipeline(manager, options);
  buildNvidiaThreadPipeline(manager, options);
  buildNvidiaLlvmPipeline(manager, options);
}

} // namespace tesela::nvidia
