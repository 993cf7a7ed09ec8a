//===- AccessWidths.h - how many elements an access moves at once ---------===//

#ifndef TESELA_TARGET_NVIDIA_ACCESSWIDTHS_H
#define TESELA_TARGET_NVIDIA_ACCESSWIDTHS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace tesela::nvidia {

/// What is known of how a view's box lies in memory.
struct AccessWidth {
  /// Axes from the one of stride one (or the last) outwards.
  std::vector<unsigned> order;
  /// So many neighbours along the first of them, as a power of two, are aligned
  /// as one, and all inside of the bounds or all outside.
  unsigned maxVectorBits = 0;
  /// One for each axis: whether coordinates may be negative.
  std::vector<bool> mayBeNegative;
};

/// The first axis of stride one, if any.
std::optional<unsigned> contiguousAxis(mlir::ValueRange strides);

/// Of every view access of the kernel, proved from its tile IR.
llvm::DenseMap<mlir::Operation *, AccessWidth>
findAccessWidths(mlir::func::FuncOp kernel);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_ACCESSWIDTHS_H
