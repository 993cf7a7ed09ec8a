//===- LlvmCode.cpp - LLVM's passes and code generators -------------------===//

#include "target/LlvmCode.h"

#include "target/ReduceProducts.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace tesela {

llvm::TargetLibraryInfoImpl noLibrary(const llvm::TargetMachine &machine) {
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  return library;
}

namespace {

/// The analyses that passes ask, and who reads their names.
struct PassContext {
  explicit PassContext(llvm::TargetMachine &machine) : builder(&machine) {
    functions.registerPass(
        [&] { return llvm::TargetLibraryAnalysis(noLibrary(machine)); });
    builder.registerPipelineParsingCallback(
        [](llvm::StringRef name, llvm::LoopPassManager &passes,
           llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
          if (name != "reduce-products")
            return false;
          passes.addPass(ReduceProducts());
          return true;
        });
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(calls);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, calls, modules);
  }

  template <typename Passes>
  Passes parse(const char *pipeline) {
    Passes passes;
    llvm::Error error = builder.parsePassPipeline(passes, pipeline);
    assert(!error && "the pipeline is text that LLVM knows");
    llvm::consumeError(std::move(error));
    return passes;
  }

  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
};

} // namespace

void runLlvmPasses(llvm::Module &module, llvm::TargetMachine &machine,
                   const char *pipeline) {
  PassContext context(machine);
  context.parse<llvm::ModulePassManager>(pipeline).run(module, context.modules);
}

void runLlvmPasses(llvm::Module &module, llvm::TargetMachine &machine,
                   const char *pipeline,
                   llvm::function_ref<bool(const llvm::Function &)> wanted) {
  PassContext context(machine);
  auto passes = context.parse<llvm::FunctionPassManager>(pipeline);
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && wanted(function))
      passes.run(function, context.functions);
}

std::string emitMachineCode(llvm::Module &module, llvm::TargetMachine &machine,
                            llvm::CodeGenFileType kind, std::string &error) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(noLibrary(machine)));
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind,
                                  /*DisableVerify=*/true)) {
    error = "this machine can't write the file";
    return {};
  }
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

std::string printLlvm(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

} // namespace tesela
