//===- Optimise.cpp - LLVM's middle end for a GPU -------------------------===//
//
// The kernel comes as one thread's program, unrolled and pipelined as far as it
// should be, over vectors that stand for many registers. These become scalars
// first. What is left is folding, common subexpressions, invariants out of
// loops and tidy control flow; the code generator brings its own passes for
// addresses.
//
//===----------------------------------------------------------------------===//

#include "target/LlvmCode.h"
#include "target/nvidia/Machine.h"
#include "target/nvidia/SplitVectors.h"

namespace tesela::nvidia {

static const char *const before = "always-inline";
static const char *const after =
    "function(sroa,early-cse<memssa>,"
    "instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate,licm),early-cse<memssa>,"
    "instcombine<no-verify-fixpoint>,simplifycfg)";

void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  runLlvmPasses(module, machine, before);
  splitVectors(module);
  chooseInstructions(module);
  runLlvmPasses(module, machine, after);
  sinkLoads(module);
}

} // namespace tesela::nvidia
