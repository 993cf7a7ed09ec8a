//===- Packing.h - elements that stay together in a conversion ------------===//

#ifndef TESELA_LAYOUT_PACKING_H
#define TESELA_LAYOUT_PACKING_H

#include "layout/LinearLayout.h"

namespace tesela::layout {

/// A conversion of packs of 2^`bits` elements instead of single ones: several
/// small elements in one 32-bit register. In either side's numbering of its
/// registers (see `renumberRegisters`) the lowest bits count the elements of a
/// pack, in the same order, and the others the registers of `source` and
/// `destination`, which are layouts of a tile of packs.
struct Packing {
  unsigned bits = 0;
  std::vector<uint64_t> sourceRegisters;
  std::vector<uint64_t> destinationRegisters;
  LinearLayout source;
  LinearLayout destination;
};

/// The largest packs of at most 2^`maxBits` elements. None where shapes differ
/// or a side lacks an element.
std::optional<Packing> packing(const LinearLayout &source,
                               const LinearLayout &destination,
                               unsigned maxBits);

/// Elements that threads of both layouts have together in registers, at most
/// 2^`maxBits`: the steps between them. No thread starts amid them.
std::vector<uint64_t> commonRegisters(const LinearLayout &source,
                                      const LinearLayout &destination,
                                      unsigned maxBits);

} // namespace tesela::layout

#endif // TESELA_LAYOUT_PACKING_H
