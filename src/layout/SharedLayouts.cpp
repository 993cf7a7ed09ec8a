//===- SharedLayouts.cpp - layouts of tiles in memory ---------------------===//

#include "layout/SharedLayouts.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tesela::layout {

namespace {

/// A memory layout from the coordinate of each bit of the unswizzled offset:
/// wherever an offset bit is in `swizzle`, it also flips the bits given there.
LinearLayout withSwizzle(const LinearLayout &plain,
                         const std::vector<uint64_t> &swizzle) {
  LinearLayout result(plain.shape());
  for (unsigned bit = 0; bit < plain.bits(Dim::Offset); ++bit)
    result.add(Dim::Offset,
               plain({.offset = uint64_t(1) << bit | swizzle[bit]}));
  return result;
}

} // namespace

std::vector<unsigned> rowMajor(unsigned rank) {
  std::vector<unsigned> order(rank);
  for (unsigned i = 0; i < rank; ++i)
    order[i] = rank - 1 - i;
  return order;
}

LinearLayout dense(const Shape &shape, const std::vector<unsigned> &order) {
  LinearLayout result(shape);
  for (unsigned axis : order)
    result.addAlong(Dim::Offset, axis, 0, result.axisBits(axis));
  return result;
}

LinearLayout swizzled(const Shape &shape, const std::vector<unsigned> &order,
                      RowSwizzle swizzle) {
  LinearLayout plain = dense(shape, order);
  std::vector<uint64_t> flips(plain.bits(Dim::Offset), 0);
  if (order.size() >= 2) {
    unsigned columnBits = plain.axisBits(order[0]);
    uint64_t columns = (uint64_t(1) << columnBits) - 1;
    for (unsigned bit = 0; bit < plain.axisBits(order[1]); ++bit) {
      uint64_t phase =
          (uint64_t(1) << bit) / swizzle.perPhase % swizzle.maxPhase;
      flips[columnBits + bit] = phase * swizzle.vector & columns;
    }
  }
  return withSwizzle(plain, flips);
}

SwizzleSpan widestSpan(uint64_t rowBytes) {
  return SwizzleSpan(std::clamp<uint64_t>(std::bit_floor(rowBytes), 16, 128));
}

LinearLayout boxed(const Shape &shape, const std::vector<unsigned> &order,
                   unsigned elementBits, SwizzleSpan span) {
  LinearLayout plain(shape);
  unsigned inner = order[0];
  uint64_t rowBytes = (uint64_t(shape[inner]) * elementBits + 7) / 8;
  uint64_t spanBytes =
      std::min<uint64_t>(unsigned(span), unsigned(widestSpan(rowBytes)));
  unsigned spanBits = std::min<unsigned>(
      unsigned(std::countr_zero(spanBytes * 8 / elementBits)),
      plain.axisBits(inner));
  plain.addAlong(Dim::Offset, inner, 0, spanBits);
  for (unsigned axis : order)
    if (axis != inner)
      plain.addAlong(Dim::Offset, axis, 0, plain.axisBits(axis));
  plain.addAlong(Dim::Offset, inner, spanBits,
                 plain.axisBits(inner) - spanBits);

  // The swizzle is one of addresses in bytes, offsets count elements.
  std::vector<uint64_t> flips(plain.bits(Dim::Offset), 0);
  unsigned swizzleBits = unsigned(std::countr_zero(spanBytes / 16));
  auto offsetBit = [&](unsigned addressBit) {
    return addressBit + 3 - unsigned(std::countr_zero(elementBits));
  };
  for (unsigned bit = 0; bit < swizzleBits; ++bit)
    if (offsetBit(7 + bit) < flips.size())
      flips[offsetBit(7 + bit)] = uint64_t(1) << offsetBit(4 + bit);
  return withSwizzle(plain, flips);
}

} // namespace tesela::layout
