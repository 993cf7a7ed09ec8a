//===- Values.cpp - constants, casts and bounds of random kernels ---------===//

#include "generate/KernelBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <cmath>

using namespace mlir;

namespace tesela::test {

Type KernelBuilder::randomElement() {
  const Type types[] = {
      f32, f32, f32, f16, f16, bf16, e4m3,
      f64, i32, i32, i64, i8,  e5m2, builder.getIntegerType(16)};
  return oneOf(types);
}

Value KernelBuilder::intConstant(Type type, int64_t value) {
  Type element = tile::elementType(type);
  auto number = IntegerAttr::get(
      element, APInt(element.getIntOrFloatBitWidth(), uint64_t(value),
                     /*isSigned=*/true, /*implicitTrunc=*/true));
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return arith::ConstantOp::create(
        builder, DenseElementsAttr::get(tensor, Attribute(number)));
  return arith::ConstantOp::create(builder, number);
}

Item KernelBuilder::floatConstant(Type type, double value) {
  auto number = FloatAttr::get(tile::elementType(type), value);
  TypedAttr attribute = number;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    attribute = DenseElementsAttr::get(tensor, Attribute(number));
  int scale = 0;
  while (std::ldexp(value, scale) != std::floor(std::ldexp(value, scale)))
    ++scale;
  return {arith::ConstantOp::create(builder, attribute), std::abs(value),
          scale};
}

Value KernelBuilder::splatTo(Value scalar, Shape shape) {
  return tile::SplatOp::create(builder, tileType(shape, scalar.getType()),
                               scalar);
}

Item KernelBuilder::splatTo(Item scalar, Shape shape) {
  scalar.value = splatTo(scalar.value, shape);
  return scalar;
}

/// The tile of this shape that is `vector` along one axis.
Value KernelBuilder::alongAxis(Value vector, size_t axis, Shape shape) {
  Type element = tile::elementType(vector.getType());
  SmallVector<int64_t> thin(shape.size(), 1);
  thin[axis] = shape[axis];
  Value result = vector;
  if (shape.size() > 1 && chance(15))
    result = tile::ReshapeOp::create(builder, tileType(thin, element), vector);
  else
    // From the inside out: the axes after it first.
    for (size_t rank = 1; rank != shape.size(); ++rank) {
      bool isAfter = rank < shape.size() - axis;
      SmallVector<int64_t> wider(
          cast<RankedTensorType>(result.getType()).getShape());
      size_t position = isAfter ? wider.size() : 0;
      wider.insert(wider.begin() + position, 1);
      result = tile::ExpandDimsOp::create(builder, tileType(wider, element),
                                          result, position);
    }
  if (Shape(thin) == shape)
    return result;
  return tile::BroadcastOp::create(builder, tileType(shape, element), result);
}

Value KernelBuilder::iota(int64_t extent) {
  return tile::IotaOp::create(builder, tileType(extent, i32), 0);
}

Value KernelBuilder::toI64(Value value) {
  return arith::ExtSIOp::create(
      builder, tile::withElementType(value.getType(), i64), value);
}

//===----------------------------------------------------------------------===//
// Exactness
//===----------------------------------------------------------------------===//

/// Whether the type holds every multiple of 2^-scale up to the bound.
bool KernelBuilder::isExact(Type type, double bound, int scale) const {
  auto element = cast<FloatType>(tile::elementType(type));
  double largest = std::ldexp(1.0, element.getFPMantissaWidth());
  return scale <= 8 && std::ldexp(bound, scale) <= largest && bound < 60000;
}

Item KernelBuilder::withoutNegativeZero(Item item) {
  Item zero = floatConstant(item.type(), 0);
  item.value = arith::AddFOp::create(builder, item.value, zero.value);
  return item;
}

Item KernelBuilder::clamp(Item item, double bound, int scale) {
  if (item.scale > scale) {
    item.value = math::FloorOp::create(builder, item.value);
    item.bound = std::ceil(item.bound);
    item.scale = 0;
  }
  if (item.bound > bound) {
    Item high = floatConstant(item.type(), bound);
    Item low = floatConstant(item.type(), -bound);
    item.value = arith::MinNumFOp::create(builder, item.value, high.value);
    item.value = arith::MaxNumFOp::create(builder, item.value, low.value);
    item.bound = bound;
    item.scale = std::max({item.scale, high.scale});
  }
  return item;
}

/// Integers from -4 to 3, from the low bits.
Item KernelBuilder::toSmallFloat(Item integers, Type type) {
  Value bits = arith::AndIOp::create(builder, integers.value,
                                     intConstant(integers.type(), 7));
  Value number =
      arith::SubIOp::create(builder, bits, intConstant(integers.type(), 4));
  return {arith::SIToFPOp::create(
              builder, tile::withElementType(integers.type(), type), number),
          4, 0};
}

} // namespace tesela::test
