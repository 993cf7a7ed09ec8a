//===- Separation.h - which buffers a launch keeps apart ------------------===//
//
// A kernel that reads one argument and writes another may do so slice by slice
// only where the two buffers are disjoint, or are one buffer that it works on
// in place. Which memory an argument's accesses touch follows from the launch's
// arguments and grid, so that both become conditions of its check, and
// attributes of the kernel that MemoryDependence.h reads.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_PASSES_SEPARATION_H
#define TESELA_PASSES_SEPARATION_H

#include "passes/Preconditions.h"
#include "passes/ViewPlan.h"

namespace tesela {

/// A load or store of the kernel as it is after raising; without a plan where
/// its address is not known to be one of a view.
struct PlannedAccess {
  mlir::Operation *op;
  std::optional<ViewPlan> plan;
};

/// Adds the conditions and the attributes.
void separateBuffers(mlir::func::FuncOp kernel,
                     llvm::ArrayRef<PlannedAccess> accesses,
                     const analysis::AtomTable &atoms,
                     Preconditions &preconditions);

} // namespace tesela

#endif // TESELA_PASSES_SEPARATION_H
