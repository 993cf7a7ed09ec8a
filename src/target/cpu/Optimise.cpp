//===- Optimise.cpp - LLVM's middle end -----------------------------------===//
//
// The kernel comes as loops over vectors in SSA form, unrolled and vectorised
// as far as they should be. What is left is folding, common subexpressions,
// invariants out of loops and tidy control flow. LLVM's own O2 takes two to
// four times as long to arrive at the same inner loops.
//
// A precondition stays as it is: it has been folded already, and LLVM looks for
// what follows from what in each pair of its many conditions.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Machine.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace tesela::cpu {

static const char *const pipeline =
    "lower-expect,sroa,early-cse<memssa>,"
    "instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate,licm),early-cse<memssa>,"
    "instcombine<no-verify-fixpoint>,simplifycfg";

void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PassBuilder builder(&machine);

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

  llvm::FunctionPassManager passes;
  llvm::Error error = builder.parsePassPipeline(passes, pipeline);
  assert(!error && "the pipeline is text that LLVM knows");
  llvm::consumeError(std::move(error));
  for (llvm::Function &function : module)
    if (!function.isDeclaration() &&
        !function.getName().ends_with(".precondition"))
      passes.run(function, functions);
}

} // namespace tesela::cpu
