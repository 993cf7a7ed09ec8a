//===- Target.cpp - the CPU as one of the targets -------------------------===//

#include "target/cpu/Cpu.h"

#include "passes/Pipeline.h"
#include "target/Stages.h"
#include "target/cpu/Entry.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tesela::cpu {

static bool compile(ModuleOp module, const CompileOptions &options,
                    StageObserver observe, Binary &binary) {
  func::FuncOp kernel = kernelOf(module);
  if (!kernel)
    return false;
  std::string name = kernel.getName().str();
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

  if (!runStage(module, observe, nullptr, [&](OpPassManager &manager) {
        buildCpuLlvmPipeline(manager, options);
      }))
    return false;
  std::string error;
  binary.code = generateCode(module, options.facts, /*asAssembly=*/false,
                             observe, error, options.lines);
  if (!binary.code.empty())
    return true;
  module.emitError(error);
  return false;
}

Target target() { return {"cpu", hostFacts, compile}; }

} // namespace tesela::cpu
