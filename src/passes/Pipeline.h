//===- Pipeline.h - the order of the passes from tile to tile -------------===//

#ifndef TESELA_PASSES_PIPELINE_H
#define TESELA_PASSES_PIPELINE_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tesela {

/// Emitted tile IR to simplified tile IR with views: what every target starts
/// from. Runs on the module. With `general`, the result assumes nothing of a
/// launch and there is no precondition.
void buildTilePipeline(mlir::OpPassManager &manager, bool general = false);

} // namespace tesela

#endif // TESELA_PASSES_PIPELINE_H
