//===- CodeGen.cpp - from the LLVM dialect to object code -----------------===//

#include "target/LlvmCode.h"
#include "target/LlvmErrors.h"
#include "target/cpu/Cpu.h"
#include "target/cpu/Machine.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;

namespace tesela::cpu {

/// Says on each function what the vectors are, so that LLVM neither splits the
/// ones that it finds wide nor shies away from scalable registers. A check runs
/// once a launch, in nanoseconds whatever LLVM does: it does the least.
static void describeFunctions(llvm::Module &module, const TargetFacts &facts,
                              const llvm::Triple &triple) {
  std::string bits = std::to_string(facts.vectorBytes * 8);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (isPrecondition(function)) {
      function.addFnAttr(llvm::Attribute::NoInline);
      function.addFnAttr(llvm::Attribute::OptimizeNone);
    }
    if (triple.isX86_64()) {
      function.addFnAttr("prefer-vector-width", bits);
      function.addFnAttr("min-legal-vector-width", bits);
    } else if (facts.vectorBytes > 16) {
      // At least so wide; the architecture allows 16 times 128 bits.
      function.addFnAttr(llvm::Attribute::getWithVScaleRangeArgs(
          module.getContext(), facts.vectorBytes / 16, 16));
    }
  }
}

/// Consumes the module, as writing object code does.
static std::string writeAssembly(llvm::Module &module,
                                 llvm::TargetMachine &machine) {
  std::unique_ptr<CodeWriter> writer =
      CodeWriter::create(machine, llvm::CodeGenFileType::AssemblyFile);
  return writer ? writer->write(module) : std::string();
}

std::string generateCode(ModuleOp module, const TargetFacts &facts,
                         bool asAssembly, StageObserver observe,
                         std::string &error, bool lines) {
  error.clear();
  LentMachine lent = lendMachine(facts, error);
  if (!lent)
    return {};
  llvm::TargetMachine &machine = *lent->target;

  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  // Lines for those who look at the stages; nothing of them is in the object.
  if (observe && lines) {
    PassManager scopes(module.getContext(), ModuleOp::getOperationName());
    scopes.enableVerifier(false);
    scopes.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
    if (failed(scopes.run(module))) {
      error = "the module takes no line numbers";
      return {};
    }
  }

  llvm::LLVMContext context;
  // Names cost time, and are for those who look.
  context.setDiscardValueNames(!observe || !lines);
  context.setDiagnosticHandler(std::make_unique<KeepErrors>(error));
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, "kernel");
  if (!llvmModule) {
    if (error.empty())
      error = "the module does not translate to LLVM IR";
    return {};
  }
  llvmModule->setTargetTriple(machine.getTargetTriple());
  llvmModule->setDataLayout(machine.createDataLayout());
  describeFunctions(*llvmModule, facts, machine.getTargetTriple());

  optimise(*llvmModule, machine);
  if (observe) {
    observe("llvm", [&] { return printLlvm(*llvmModule); });
    observe("asm", [&] {
      std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*llvmModule);
      return writeAssembly(*copy, machine);
    });
    if (lines)
      llvm::StripDebugInfo(*llvmModule);
  }

  std::string code = asAssembly ? writeAssembly(*llvmModule, machine)
                                : lent->objects->write(*llvmModule);
  return error.empty() ? code : std::string();
}

} // namespace tesela::cpu
