//===- Optimise.cpp - LLVM's middle end for a GPU -------------------------===//
//
// The kernel comes as one thread's program, unrolled and pipelined as far as it
// should be, over vectors that stand for many registers. These become scalars
// first. What is left is folding, common subexpressions, invariants out of
// loops and tidy control flow; the code generator brings its own passes for
// addresses.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Machine.h"
#include "target/nvidia/SplitVectors.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace tesela::nvidia {

static const char *const before = "always-inline";
static const char *const after =
    "function(sroa,early-cse<memssa>,"
    "instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate,licm),early-cse<memssa>,"
    "instcombine<no-verify-fixpoint>,simplifycfg)";

void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PassBuilder builder(&machine);

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;

  // There is no C library.
  functions.registerPass([&] {
    llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
    library.disableAllFunctions();
    return llvm::TargetLibraryAnalysis(std::move(library));
  });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);

  auto run = [&](const char *pipeline) {
    llvm::ModulePassManager passes;
    llvm::Error error = builder.parsePassPipeline(passes, pipeline);
    assert(!error && "the pipeline is text that LLVM knows");
    llvm::consumeError(std::move(error));
    passes.run(module, modules);
  };
  run(before);
  splitVectors(module);
  chooseInstructions(module);
  modules.clear();
  run(after);
}

} // namespace tesela::nvidia
