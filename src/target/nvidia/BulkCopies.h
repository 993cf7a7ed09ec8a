//===- BulkCopies.h - accesses to views that one bulk copy could do -------===//

#ifndef TESELA_TARGET_NVIDIA_BULKCOPIES_H
#define TESELA_TARGET_NVIDIA_BULKCOPIES_H

#include "analysis/Congruences.h"
#include "dialect/tile/Tile.h"
#include "passes/Preconditions.h"

namespace tesela::nvidia {

/// A box of an array in global memory, whose dimensions are those of the view,
/// the contiguous one first, and then those along which the view's base moves.
struct BulkCopy {
  struct Dimension {
    /// Where the box begins, i64.
    mlir::Value coordinate;
    /// Elements from one coordinate to the next: the product of launch numbers.
    /// None for the contiguous dimension.
    llvm::SmallVector<mlir::Value> stride;
    /// A launch number, or null where the view ends nowhere.
    mlir::Value bound;
    /// Elements of the box.
    int64_t size = 1;
  };

  /// The kernel's pointer argument, and launch numbers of elements from it to
  /// the array.
  unsigned argument = 0;
  llvm::SmallVector<mlir::Value> shifts;
  /// The tile's contiguous axis.
  unsigned axis = 0;
  llvm::SmallVector<Dimension> dimensions;

  /// Whether a tensor map for one does for the other.
  bool hasMapOf(const BulkCopy &other) const;
};

/// The copy that a load of a matrix is; null, and why not, where it is none.
/// What has to hold of a launch becomes an assumption.
std::optional<BulkCopy> planBulkCopy(tile::ViewLoadOp load,
                                     Preconditions &preconditions,
                                     analysis::Congruences &congruences,
                                     std::string &whyNot);
/// The same for a store, which no other access of the kernel may meet but loads
/// that are bulk copies themselves.
std::optional<BulkCopy>
planBulkCopy(tile::ViewStoreOp store,
             llvm::function_ref<bool(tile::ViewLoadOp)> isCopied,
             Preconditions &preconditions, analysis::Congruences &congruences,
             std::string &whyNot);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_BULKCOPIES_H
