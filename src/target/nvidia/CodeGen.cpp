//===- CodeGen.cpp - from the LLVM dialect to PTX -------------------------===//

#include "target/LlvmCode.h"
#include "target/LlvmErrors.h"
#include "target/nvidia/Machine.h"
#include "target/nvidia/Nvidia.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace tesela::nvidia {

/// Says of inline assembly what MLIR has no word for: threads must reach it
/// together, so that no pass may copy it into branches.
static void makeConvergent(llvm::Module &module) {
  for (llvm::Function &function : module) {
    function.addFnAttr(llvm::Attribute::NoUnwind);
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call || !call->isInlineAsm())
        continue;
      auto *text = llvm::cast<llvm::InlineAsm>(call->getCalledOperand());
      if (text->hasSideEffects() ||
          llvm::StringRef(text->getAsmString()).contains(".sync"))
        call->setConvergent();
    }
  }
}

std::string generatePtx(ModuleOp module, const TargetFacts &facts,
                        StageObserver observe, std::string &error) {
  error.clear();
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(facts, error);
  if (!machine)
    return {};

  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  // Directives for lines alone: with more, PTX counts as a debug build.
  PassManager lines(module.getContext(), ModuleOp::getOperationName());
  lines.enableVerifier(false);
  LLVM::DIScopeForLLVMFuncOpPassOptions scopes;
  scopes.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
  lines.addPass(LLVM::createDIScopeForLLVMFuncOpPass(scopes));
  if (failed(lines.run(module))) {
    error = "the module takes no line numbers";
    return {};
  }

  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<KeepErrors>(error));
  context.setDiscardValueNames(!observe);
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, "kernel");
  if (!llvmModule) {
    if (error.empty())
      error = "the module does not translate to LLVM IR";
    return {};
  }
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  makeConvergent(*llvmModule);

  optimise(*llvmModule, *machine);
  if (observe)
    observe("llvm", [&] { return printLlvm(*llvmModule); });
  error = findUnselectable(*llvmModule);
  if (!error.empty())
    return {};

  std::string code = emitMachineCode(
      *llvmModule, *machine, llvm::CodeGenFileType::AssemblyFile, error);
  if (error.empty() && llvm::StringRef(code).contains(".extern .func"))
    error = "the PTX calls a function that it does not have";
  if (!error.empty())
    return {};
  if (observe)
    observe("ptx", [&] { return code; });
  return code;
}

} // namespace tesela::nvidia
