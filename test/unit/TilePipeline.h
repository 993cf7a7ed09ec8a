//===- TilePipeline.h - the tile pipeline and its preconditions, run ------===//

#ifndef TESELA_TEST_UNIT_TILEPIPELINE_H
#define TESELA_TEST_UNIT_TILEPIPELINE_H

#include "TileKernel.h"

namespace tesela::test {

/// Emitted tile IR to views; a failure of the test where that fails.
void runPipeline(mlir::ModuleOp module, bool general);

/// Runs a one-dimensional grid of a kernel on the reference evaluator.
void evaluateKernel(mlir::func::FuncOp kernel, const Bits &arguments,
                    int32_t instances);

/// What the precondition of a kernel says of such a launch; true where it has
/// none.
bool preconditionHolds(mlir::ModuleOp module, mlir::func::FuncOp kernel,
                       Bits arguments, int32_t instances);

} // namespace tesela::test

#endif // TESELA_TEST_UNIT_TILEPIPELINE_H
