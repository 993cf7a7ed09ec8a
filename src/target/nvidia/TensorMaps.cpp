//===- TensorMaps.cpp - what bulk copies are told of global memory --------===//
//
//   func.func @k(..)               func.func @k(.., %map: !tgpu.tensor_map
//                                               {tgpu.map = {box = .., ..}})
//                             ==>
//   @k.launch(..) -> (i1, ..)      @k.launch(..) -> (i1, .., address, extents,
//                                                    strides)
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tesela::nvidia {

/// Elements of an unbounded dimension of a map.
static constexpr int64_t mostExtent = INT32_MAX;

Value TensorMaps::add(const BulkCopy &copy, gpu::StagedType part) {
  for (auto &[other, map] : known)
    if (other->hasMapOf(copy))
      return map;
  OpBuilder builder(kernel.getContext());
  Type element = part.getElementType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  SmallVector<int64_t> box;
  for (const BulkCopy::Dimension &dimension : copy.dimensions)
    box.push_back(dimension.size);
  box.front() = part.getSwizzle() / bytes;

  unsigned first = launch.addAddress(copy.argument, copy.shifts, bytes);
  for (const BulkCopy::Dimension &dimension : copy.dimensions)
    dimension.bound ? launch.add(dimension.bound) : launch.add(mostExtent);
  for (const BulkCopy::Dimension &dimension :
       ArrayRef(copy.dimensions).drop_front())
    launch.addProduct(dimension.stride, bytes);
  auto attribute = builder.getDictionaryAttr(
      {builder.getNamedAttr("box", builder.getDenseI64ArrayAttr(box)),
       builder.getNamedAttr("dtype", TypeAttr::get(element)),
       builder.getNamedAttr("first", builder.getI64IntegerAttr(first)),
       builder.getNamedAttr("swizzle",
                            builder.getI64IntegerAttr(part.getSwizzle()))});
  unsigned number = kernel.getNumArguments();
  (void)kernel.insertArgument(number,
                              gpu::TensorMapType::get(builder.getContext()),
                              builder.getDictionaryAttr(builder.getNamedAttr(
                                  gpu::tensorMapAttr, attribute)),
                              kernel.getLoc());
  known.push_back({&copy, kernel.getArgument(number)});
  return known.back().second;
}

Value boxCoordinate(OpBuilder &builder, Value coordinate) {
  Type i32 = builder.getI32Type();
  if (coordinate.getType() == i32)
    return coordinate;
  Location loc = coordinate.getLoc();
  if (coordinate.getType().getIntOrFloatBitWidth() < 32)
    return arith::ExtSIOp::create(builder, loc, i32, coordinate);
  return builder.createOrFold<arith::TruncIOp>(loc, i32, coordinate);
}

} // namespace tesela::nvidia
