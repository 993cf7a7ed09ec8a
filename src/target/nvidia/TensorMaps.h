//===- TensorMaps.h - what bulk copies are told of global memory ----------===//

#ifndef TESELA_TARGET_NVIDIA_TENSORMAPS_H
#define TESELA_TARGET_NVIDIA_TENSORMAPS_H

#include "dialect/gpu/Gpu.h"
#include "target/nvidia/BulkCopies.h"
#include "target/nvidia/LaunchNumbers.h"

namespace tesela::nvidia {

/// The tensor maps of a kernel: arguments, and results of its launch's
/// function, which has the kernel's arguments as they were before.
class TensorMaps {
public:
  TensorMaps(mlir::func::FuncOp kernel, LaunchNumbers &launch)
      : kernel(kernel), launch(launch) {}

  /// The array that a copy moves a box of, to or from `part`, of whose panels
  /// the box has the width. `copy` must stay where it is.
  mlir::Value add(const BulkCopy &copy, gpu::StagedType part);

  /// When all are there.
  void finish() { launch.finish(); }

private:
  mlir::func::FuncOp kernel;
  LaunchNumbers &launch;
  llvm::SmallVector<std::pair<const BulkCopy *, mlir::Value>> known;
};

/// Where a box begins, i32: a coordinate fits, as the launch has checked.
mlir::Value boxCoordinate(mlir::OpBuilder &builder, mlir::Value coordinate);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_TENSORMAPS_H
