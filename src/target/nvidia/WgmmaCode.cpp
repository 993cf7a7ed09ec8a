//===- WgmmaCode.cpp - asynchronous products as instructions --------------===//
//
// PTX ISA, "Asynchronous warpgroup level matrix instructions". A descriptor has
// the address in 16 bytes (bits 0 to 13), the leading (16 to 29) and the stride
// (32 to 45) offset, also in 16 bytes, and the swizzle (62, 63). Of a tile in
// panels of `swizzle` bytes:
//
//   contiguous along the depth: 8 rows of a panel are one stride offset; the
//     leading offset is not used; a step is 32 bytes on in the panel
//   contiguous across it: 8 positions of depth are one stride offset, a panel
//   is
//     one leading offset
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/WgmmaCode.h"

#include "layout/Fragments.h"

using namespace mlir;

namespace tesela::nvidia {

/// Bytes of depth of one instruction.
static constexpr int64_t stepBytes = 32;

std::optional<WgmmaTiling> WgmmaTiling::of(RankedTensorType acc, int64_t depth,
                                           int64_t elementBits,
                                           unsigned numWarps) {
  ArrayRef<int64_t> shape = acc.getShape();
  WgmmaTiling tiling;
  tiling.grid = warpgroupGrid(shape, numWarps);
  layout::LinearLayout expected = layout::accumulatorFragment(
      layout::MatrixUnit::Wgmma, layout::Shape(shape),
      {tiling.grid.rows * 4, tiling.grid.columns});
  if (layoutOf(acc) != expected)
    return std::nullopt;
  int64_t columns = shape[1] / tiling.grid.columns;
  tiling.rowBlocks = shape[0] / tiling.grid.rows / 64;
  tiling.columns = std::min<int64_t>(columns, 256);
  tiling.columnBlocks = columns / tiling.columns;
  tiling.elementBits = elementBits;
  tiling.steps = depth * elementBits / 8 / stepBytes;
  return tiling;
}

FactorDescriptor::FactorDescriptor(DeviceCode &code, gpu::StagedType type,
                                   bool isFirst, Value address, Value warpgroup,
                                   int64_t perWarpgroup)
    : code(code), type(type), alongDepth(type.getAxis() == (isFirst ? 1 : 0)) {
  int64_t swizzle = type.getSwizzle();
  int64_t panel = swizzle * type.getShape()[1 - type.getAxis()];
  int64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
  uint64_t leading = alongDepth ? 1 : panel / 16;
  uint64_t bits =
      leading << 16 | uint64_t(swizzle * 8 / 16) << 32 | uint64_t(mode) << 62;
  Type i32 = code.builder.getI32Type(), i64 = code.builder.getI64Type();
  Value start = LLVM::PtrToIntOp::create(code.builder, code.loc, i32, address);
  if (warpgroup)
    start = code.add(start, code.mul(warpgroup, offset(perWarpgroup, 0)));
  start = code.fold<arith::ShRUIOp>(start, code.i32(4));
  start = code.fold<arith::AndIOp>(start, code.i32(0x3fff));
  start = arith::ExtUIOp::create(code.builder, code.loc, i64, start);
  base = code.fold<arith::OrIOp>(start, code.i64(int64_t(bits)));
}

int64_t FactorDescriptor::offset(int64_t across, int64_t step) const {
  int64_t swizzle = type.getSwizzle();
  int64_t bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  int64_t panel = swizzle * type.getShape()[1 - type.getAxis()];
  if (alongDepth) {
    int64_t along = step * stepBytes;
    return across * swizzle + along / swizzle * panel + along % swizzle;
  }
  return across * bytes / swizzle * panel +
         step * (stepBytes / bytes) * swizzle;
}

Value FactorDescriptor::at(int64_t across, int64_t step) {
  return code.add(base, code.i64(offset(across, step) / 16));
}

SmallVector<Value> ptxInPlace(DeviceCode &code, StringRef text,
                              ValueRange registers, StringRef constraints,
                              ValueRange operands) {
  Type element = registers.front().getType();
  StringRef kind = element.isF32() ? "f" : "r";
  std::string all;
  for (size_t i = 0; i != registers.size(); ++i)
    all += (i ? ",=" : "=") + kind.str();
  for (size_t i = 0; i != registers.size(); ++i)
    all += ',' + std::to_string(i);
  if (!constraints.empty())
    all += ',' + constraints.str();
  SmallVector<Value> inputs(registers);
  llvm::append_range(inputs, operands);
  Type result = registers.size() == 1
                    ? element
                    : LLVM::LLVMStructType::getLiteral(
                          code.builder.getContext(),
                          SmallVector<Type>(registers.size(), element));
  Value changed = code.ptx(text, all, result, inputs);
  if (registers.size() == 1)
    return {changed};
  SmallVector<Value> results;
  for (size_t i = 0; i != registers.size(); ++i)
    results.push_back(LLVM::ExtractValueOp::create(code.builder, code.loc,
                                                   changed, int64_t(i)));
  return results;
}

} // namespace tesela::nvidia
