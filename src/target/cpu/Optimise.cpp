//===- Optimise.cpp - LLVM's middle end -----------------------------------===//
//
// The kernel comes as loops over vectors in SSA form; what is left to do is
// folding, common subexpressions, invariants out of loops and tidy control
// flow. LLVM's vectorisers would only find what was left scalar on purpose, and
// unrolling was decided when the loops were made.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Machine.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace tesela::cpu {

void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.SLPVectorization = false;
  tuning.LoopUnrolling = false;
  llvm::PassBuilder builder(&machine, tuning);

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;

  // No loop turns into a call of the C library's, and no call of its maths into
  // another.
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

  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

} // namespace tesela::cpu
