//===- Optimise.cpp - LLVM's middle end -----------------------------------===//
//
// The kernel comes as loops over vectors in SSA form, unrolled and vectorised
// as far as they should be. What is left is common subexpressions, invariants
// out of loops and tidy control flow. LLVM's own O2 takes two to four times as
// long to arrive at the same inner loops. Combining instructions takes a tenth
// of a large kernel's compilation, whose loops it leaves as they are, since the
// selection of instructions does it once more; short rows of small kernels take
// a tenth longer without it.
//
// A precondition stays as it is: it has been folded already, and LLVM looks for
// what follows from what in each pair of its many conditions.
//
//===----------------------------------------------------------------------===//

#include "target/LlvmCode.h"
#include "target/cpu/Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"

namespace tesela::cpu {

static const char *const forLarge =
    "early-cse,simplifycfg,loop-mssa(loop-rotate,licm),early-cse<memssa>,"
    "instsimplify,simplifycfg,loop(reduce-products)";
static const char *const forSmall =
    "early-cse,simplifycfg,loop-mssa(loop-rotate,licm),early-cse<memssa>,"
    "instcombine<no-verify-fixpoint>,simplifycfg,loop(reduce-products)";

/// Instructions of a large function.
static constexpr unsigned fewestOfLarge = 800;

bool isPrecondition(const llvm::Function &function) {
  return function.getName().ends_with(".precondition");
}

void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  for (bool isLarge : {false, true}) {
    auto isWanted = [&](const llvm::Function &function) {
      return !function.isDeclaration() && !isPrecondition(function) &&
             (function.getInstructionCount() >= fewestOfLarge) == isLarge;
    };
    if (llvm::any_of(module, isWanted))
      runLlvmPasses(module, machine, isLarge ? forLarge : forSmall, isWanted);
  }
}

} // namespace tesela::cpu
