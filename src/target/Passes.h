//===- Passes.h - passes that several targets use -------------------------===//

#ifndef TESELA_TARGET_PASSES_H
#define TESELA_TARGET_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tesela {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "target/Passes.h.inc"

/// An error at the first op that `stage` should have replaced.
void addStageCheck(mlir::OpPassManager &manager, const char *stage);

/// From scalars and vectors of upstream's dialects to the LLVM dialect. With
/// `bf16IsBits`, nothing computes with a bf16, and LLVM sees none.
void addLlvmConversions(mlir::OpPassManager &manager, bool bf16IsBits);

} // namespace tesela

#endif // TESELA_TARGET_PASSES_H
