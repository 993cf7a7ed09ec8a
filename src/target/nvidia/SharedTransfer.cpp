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
#include "layout/SharedLayouts.h"
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

layout::LinearLayout memoryOf(gpu::StagedType type) {
  unsigned axis = unsigned(type.getAxis());
  return layout::boxed(layout::Shape(type.getShape()), {axis, 1 - axis},
                       type.getElementType().getIntOrFloatBitWidth(),
                       layout::SwizzleSpan(unsigned(type.getSwizzle())));
}

SharedAddress::SharedAddress(const ThreadLowering &lowering, OpBuilder &b,
                             Location loc, Value base,
                             const LinearLayout &layout,
                             llvm::function_ref<uint64_t(Dim, unsigned)> image,
                             uint64_t alignment)
    : b(b), loc(loc), base(base),
      thread(emitLinear(b, loc, lowering.lane(), layout.bits(Dim::Lane),
                        lowering.warp(), layout.bits(Dim::Warp), image)),
      alignment(alignment) {
  for (Dim dim : {Dim::Lane, Dim::Warp})
    for (unsigned bit = 0; bit < layout.bits(dim); ++bit)
      threadBits |= image(dim, bit);
}

Value SharedAddress::gep(Value pointer, LLVM::GEPArg offset) {
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// With a constant of bits that the thread's part has, too.
Value SharedAddress::mixed(uint64_t constant) {
  auto mix = [&](Value number) -> Value {
    return arith::XOrIOp::create(
        b, loc, number,
        arith::ConstantIntOp::create(b, loc, b.getI32Type(),
                                     int64_t(constant)));
  };
  if (constant >= alignment)
    return gep(base, mix(thread));
  // From the thread's address: nothing has to be kept for each constant while
  // the base moves.
  if (!threadAddress)
    threadAddress = gep(base, thread);
  Value number =
      LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), threadAddress);
  return LLVM::IntToPtrOp::create(b, loc, base.getType(), mix(number));
}

Value SharedAddress::at(uint64_t constant) {
  uint64_t both = constant & threadBits;
  if (both) {
    Value address = mixed(both);
    uint64_t rest = constant & ~both;
    return rest ? gep(address, int32_t(rest)) : address;
  }
  if (!threadAddress)
    threadAddress = gep(base, thread);
  return constant ? gep(threadAddress, int32_t(constant)) : threadAddress;
}

namespace {

class Transfer {
public:
  Transfer(const ThreadLowering &lowering, OpBuilder &b, Location loc,
           Type element, const LinearLayout &layout, const LinearLayout &memory,
           Value base)
      : bytes(sharedBytes(element)), offsets(*layout::locate(layout, memory)),
        addresses(lowering, b, loc, base, layout, [&](Dim dim, unsigned bit) {
          return offsets.column(dim, bit).offset * uint64_t(bytes);
        }) {
    unsigned maxBits = unsigned(llvm::Log2_64(uint64_t(16 / bytes)));
    vector = *layout::vectorAccess(layout, memory, maxBits);
    held = element.isInteger(1) ? Type(b.getI8Type()) : element;
  }

  const VectorAccess &vectors() const { return vector; }

  VectorType movedType() const {
    return VectorType::get(int64_t(1) << vector.vectorBits, held);
  }
  unsigned alignment() const { return unsigned(bytes << vector.vectorBits); }

  Value address(uint64_t reg) {
    Place place;
    place.reg = reg;
    return addresses.at(offsets(place).offset * uint64_t(bytes));
  }

private:
  int64_t bytes;
  PlaceMap offsets;
  SharedAddress addresses;
  VectorAccess vector;
  Type held;
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
