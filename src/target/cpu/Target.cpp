//===- Target.cpp - the CPU as one of the targets -------------------------===//

#include "target/cpu/Cpu.h"

#include "dialect/tile/Tile.h"
#include "passes/Pipeline.h"
#include "target/cpu/Entry.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tesela::cpu {

/// Runs what `build` adds and shows the result to `observe`.
static bool runStage(ModuleOp module, StageObserver observe, const char *name,
                     llvm::function_ref<void(OpPassManager &)> build) {
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  build(manager);
  if (failed(manager.run(module)))
    return false;
  if (observe)
    observe(name, [&] {
      std::string text;
      llvm::raw_string_ostream(text) << module;
      return text;
    });
  return true;
}

static bool compile(ModuleOp module, const CompileOptions &options,
                    StageObserver observe, Binary &binary) {
  std::string name;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(tile::kernelAttr))
      name = function.getName();
  if (!runStage(module, observe, "views", [&](OpPassManager &manager) {
        buildTilePipeline(manager, options.general);
      }))
    return false;
  if (!runStage(module, observe, "cpu", [&](OpPassManager &manager) {
        buildCpuLoopPipeline(manager, options);
      }))
    return false;
  auto entry = module.lookupSymbol<func::FuncOp>(name);
  auto bytes =
      entry ? entry->getAttrOfType<IntegerAttr>(scratchBytesAttr) : nullptr;
  if (!bytes) {
    module.emitError("holds no kernel");
    return false;
  }
  binary.name = name;
  binary.scratchBytes = bytes.getInt();
  std::string check = name + ".precondition";
  binary.precondition = module.lookupSymbol(check) ? check : "";

  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  buildCpuLlvmPipeline(manager, options);
  if (failed(manager.run(module)))
    return false;
  std::string error;
  binary.code =
      generateCode(module, options.facts, /*asAssembly=*/false, observe, error);
  if (!binary.code.empty())
    return true;
  module.emitError(error);
  return false;
}

Target target() { return {"cpu", hostFacts, compile}; }

} // namespace tesela::cpu
