//===- Optimise.cpp - LLVM's middle end -----------------------------------===//
//
// The kernel comes as loops over vectors in SSA form, unrolled and vectorised
// as far as they should be. What is left is common subexpressions, invariants
// out of loops and tidy control flow. LLVM's own O2 takes two to four times as
// long to arrive at the same inner loops; combining instructions alone, which
// the selection of instructions does once more, a tenth of a compilation.
//
// A precondition stays as it is: it has been folded already, and LLVM looks for
// what follows from what in each pair of its many conditions.
//
//===----------------------------------------------------------------------===//

#include "target/LlvmCode.h"
#include "target/cpu/Machine.h"

#include "llvm/IR/Module.h"

namespace tesela::cpu {

static const char *const pipeline =
    "early-cse,simplifycfg,loop-mssa(loop-rotate,licm),early-cse<memssa>,"
    "instsimplify,simplifycfg,loop(reduce-products)";

bool isPrecondition(const llvm::Function &function) {
  return function.getName().ends_with(".precondition");
}

void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  runLlvmPasses(module, machine, pipeline, [](const llvm::Function &function) {
    return !isPrecondition(function);
  });
}

} // namespace tesela::cpu
