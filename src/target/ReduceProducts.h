//===- ReduceProducts.h - addresses that loops count along ----------------===//

#ifndef TESELA_TARGET_REDUCEPRODUCTS_H
#define TESELA_TARGET_REDUCEPRODUCTS_H

#include "llvm/Transforms/Scalar/LoopPassManager.h"

namespace tesela {

/// LLVM's strength reduction of the loops it pays for: innermost ones that
/// carry many vectors, as a dot's do. It takes long, and other loops have so
/// few addresses that they fold into the instructions.
struct ReduceProducts : llvm::PassInfoMixin<ReduceProducts> {
  llvm::PreservedAnalyses run(llvm::Loop &loop,
                              llvm::LoopAnalysisManager &analyses,
                              llvm::LoopStandardAnalysisResults &results,
                              llvm::LPMUpdater &updater);
};

} // namespace tesela

#endif // TESELA_TARGET_REDUCEPRODUCTS_H
