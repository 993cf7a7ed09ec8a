//===- MemoryAccess.cpp - how a layout's elements come from memory --------===//
//
// All from the map of places to offsets. What one access or one lane does holds
// for all others, since theirs differ by a constant XOR.
//
//===----------------------------------------------------------------------===//

#include "layout/MemoryAccess.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tesela::layout {

namespace {

unsigned log2(uint64_t number) { return unsigned(std::countr_zero(number)); }

uint64_t lowBits(unsigned count) { return (uint64_t(1) << count) - 1; }

/// The offsets that the bits of a dimension stand for.
std::vector<uint64_t> offsetsOf(const PlaceMap &map, Dim dim) {
  std::vector<uint64_t> result;
  for (unsigned bit = 0; bit < map.from.bits(dim); ++bit)
    result.push_back(map.column(dim, bit).offset);
  return result;
}

/// All bits of these offsets.
uint64_t anyBit(const std::vector<uint64_t> &offsets) {
  uint64_t result = 0;
  for (uint64_t offset : offsets)
    result |= offset;
  return result;
}

/// Register sums that give offset bits 0…`count`-1; none where there are none.
std::optional<std::vector<uint64_t>>
registersOfLowBits(const std::vector<uint64_t> &offsets, unsigned count) {
  BitMatrix matrix(64, offsets);
  std::vector<uint64_t> result;
  for (unsigned bit = 0; bit < count; ++bit) {
    std::optional<uint64_t> sum = matrix.solve(uint64_t(1) << bit);
    if (!sum)
      return std::nullopt;
    result.push_back(*sum);
  }
  return result;
}

/// Completes register sums to a numbering of all registers. Those that are
/// added have none of the offset bits that `chosen`, in order, stand for.
void completeNumbering(std::vector<uint64_t> &chosen,
                       const std::vector<uint64_t> &offsets) {
  unsigned count = unsigned(chosen.size());
  Span span(chosen);
  for (unsigned bit = 0; bit < offsets.size(); ++bit) {
    uint64_t sum = uint64_t(1) << bit;
    if (!span.add(sum))
      continue;
    for (unsigned i = 0; i < count; ++i)
      if (offsets[bit] >> i & 1)
        sum ^= chosen[i];
    chosen.push_back(sum);
  }
}

/// How many times as many wavefronts as needed 2^n lanes take that differ by
/// these offsets, counted in what one lane moves, of which a wavefront has room
/// for 2^`roomBits`.
unsigned conflicts(std::vector<uint64_t> lanes, unsigned roomBits) {
  unsigned wanted = Span(lanes).size();
  for (uint64_t &lane : lanes)
    lane &= lowBits(roomBits);
  return 1u << (wanted - Span(lanes).size());
}

} // namespace

std::optional<VectorAccess> vectorAccess(const LinearLayout &layout,
                                         const LinearLayout &memory,
                                         unsigned maxVectorBits) {
  std::optional<PlaceMap> map = locate(layout, memory);
  if (!map)
    return std::nullopt;
  std::vector<uint64_t> registers = offsetsOf(*map, Dim::Register);
  uint64_t starts = 0;
  for (Dim dim : {Dim::Lane, Dim::Warp, Dim::Block})
    starts |= anyBit(offsetsOf(*map, dim));
  unsigned width = std::min(maxVectorBits, unsigned(registers.size()));
  if (starts)
    width = std::min(width, log2(starts));

  for (;; --width) {
    auto vector = registersOfLowBits(registers, width);
    if (!vector)
      continue;
    completeNumbering(*vector, registers);
    return VectorAccess{width, std::move(*vector)};
  }
}

std::optional<SharedAccess> sharedAccess(const LinearLayout &layout,
                                         const LinearLayout &shared,
                                         unsigned elementBits) {
  unsigned elementBytesLog = log2(elementBits / 8);
  std::optional<VectorAccess> vector =
      vectorAccess(layout, shared, 4 - std::min(elementBytesLog, 4u));
  if (!vector)
    return std::nullopt;
  std::vector<uint64_t> lanes = offsetsOf(*locate(layout, shared), Dim::Lane);

  // A wavefront is 2^7 bytes, for lanes of at least a word each.
  unsigned bytesLog = std::max(2u, elementBytesLog + vector->vectorBits);
  unsigned roomBits = 7 - bytesLog;
  unsigned parts = 1;
  if (lanes.size() > roomBits) {
    parts = 1u << (lanes.size() - roomBits);
    lanes.resize(roomBits);
  }
  for (uint64_t &lane : lanes)
    lane = lane << elementBytesLog >> bytesLog;
  return SharedAccess{std::move(*vector), parts * conflicts(lanes, roomBits),
                      parts};
}

std::optional<MatrixAccess> matrixAccess(const LinearLayout &layout,
                                         const LinearLayout &shared,
                                         unsigned elementBits,
                                         bool transposed) {
  std::optional<PlaceMap> map = locate(layout, shared);
  if (!map || map->from.bits(Dim::Lane) != 5 || elementBits > 32 ||
      (transposed && elementBits != 16))
    return std::nullopt;
  std::vector<uint64_t> registers = offsetsOf(*map, Dim::Register);
  std::vector<uint64_t> lanes = offsetsOf(*map, Dim::Lane);
  unsigned packed = log2(32 / elementBits), row = packed + 2;
  uint64_t inRow = lowBits(row);

  // Along the row's 16 bytes: the elements of a register and lanes 0 to 3, or,
  // transposed, every fourth lane.
  std::optional<std::vector<uint64_t>> numbering;
  std::vector<uint64_t> rowBits;
  if (transposed) {
    if (registers.empty() || anyBit(registers) & inRow)
      return std::nullopt;
    numbering = std::vector<uint64_t>{1};
    completeNumbering(*numbering, std::vector<uint64_t>(registers.size()));
    rowBits = {registers[0], lanes[0], lanes[1]};
    lanes.erase(lanes.begin(), lanes.begin() + 2);
  } else {
    numbering = registersOfLowBits(registers, packed);
    if (!numbering)
      return std::nullopt;
    completeNumbering(*numbering, registers);
    rowBits.assign(lanes.begin() + 2, lanes.end());
    lanes.resize(2);
  }
  for (unsigned i = 0; i < lanes.size(); ++i)
    if (lanes[i] != uint64_t(1) << (row - lanes.size() + i))
      return std::nullopt;

  // Every row starts at a multiple of 16 bytes.
  MatrixAccess result{packed,
                      std::min(2u, unsigned(numbering->size()) - packed),
                      *numbering,
                      {{}, map->to, BitMatrix(0, {})},
                      1};
  std::vector<uint64_t> starts;
  BitMatrix offsets(64, registers);
  for (unsigned i = packed; i < numbering->size(); ++i)
    starts.push_back(offsets((*numbering)[i]));
  uint64_t anyStart = anyBit(starts) | anyBit(rowBits);
  for (Dim dim : {Dim::Warp, Dim::Block})
    anyStart |= anyBit(offsetsOf(*map, dim));
  if (anyStart & inRow)
    return std::nullopt;

  // Lanes 0 to 7 give the rows of the first matrix, and so on.
  std::vector<uint64_t> matrices(starts.begin(),
                                 starts.begin() + result.matrixBits);
  matrices.resize(2, 0);
  std::vector<uint64_t> columns(starts.begin() + result.matrixBits,
                                starts.end());
  result.rows.from = map->from;
  result.rows.from.widths[unsigned(Dim::Register)] = unsigned(columns.size());
  columns.insert(columns.end(), rowBits.begin(), rowBits.end());
  columns.insert(columns.end(), matrices.begin(), matrices.end());
  for (uint64_t &column : columns)
    column = map->to.flatten({.offset = column});
  for (unsigned bit = map->from.first(Dim::Warp); bit < map->matrix.columns();
       ++bit)
    columns.push_back(map->matrix.column(bit));
  result.rows.matrix = BitMatrix(map->to.totalBits(), std::move(columns));

  for (uint64_t &offset : rowBits)
    offset >>= row;
  result.wavefronts = conflicts(rowBits, 3);
  return result;
}

} // namespace tesela::layout
