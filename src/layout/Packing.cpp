//===- Packing.cpp - elements that stay together in a conversion ----------===//
//
// Coordinates are changed so that the lowest bits count the elements of a pack
// and no thread of either side starts amid one. To that end the new coordinates
// are taken for offsets in memory: a pack is a vector access to it.
//
//===----------------------------------------------------------------------===//

#include "layout/Packing.h"

#include "layout/MemoryAccess.h"

#include <utility>

namespace tesela::layout {

namespace {

/// The steps between the threads of both layouts.
std::vector<uint64_t> threadsOf(const LinearLayout &source,
                                const LinearLayout &destination) {
  std::vector<uint64_t> result;
  for (const LinearLayout *layout : {&source, &destination})
    for (Dim dim : {Dim::Lane, Dim::Warp, Dim::Block})
      result.insert(result.end(), layout->bases(dim).begin(),
                    layout->bases(dim).end());
  return Span(result).basis();
}

/// Packs of `layout`, where offsets in `memory` count their elements lowest.
LinearLayout packsOf(const LinearLayout &layout, const LinearLayout &memory,
                     const VectorAccess &pack) {
  PlaceMap offsets = *locate(layout.renumberRegisters(pack.registers), memory);
  LinearLayout result({int64_t(memory.size(Dim::Offset) >> pack.vectorBits)});
  for (Dim dim : allDims)
    for (unsigned bit = dim == Dim::Register ? pack.vectorBits : 0;
         bit < layout.bits(dim); ++bit)
      result.add(dim, offsets.column(dim, bit).offset >> pack.vectorBits);
  return result;
}

} // namespace

std::vector<uint64_t> commonRegisters(const LinearLayout &source,
                                      const LinearLayout &destination,
                                      unsigned maxBits) {
  Span taken(threadsOf(source, destination));
  std::vector<uint64_t> result;
  for (uint64_t vector :
       intersection(Span(source.bases(Dim::Register)).basis(),
                    Span(destination.bases(Dim::Register)).basis()))
    if (result.size() < maxBits && taken.add(vector))
      result.push_back(vector);
  return result;
}

std::optional<Packing> packing(const LinearLayout &source,
                               const LinearLayout &destination,
                               unsigned maxBits) {
  if (source.shape() != destination.shape())
    return std::nullopt;
  LinearLayout memory(source.shape());
  Span taken;
  auto add = [&](const std::vector<uint64_t> &vectors) {
    for (uint64_t vector : vectors)
      if (!taken.contains(vector)) {
        taken.add(vector);
        memory.add(Dim::Offset, vector);
      }
  };
  add(commonRegisters(source, destination, maxBits));
  unsigned bits = memory.bits(Dim::Offset);
  add(threadsOf(source, destination));
  for (unsigned bit = 0; bit < memory.tileBits(); ++bit)
    add({uint64_t(1) << bit});

  auto from = vectorAccess(source, memory, bits);
  auto to = vectorAccess(destination, memory, bits);
  if (!from || !to)
    return std::nullopt;
  return Packing{bits, from->registers, to->registers,
                 packsOf(source, memory, *from),
                 packsOf(destination, memory, *to)};
}

} // namespace tesela::layout
