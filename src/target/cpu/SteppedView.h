//===- SteppedView.h - a view that a loop moves on ------------------------===//
//
//   for %k = %from to %to step 32 {
//     %a = tile.view_load %p[%row, %k] .. : .. -> tensor<64x32xf32>
//   }
//
// From one iteration to the next, `%a` moves along one axis by as much as it is
// long, and nothing else changes: the tiles of some iterations make up one that
// is longer.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_TARGET_CPU_STEPPEDVIEW_H
#define TESELA_TARGET_CPU_STEPPEDVIEW_H

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace tesela::cpu {

struct SteppedView {
  tile::ViewLoadOp view;
  /// Along which it moves.
  int axis = 0;
  /// The tile is the view itself, and no conversion or permutation of it.
  bool isPlain = true;
  /// The offset along `axis` is factor * induction variable + the sum of
  /// addends, which do not change.
  int64_t factor = 1;
  llvm::SmallVector<mlir::Value, 2> addends;
};

/// What `tile` is made of, if that is one such view, moved by conversions and
/// permutations so that its axis becomes `axis` of the tile.
std::optional<SteppedView> matchSteppedView(mlir::Value tile, int axis,
                                            mlir::scf::ForOp loop);

/// Whether the value may differ between neighbours along the grid's first axis.
bool dependsOnFirstId(mlir::ValueRange values);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_STEPPEDVIEW_H
