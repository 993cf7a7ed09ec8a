//===- ReduceProducts.cpp - addresses that loops count along --------------===//

#include "target/ReduceProducts.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Scalar/LoopStrengthReduce.h"

using namespace llvm;

namespace tesela {

/// The accumulators of a dot with two rows of vectors; sums and extremes of
/// rows carry fewer.
static constexpr unsigned fewestCarried = 4;

PreservedAnalyses ReduceProducts::run(Loop &loop, LoopAnalysisManager &analyses,
                                      LoopStandardAnalysisResults &results,
                                      LPMUpdater &updater) {
  unsigned carried = count_if(loop.getHeader()->phis(), [](PHINode &value) {
    return value.getType()->isVectorTy();
  });
  if (!loop.isInnermost() || carried < fewestCarried)
    return PreservedAnalyses::all();
  return LoopStrengthReducePass().run(loop, analyses, results, updater);
}

} // namespace tesela
