//===- Swizzle.cpp - the buffer between two layouts -----------------------===//
//
// A basis of the tile's coordinates is split into three parts, from the lowest
// bits of the offset up: the vector, the bank (what else is in a row of 128
// bytes) and the row. Call W the span of the vector and of what the lanes of
// one wavefront add; two of these lanes meet in a bank, at different words,
// exactly if the rows' span and W have something in common. For the W's of the
// two sides:
//
//   common   is in both            source, dest   each completes `common` to a
//   W rest     completes all of these to the whole space
//
// Then the rows are `rest` and the sums of one of `source` and one of `dest`:
// nothing in their span is in either W. In one dimension of each, that sum is
// the known XOR of a row's and a column's number. The vector is chosen by
// trying: what both sides have in registers, and more of one side's.
//
//===----------------------------------------------------------------------===//

#include "layout/Swizzle.h"

#include "layout/Packing.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tesela::layout {

namespace {

using Vectors = std::vector<uint64_t>;

/// One of the two layouts, as subspaces of the tile.
struct Side {
  explicit Side(const LinearLayout &layout)
      : layout(layout), registers(Span(layout.bases(Dim::Register)).basis()) {}

  /// All steps between threads.
  Vectors threads() const {
    Vectors result = layout.bases(Dim::Lane);
    const Vectors &warps = layout.bases(Dim::Warp);
    result.insert(result.end(), warps.begin(), warps.end());
    return result;
  }
  /// What a wavefront has of the vector: as much as a thread moves at once, or
  /// a word.
  struct Wavefront {
    Vectors within;
    Vectors lanes;
    Vectors all() const {
      Vectors result = within;
      result.insert(result.end(), lanes.begin(), lanes.end());
      return result;
    }
  };
  Wavefront wavefront(const Vectors &vector, unsigned elementBytesLog) const {
    Span own(registers);
    size_t width = 0;
    while (width < vector.size() && own.contains(vector[width]))
      ++width;
    unsigned bytesLog = std::max(2u, elementBytesLog + unsigned(width));
    Wavefront result{vector, layout.bases(Dim::Lane)};
    result.within.resize(std::min<size_t>(
        vector.size(), bytesLog - std::min(bytesLog, elementBytesLog)));
    result.lanes.resize(std::min<size_t>(result.lanes.size(), 7 - bytesLog));
    return result;
  }

  const LinearLayout &layout;
  Vectors registers;
};

/// Vectors that are independent of each other and of those taken before.
class Basis {
public:
  explicit Basis(const Vectors &taken) : span(taken) {}

  /// Those of `candidates` that are new.
  Vectors take(const Vectors &candidates) {
    Vectors result;
    for (uint64_t vector : candidates)
      if (!span.contains(vector)) {
        span.add(vector);
        result.push_back(vector);
      }
    return result;
  }

private:
  Span span;
};

void append(Vectors &to, const Vectors &from) {
  to.insert(to.end(), from.begin(), from.end());
}

Vectors common(const Vectors &a, const Vectors &b) {
  return intersection(Span(a).basis(), Span(b).basis());
}

class BufferSearch {
public:
  BufferSearch(const LinearLayout &source, const LinearLayout &destination,
               unsigned elementBits)
      : source(source), destination(destination), elementBits(elementBits),
        elementBytesLog(unsigned(std::countr_zero(elementBits / 8))) {}

  std::optional<SharedBuffer> best();

private:
  Vectors vectorOf(const Side *alone, size_t width) const;
  LinearLayout arrange(const Vectors &vector) const;
  void consider(const LinearLayout &layout);

  Side source, destination;
  unsigned elementBits;
  unsigned elementBytesLog;
  std::optional<SharedBuffer> found;
};

/// Up to 2^`width` elements that both sides have in registers, then more that
/// one alone has there.
Vectors BufferSearch::vectorOf(const Side *alone, size_t width) const {
  Vectors result =
      commonRegisters(source.layout, destination.layout, unsigned(width));
  if (alone && result.size() < width) {
    // First what is beside each other in the other side's lanes.
    const Side &other = alone == &source ? destination : source;
    Vectors more = common(alone->registers, other.layout.bases(Dim::Lane));
    append(more, alone->registers);
    Vectors taken = alone->threads();
    append(taken, result);
    append(result, Basis(taken).take(more));
  }
  result.resize(std::min(result.size(), width));
  return result;
}

LinearLayout BufferSearch::arrange(const Vectors &vector) const {
  const LinearLayout &tile = source.layout;
  Side::Wavefront a = source.wavefront(vector, elementBytesLog);
  Side::Wavefront b = destination.wavefront(vector, elementBytesLog);

  Vectors blocks = Basis({}).take(tile.bases(Dim::Block));
  Vectors taken = blocks;
  append(taken, vector);
  Basis basis(taken);
  Vectors banks = basis.take(common(a.lanes, b.lanes));
  append(banks, basis.take(common(a.all(), b.all())));
  Vectors onlyA = basis.take(a.lanes), onlyB = basis.take(b.lanes);
  Vectors unit;
  for (unsigned bit = 0; bit < tile.tileBits(); ++bit)
    unit.push_back(uint64_t(1) << bit);
  Vectors rows = basis.take(source.threads());
  append(rows, basis.take(destination.threads()));
  append(rows, basis.take(unit));

  // Each of the pairs gives a bank and a row; what is left over of the longer
  // side are banks.
  size_t pairs = std::min(onlyA.size(), onlyB.size());
  Vectors sums;
  for (size_t i = 0; i < pairs; ++i)
    sums.push_back(onlyA[i] ^ onlyB[i]);
  append(banks, onlyA);
  banks.insert(banks.end(), onlyB.begin() + pairs, onlyB.end());
  // Where a row of memory has room beyond these, `rest` gives it first.
  Vectors all = vector;
  append(all, banks);
  size_t line = 7 - elementBytesLog;
  size_t room = all.size() < line ? line - all.size() : 0;
  room = std::min(room, rows.size());
  all.insert(all.end(), rows.begin(), rows.begin() + room);
  append(all, sums);
  all.insert(all.end(), rows.begin() + room, rows.end());

  LinearLayout result(tile.shape());
  for (uint64_t coordinate : all)
    result.add(Dim::Offset, coordinate);
  for (uint64_t coordinate : blocks)
    result.add(Dim::Block, coordinate);
  return result;
}

void BufferSearch::consider(const LinearLayout &layout) {
  auto store = sharedAccess(source.layout, layout, elementBits);
  auto load = sharedAccess(destination.layout, layout, elementBits);
  if (!store || !load)
    return;
  // An access costs an instruction and its wavefronts.
  auto cost = [](const SharedBuffer &buffer) {
    return buffer.store.totalWavefronts() + buffer.store.vector.accesses() +
           buffer.load.totalWavefronts() + buffer.load.vector.accesses();
  };
  SharedBuffer buffer{layout, std::move(*store), std::move(*load)};
  if (!found || cost(buffer) < cost(*found))
    found = std::move(buffer);
}

std::optional<SharedBuffer> BufferSearch::best() {
  if (source.layout.shape() != destination.layout.shape())
    return std::nullopt;
  size_t most = elementBytesLog < 4 ? 4 - elementBytesLog : 0;
  const Side *const sides[] = {nullptr, &source, &destination};
  Vectors previous;
  for (const Side *alone : sides)
    for (size_t width = 0; width <= most; ++width) {
      Vectors vector = vectorOf(alone, width);
      if (found && vector == previous)
        continue;
      consider(arrange(vector));
      previous = std::move(vector);
    }
  return found;
}

} // namespace

std::optional<SharedBuffer> conversionBuffer(const LinearLayout &source,
                                             const LinearLayout &destination,
                                             unsigned elementBits) {
  return BufferSearch(source, destination, elementBits).best();
}

} // namespace tesela::layout
