//===- LaunchPlan.h - what launching a compiled kernel takes --------------===//

#ifndef TESELA_TARGET_NVIDIA_LAUNCHPLAN_H
#define TESELA_TARGET_NVIDIA_LAUNCHPLAN_H

#include "support/GpuLaunch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tesela::nvidia {

/// Takes `@NAME.launch`, or `@NAME.precondition`, into the plan's host program,
/// and the kernel's tensor maps with it. Of arguments it knows those of the
/// kernel, by number, and after them the grid. False, with an error at the op,
/// where the program cannot express one.
bool planLaunch(mlir::func::FuncOp kernel, GpuLaunch &plan);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_LAUNCHPLAN_H
