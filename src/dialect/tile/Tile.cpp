//===- Tile.cpp - types that the ops share --------------------------------===//

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tesela::tile {

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError,
                              Type pointee) {
  if (isa<PtrType>(pointee))
    return success();
  bool isNumber = pointee.isSignlessInteger() || isa<FloatType>(pointee);
  if (isNumber &&
      llvm::is_contained({8u, 16u, 32u, 64u}, pointee.getIntOrFloatBitWidth()))
    return success();
  return emitError() << "nothing of type " << pointee << " lies in memory";
}

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
