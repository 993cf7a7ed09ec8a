//===- Place.h - where an element lives -----------------------------------===//
//
// An element of a tile lives in a register of a lane of a warp of a block, or
// at an offset in memory. A place is one number for each of these dimensions;
// a space says how many bits each has. The flat number of a place has the
// register in its lowest bits, then lane, warp, block and offset.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_LAYOUT_PLACE_H
#define TESELA_LAYOUT_PLACE_H

#include "layout/BitMatrix.h"

#include <array>
#include <cstdint>

namespace tesela::layout {

enum class Dim : uint8_t { Register, Lane, Warp, Block, Offset };

inline constexpr std::array<Dim, 5> allDims = {
    Dim::Register, Dim::Lane, Dim::Warp, Dim::Block, Dim::Offset};

struct Place {
  uint64_t reg = 0;
  uint64_t lane = 0;
  uint64_t warp = 0;
  /// Of a cluster.
  uint64_t block = 0;
  /// Into memory, in elements.
  uint64_t offset = 0;

  uint64_t &operator[](Dim dim) {
    uint64_t *parts[] = {&reg, &lane, &warp, &block, &offset};
    return *parts[unsigned(dim)];
  }
  uint64_t operator[](Dim dim) const { return const_cast<Place &>(*this)[dim]; }
  bool operator==(const Place &) const = default;
};

struct PlaceSpace {
  std::array<unsigned, 5> widths = {};

  unsigned bits(Dim dim) const { return widths[unsigned(dim)]; }
  /// The first bit of a dimension in a flat place.
  unsigned first(Dim dim) const {
    unsigned result = 0;
    for (unsigned i = 0; i < unsigned(dim); ++i)
      result += widths[i];
    return result;
  }
  unsigned totalBits() const { return first(Dim::Offset) + widths.back(); }
  uint64_t flatten(const Place &place) const {
    uint64_t result = 0;
    for (Dim dim : allDims)
      result |= place[dim] << first(dim);
    return result;
  }
  Place unflatten(uint64_t flat) const {
    Place result;
    for (Dim dim : allDims)
      result[dim] = flat >> first(dim) & ((uint64_t(1) << bits(dim)) - 1);
    return result;
  }
  bool operator==(const PlaceSpace &) const = default;
};

/// A linear map from the places of one space to those of another.
struct PlaceMap {
  PlaceSpace from;
  PlaceSpace to;
  /// Of flat places.
  BitMatrix matrix;

  Place operator()(const Place &place) const {
    return to.unflatten(matrix(from.flatten(place)));
  }
  /// What bit `bit` of `source` adds to the result.
  Place column(Dim source, unsigned bit) const {
    return to.unflatten(matrix.column(from.first(source) + bit));
  }
  /// Whether the number in this dimension is the same before and after.
  bool keeps(Dim dim) const;
  /// Whether `result` depends on no other dimension than `on`.
  bool dependsOnlyOn(Dim result, Dim on) const;
};

} // namespace tesela::layout

#endif // TESELA_LAYOUT_PLACE_H
