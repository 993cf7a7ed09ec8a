//===- StoreMatrices.cpp - fragments to shared memory by stmatrix ---------===//
//
// What a tensor core leaves in the registers of a warp are matrices of 8 rows
// of 16 bytes. One instruction stores four of them; lane 8 * m + r gives the
// address of row r of matrix m. Rows that go on for 128 bytes, swizzled, meet
// no bank twice, and are read again 16 bytes at a time.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/SharedTransfer.h"

#include "layout/MemoryAccess.h"
#include "layout/SharedLayouts.h"
#include "target/nvidia/DeviceCode.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tesela::nvidia {

using layout::Dim;
using layout::LinearLayout;
using layout::Place;

std::optional<LinearLayout> matrixBuffer(const ThreadLowering &lowering,
                                         const LinearLayout &source,
                                         const LinearLayout &target,
                                         Type element) {
  if (lowering.capability < 90 || !element.isIntOrFloat() ||
      element.getIntOrFloatBitWidth() != 16 || source.rank() != 2 ||
      source.freeBits() != Place())
    return std::nullopt;
  uint64_t rowBytes = uint64_t(source.shape()[1]) * 2;
  if (rowBytes < 32)
    return std::nullopt;
  LinearLayout memory = layout::boxed(source.shape(), layout::rowMajor(2), 16,
                                      layout::widestSpan(rowBytes));
  auto stores = layout::matrixAccess(source, memory, 16);
  auto loads = layout::sharedAccess(target, memory, 16);
  if (!stores || stores->wavefronts != 1 || !loads ||
      loads->vector.vectorBits != 3 || loads->wavefronts != loads->ideal)
    return std::nullopt;
  return memory;
}

MatrixStores::MatrixStores(const ThreadLowering &lowering, OpBuilder &b,
                           Location loc, Value registers,
                           const LinearLayout &layout,
                           const LinearLayout &memory, Value base)
    : b(b), loc(loc), registers(registers),
      access(*layout::matrixAccess(layout, memory, 16)),
      addresses(lowering, b, loc, base, layout, [&](Dim dim, unsigned bit) {
        return access.rows.column(dim, bit).offset * elementBytes;
      }) {}

unsigned MatrixStores::count() const {
  return 1u << (access.registers.size() - access.packedBits -
                access.matrixBits);
}

uint64_t MatrixStores::offset(unsigned number) const {
  Place place;
  place.reg = number;
  return access.rows(place).offset;
}

void MatrixStores::emit(unsigned number) { emit(number, offset(number), 0); }

void MatrixStores::emit(unsigned number, uint64_t offset, int64_t beyond) {
  layout::BitMatrix numbering(64, access.registers);
  unsigned matrices = 1u << access.matrixBits;
  unsigned first = access.packedBits + access.matrixBits;
  Type element = cast<VectorType>(registers.getType()).getElementType();
  auto pair = VectorType::get(2, element);
  SmallVector<Value> operands = {
      DeviceCode(b, loc).at(addresses.at(offset * elementBytes), beyond)};
  for (unsigned matrix = 0; matrix != matrices; ++matrix) {
    SmallVector<Value> halves;
    for (unsigned half = 0; half != 2; ++half)
      halves.push_back(vector::ExtractOp::create(
          b, loc, registers,
          int64_t(numbering(uint64_t(number) << first |
                            matrix << access.packedBits | half))));
    Value packed = vector::FromElementsOp::create(b, loc, pair, halves);
    operands.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), packed));
  }
  DeviceCode(b, loc).intrinsic("llvm.nvvm.stmatrix.sync.aligned.m8n8.x" +
                                   std::to_string(matrices) + ".b16.p3",
                               {}, operands);
}

void storeMatrices(const ThreadLowering &lowering, OpBuilder &b, Location loc,
                   Value registers, const LinearLayout &layout,
                   const LinearLayout &memory, Value base) {
  MatrixStores stores(lowering, b, loc, registers, layout, memory, base);
  for (unsigned number = 0; number != stores.count(); ++number)
    stores.emit(number);
}

} // namespace tesela::nvidia
