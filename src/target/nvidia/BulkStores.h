//===- BulkStores.h - products that leave by bulk copies ------------------===//

#ifndef TESELA_TARGET_NVIDIA_BULKSTORES_H
#define TESELA_TARGET_NVIDIA_BULKSTORES_H

#include "target/nvidia/WarpPlan.h"

namespace tesela::nvidia {

/// A store that becomes `tgpu.bulk_store`.
struct BulkStore {
  tile::ViewStoreOp store;
  /// The box is a warp's rows of one panel.
  BulkCopy copy;
  /// The tile in shared memory.
  gpu::StagedType part;
  /// The ring and the part in whose place that is, where there is one.
  struct Place {
    unsigned ring, part;
  };
  std::optional<Place> place;
};

/// Stores of what the products of a plan give. What has to hold of a launch
/// becomes an assumption.
std::vector<BulkStore> planBulkStores(mlir::func::FuncOp kernel,
                                      const WarpPlan &plan,
                                      const WarpOptions &options,
                                      Preconditions &preconditions);

void rewriteStore(const BulkStore &store, mlir::Value map,
                  llvm::ArrayRef<mlir::Value> rings);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_BULKSTORES_H
