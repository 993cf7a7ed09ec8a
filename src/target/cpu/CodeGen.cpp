//===- CodeGen.cpp - from the LLVM dialect to object code -----------------===//

#include "target/LlvmErrors.h"
#include "target/cpu/Cpu.h"
#include "target/cpu/Machine.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;

namespace tesela::cpu {

/// Says on each function what the vectors are, so that LLVM neither splits the
/// ones that it finds wide nor shies away from scalable registers.
static void describeVectors(llvm::Module &module, const TargetFacts &facts,
                            const llvm::Triple &triple) {
  std::string bits = std::to_string(facts.vectorBytes * 8);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::NoUnwind);
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

static std::string emitMachineCode(llvm::Module &module,
                                   llvm::TargetMachine &machine,
                                   bool asAssembly, std::string &error) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  passes.add(new llvm::TargetLibraryInfoWrapperPass(library));
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  asAssembly
                                      ? llvm::CodeGenFileType::AssemblyFile
                                      : llvm::CodeGenFileType::ObjectFile,
                                  /*DisableVerify=*/true)) {
    error = "this machine can't write the file";
    return {};
  }
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

std::string generateCode(ModuleOp module, const TargetFacts &facts,
                         bool asAssembly, StageObserver observe,
                         std::string &error) {
  error.clear();
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(facts, error);
  if (!machine)
    return {};

  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  // Lines for those who look at the stages; nothing of them is in the object.
  PassManager lines(module.getContext(), ModuleOp::getOperationName());
  lines.enableVerifier(false);
  lines.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
  if (observe && failed(lines.run(module))) {
    error = "the module takes no line numbers";
    return {};
  }

  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<KeepErrors>(error));
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, "kernel");
  if (!llvmModule) {
    if (error.empty())
      error = "the module does not translate to LLVM IR";
    return {};
  }
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  describeVectors(*llvmModule, facts, machine->getTargetTriple());

  optimise(*llvmModule, *machine);
  if (observe) {
    observe("llvm", [&] {
      std::string text;
      llvm::raw_string_ostream stream(text);
      llvmModule->print(stream, nullptr);
      return text;
    });
    observe("asm", [&] {
      std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*llvmModule);
      std::string ignored;
      return emitMachineCode(*copy, *machine, /*asAssembly=*/true, ignored);
    });
    llvm::StripDebugInfo(*llvmModule);
  }

  std::string code = emitMachineCode(*llvmModule, *machine, asAssembly, error);
  return error.empty() ? code : std::string();
}

} // namespace tesela::cpu
