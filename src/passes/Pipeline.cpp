//===- Pipeline.cpp - the order of the passes from tile to tile -----------===//
//
// Addresses are made simple, then raised, then what they left behind is removed
// and what they need is moved out of loops.
//
//===----------------------------------------------------------------------===//

#include "passes/Pipeline.h"

#include "passes/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tesela {

void buildTilePipeline(OpPassManager &manager, bool general) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addNestedPass<func::FuncOp>(createHoistSplat());
  manager.addPass(createLoopInvariantCodeMotionPass());
  manager.addNestedPass<func::FuncOp>(createFuseDotAcc());
  manager.addPass(createCSEPass());
  VersionWrapsOptions versions;
  versions.general = general;
  manager.addNestedPass<func::FuncOp>(createVersionWraps(versions));

  RaiseViewsOptions options;
  options.general = general;
  manager.addPass(createRaiseViews(options));

  manager.addNestedPass<func::FuncOp>(createDropDeadCarried());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createLoopInvariantCodeMotionPass());
  manager.addPass(createCSEPass());
}

} // namespace tesela
