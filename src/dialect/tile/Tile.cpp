//===- Tile.cpp - types that the ops share --------------------------------===//

#include "dialect/tile/Tile.h"

using namespace mlir;

namespace tesela::tile {

Type elementType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getElementType();
  return type;
}

Type withElementType(Type type, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(element);
  return element;
}

} // namespace tesela::tile
