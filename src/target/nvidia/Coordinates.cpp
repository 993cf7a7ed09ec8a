//===- Coordinates.cpp - which elements of a tile a thread holds ----------===//

#include "target/nvidia/Coordinates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <bit>

using namespace mlir;

namespace tesela::nvidia {

using layout::Dim;
using layout::LinearLayout;
using layout::Place;

static Value constant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
}

/// The part of a linear map that the bits of one number give. Neighbouring bits
/// whose images are one bit each, at the same distance, move together.
static Value linearPart(OpBuilder &b, Location loc, Value number,
                        ArrayRef<uint64_t> images, Value sum) {
  for (size_t bit = 0; bit < images.size();) {
    uint64_t image = images[bit];
    size_t end = bit + 1;
    if (image == 0) {
      bit = end;
      continue;
    }
    Value part;
    if (std::has_single_bit(image)) {
      while (end < images.size() && images[end] == image << (end - bit))
        ++end;
      int64_t mask = ((int64_t(1) << (end - bit)) - 1) << bit;
      part = arith::AndIOp::create(b, loc, number, constant(b, loc, mask));
      int shift = int(std::countr_zero(image)) - int(bit);
      if (shift > 0)
        part = arith::ShLIOp::create(b, loc, part, constant(b, loc, shift));
      else if (shift < 0)
        part = arith::ShRUIOp::create(b, loc, part, constant(b, loc, -shift));
    } else {
      Value one = arith::AndIOp::create(
          b, loc, arith::ShRUIOp::create(b, loc, number, constant(b, loc, bit)),
          constant(b, loc, 1));
      part =
          arith::MulIOp::create(b, loc, one, constant(b, loc, int64_t(image)));
    }
    sum = sum ? arith::XOrIOp::create(b, loc, sum, part).getResult() : part;
    bit = end;
  }
  return sum;
}

Value emitLinear(OpBuilder &b, Location loc, Value lane, unsigned laneBits,
                 Value warp, unsigned warpBits,
                 llvm::function_ref<uint64_t(Dim, unsigned)> image) {
  SmallVector<uint64_t> images;
  for (unsigned bit = 0; bit < laneBits; ++bit)
    images.push_back(image(Dim::Lane, bit));
  Value sum = linearPart(b, loc, lane, images, Value());
  images.clear();
  for (unsigned bit = 0; bit < warpBits; ++bit)
    images.push_back(image(Dim::Warp, bit));
  sum = linearPart(b, loc, warp, images, sum);
  return sum ? sum : constant(b, loc, 0);
}

RegisterIndex::RegisterIndex(const LinearLayout &layout) {
  // Of registers that repeat an element, the lowest.
  for (uint64_t reg = layout.size(Dim::Register); reg-- > 0;) {
    Place place;
    place.reg = reg;
    registers[layout.at(place)] = int64_t(reg);
  }
}

Coordinates::Coordinates(const ThreadLowering &lowering, OpBuilder &b,
                         Location loc, const LinearLayout &layout)
    : lowering(lowering), b(b), loc(loc), layout(layout),
      threadParts(layout.rank()) {}

Value Coordinates::ofThread(unsigned axis) {
  Value &part = threadParts[axis];
  if (!part)
    part = emitLinear(
        b, loc, lowering.lane(), layout.bits(Dim::Lane), lowering.warp(),
        layout.bits(Dim::Warp), [&](Dim dim, unsigned bit) {
          return uint64_t(layout.coordinates(layout.bases(dim)[bit])[axis]);
        });
  return part;
}

int64_t Coordinates::ofRegister(unsigned axis, unsigned reg) const {
  Place place;
  place.reg = reg;
  return layout.at(place)[axis];
}

Value Coordinates::of(unsigned axis, unsigned reg) {
  int64_t more = ofRegister(axis, reg);
  if (more == 0)
    return ofThread(axis);
  // In layouts of registers each bit of a coordinate comes from one place.
  return arith::AddIOp::create(b, loc, ofThread(axis), constant(b, loc, more));
}

Value Coordinates::isWriter() {
  Place free = layout.freeBits();
  Value isFirst;
  auto require = [&](Value number, uint64_t mask) {
    if (!mask)
      return;
    Value rest =
        arith::AndIOp::create(b, loc, number, constant(b, loc, int64_t(mask)));
    Value zero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest,
                                       constant(b, loc, 0));
    isFirst = isFirst ? arith::AndIOp::create(b, loc, isFirst, zero).getResult()
                      : zero;
  };
  require(lowering.lane(), free.lane);
  require(lowering.warp(), free.warp);
  return isFirst;
}

} // namespace tesela::nvidia
