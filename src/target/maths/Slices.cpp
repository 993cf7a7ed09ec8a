//===- Slices.cpp - values of some lanes ----------------------------------===//

#include "target/maths/Slices.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tesela::maths {

Type registerType(Type element) {
  if (isa<tile::PtrType>(element))
    return LLVM::LLVMPointerType::get(element.getContext());
  return element;
}

Type sliceType(Type element, int64_t lanes) {
  element = registerType(element);
  if (lanes == 0)
    return element;
  return VectorType::get({lanes}, element);
}

int64_t lanesOf(Value value) {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    return vector.getNumElements();
  return 0;
}

Value constant(OpBuilder &b, Location loc, TypedAttr value, int64_t lanes) {
  if (lanes)
    value = DenseElementsAttr::get(VectorType::get({lanes}, value.getType()),
                                   Attribute(value));
  return arith::ConstantOp::create(b, loc, value);
}

Value intConstant(OpBuilder &b, Location loc, Type element, int64_t value,
                  int64_t lanes) {
  unsigned width = element.getIntOrFloatBitWidth();
  llvm::APInt bits(64, value, /*isSigned=*/true);
  return constant(b, loc, b.getIntegerAttr(element, bits.sextOrTrunc(width)),
                  lanes);
}

Value floatConstant(OpBuilder &b, Location loc, Type element, double value,
                    int64_t lanes) {
  return constant(b, loc, b.getFloatAttr(element, value), lanes);
}

} // namespace tesela::maths
