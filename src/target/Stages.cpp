//===- Stages.cpp - the stages of a target's compilation ------------------===//

#include "target/Stages.h"

#include "dialect/tile/Tile.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tesela {

bool runStage(ModuleOp module, StageObserver observe, const char *name,
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

func::FuncOp kernelOf(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(tile::kernelAttr))
      return function;
  module.emitError("holds no kernel");
  return {};
}

} // namespace tesela
