//===- SharedTransfer.cpp - registers to and from shared memory -----------===//
//
// The offset of an element is linear in the thread's number and the register's:
//
//   offset = (offset of the thread) xor (offset of the register)
//
// The second is a constant. Where the two share no bits, which `locate` says,
// the xor is a sum and becomes part of the instruction.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/SharedTransfer.h"

#include "layout/MemoryAccess.h"
#include "target/nvidia/Coordinates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tesela::nvidia {

using layout::Dim;
using layout::LinearLayout;
using layout::Place;
using layout::PlaceMap;
using layout::VectorAccess;

int64_t sharedBytes(Type element) {
  return std::max(8u, element.getIntOrFloatBitWidth()) / 8;
}

namespace {

class Transfer {
public:
  Transfer(const ThreadLowering &lowering, OpBuilder &b, Location loc,
           Type element, const LinearLayout &layout, const LinearLayout &memory,
           Value base)
      : b(b), loc(loc), base(base), bytes(sharedBytes(element)),
        offsets(*layout::locate(layout, memory)) {
    unsigned maxBits = unsigned(llvm::Log2_64(uint64_t(16 / bytes)));
    vector = *layout::vectorAccess(layout, memory, maxBits);
    held = element.isInteger(1) ? Type(b.getI8Type()) : element;
    auto image = [&](Dim dim, unsigned bit) {
      return offsets.column(dim, bit).offset * uint64_t(bytes);
    };
    thread = emitLinear(b, loc, lowering.lane(), layout.bits(Dim::Lane),
                        lowering.warp(), layout.bits(Dim::Warp), image);
    for (unsigned bit = 0; bit < layout.bits(Dim::Lane); ++bit)
      threadBits |= image(Dim::Lane, bit);
    for (unsigned bit = 0; bit < layout.bits(Dim::Warp); ++bit)
      threadBits |= image(Dim::Warp, bit);
  }

  const VectorAccess &vectors() const { return vector; }

  VectorType movedType() const {
    return VectorType::get(int64_t(1) << vector.vectorBits, held);
  }
  unsigned alignment() const { return unsigned(bytes << vector.vectorBits); }

  Value address(uint64_t reg) {
    Place place;
    place.reg = reg;
    uint64_t constant = offsets(place).offset * uint64_t(bytes);
    auto type = base.getType();
    auto gep = [&](Value pointer, LLVM::GEPArg offset) -> Value {
      return LLVM::GEPOp::create(b, loc, type, b.getI8Type(), pointer,
                                 ArrayRef<LLVM::GEPArg>{offset});
    };
    if ((constant & threadBits) == 0) {
      if (!threadAddress)
        threadAddress = gep(base, thread);
      return constant ? gep(threadAddress, int32_t(constant)) : threadAddress;
    }
    Value mixed = arith::XOrIOp::create(
        b, loc, thread,
        arith::ConstantIntOp::create(b, loc, b.getI32Type(),
                                     int64_t(constant & threadBits)));
    Value at = gep(base, mixed);
    uint64_t rest = constant & ~threadBits;
    return rest ? gep(at, int32_t(rest)) : at;
  }

private:
  OpBuilder &b;
  Location loc;
  Value base;
  int64_t bytes;
  PlaceMap offsets;
  VectorAccess vector;
  Type held;
  Value thread;
  Value threadAddress;
  uint64_t threadBits = 0;
};

} // namespace

void storeShared(const ThreadLowering &lowering, OpBuilder &b, Location loc,
                 Value registers, const LinearLayout &layout,
                 const LinearLayout &memory, Value base) {
  Type element = cast<VectorType>(registers.getType()).getElementType();
  Transfer transfer(lowering, b, loc, element, layout, memory, base);
  const VectorAccess &vectors = transfer.vectors();
  VectorType moved = transfer.movedType();
  uint64_t copies = layout.freeBits().reg;
  for (unsigned number = 0; number < vectors.accesses(); ++number) {
    uint64_t first = vectors.registerOf(number, 0);
    if (first & copies)
      continue;
    SmallVector<Value> parts;
    for (unsigned i = 0; i < 1u << vectors.vectorBits; ++i) {
      Value part = vector::ExtractOp::create(
          b, loc, registers, int64_t(vectors.registerOf(number, i)));
      if (part.getType() != moved.getElementType())
        part = arith::ExtUIOp::create(b, loc, moved.getElementType(), part);
      parts.push_back(part);
    }
    Value value = vector::FromElementsOp::create(b, loc, moved, parts);
    LLVM::StoreOp::create(b, loc, value, transfer.address(first),
                          transfer.alignment());
  }
}

Value loadShared(const ThreadLowering &lowering, OpBuilder &b, Location loc,
                 VectorType type, const LinearLayout &layout,
                 const LinearLayout &memory, Value base) {
  Type element = type.getElementType();
  Transfer transfer(lowering, b, loc, element, layout, memory, base);
  const VectorAccess &vectors = transfer.vectors();
  SmallVector<Value> elements(size_t(type.getNumElements()));
  for (unsigned number = 0; number < vectors.accesses(); ++number) {
    Value loaded = LLVM::LoadOp::create(
        b, loc, transfer.movedType(),
        transfer.address(vectors.registerOf(number, 0)), transfer.alignment());
    for (unsigned i = 0; i < 1u << vectors.vectorBits; ++i) {
      Value part = vector::ExtractOp::create(b, loc, loaded, int64_t(i));
      if (part.getType() != element)
        part = arith::TruncIOp::create(b, loc, element, part);
      elements[vectors.registerOf(number, i)] = part;
    }
  }
  return vector::FromElementsOp::create(b, loc, type, elements);
}

} // namespace tesela::nvidia
