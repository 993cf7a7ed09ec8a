//===- FactorMaxima.h - the maximum first, then the positive factor -------===//

#ifndef TESELA_TARGET_NVIDIA_FACTORMAXIMA_H
#define TESELA_TARGET_NVIDIA_FACTORMAXIMA_H

#include "passes/Preconditions.h"

namespace tesela::nvidia {

/// Rewrites the maxima of a kernel; the launch is to check that arguments that
/// are factors are positive.
void factorMaxima(mlir::func::FuncOp kernel, Preconditions &preconditions);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_FACTORMAXIMA_H
