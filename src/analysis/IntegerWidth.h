//===- IntegerWidth.h - how wide a whole number is ------------------------===//

#ifndef TESELA_ANALYSIS_INTEGERWIDTH_H
#define TESELA_ANALYSIS_INTEGERWIDTH_H

#include "dialect/tile/Tile.h"

namespace tesela::analysis {

/// Width of an integer, of an index, or of the elements of a tile; 0 for what
/// is no integer.
inline unsigned integerWidth(mlir::Type type) {
  mlir::Type element = tile::elementType(type);
  if (element.isIndex())
    return 64;
  auto integer = llvm::dyn_cast<mlir::IntegerType>(element);
  return integer && integer.getWidth() <= 64 ? integer.getWidth() : 0;
}

} // namespace tesela::analysis

#endif // TESELA_ANALYSIS_INTEGERWIDTH_H
