//===- Pipeline.h - the order of the passes from tile to tile -------------===//

#ifndef TESELA_PASSES_PIPELINE_H
#define TESELA_PASSES_PIPELINE_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tesela {

/// Emitted tile IR to simplified tile IR with views: what every target starts
/// from.
void buildTilePipeline(mlir::OpPassManager &manager);

} // namespace tesela

#endif // TESELA_PASSES_PIPELINE_H
