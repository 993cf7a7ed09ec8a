//===- LinearLayout.cpp - where the elements of a tile live ---------------===//

#include "layout/LinearLayout.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace tesela::layout {

bool PlaceMap::keeps(Dim dim) const {
  if (from.bits(dim) != to.bits(dim))
    return false;
  for (Dim source : allDims)
    for (unsigned bit = 0; bit < from.bits(source); ++bit)
      if (column(source, bit)[dim] != (source == dim ? uint64_t(1) << bit : 0))
        return false;
  return true;
}

bool PlaceMap::dependsOnlyOn(Dim result, Dim on) const {
  for (Dim source : allDims)
    for (unsigned bit = 0; source != on && bit < from.bits(source); ++bit)
      if (column(source, bit)[result])
        return false;
  return true;
}

//===----------------------------------------------------------------------===//
// The map
//===----------------------------------------------------------------------===//

LinearLayout::LinearLayout(Shape shape) : extents(std::move(shape)) {
  for ([[maybe_unused]] int64_t extent : extents)
    assert(extent > 0 && std::has_single_bit(uint64_t(extent)));
  assert(tileBits() <= maxBits && "a tile of too many elements");
}

LinearLayout &LinearLayout::add(Dim dim, uint64_t flatCoordinate) {
  assert(flatCoordinate >> tileBits() == 0 && "outside of the tile");
  basis[unsigned(dim)].push_back(flatCoordinate);
  return *this;
}

LinearLayout &LinearLayout::addAlong(Dim dim, unsigned axis, unsigned first,
                                     unsigned count) {
  unsigned inner = 0;
  for (unsigned i = axis + 1; i < rank(); ++i)
    inner += axisBits(i);
  for (unsigned bit = first; bit < first + count; ++bit)
    add(dim, bit < axisBits(axis) ? uint64_t(1) << (inner + bit) : 0);
  return *this;
}

unsigned LinearLayout::axisBits(unsigned axis) const {
  return unsigned(std::countr_zero(uint64_t(extents[axis])));
}

unsigned LinearLayout::tileBits() const {
  unsigned result = 0;
  for (unsigned axis = 0; axis < rank(); ++axis)
    result += axisBits(axis);
  return result;
}

PlaceSpace LinearLayout::space() const {
  PlaceSpace result;
  for (Dim dim : allDims)
    result.widths[unsigned(dim)] = bits(dim);
  return result;
}

uint64_t LinearLayout::flatten(const Shape &coordinates) const {
  uint64_t result = 0;
  for (unsigned axis = 0; axis < rank(); ++axis)
    result = result << axisBits(axis) | uint64_t(coordinates[axis]);
  return result;
}

Shape LinearLayout::coordinates(uint64_t flat) const {
  Shape result(rank());
  for (unsigned axis = rank(); axis-- > 0; flat >>= axisBits(axis))
    result[axis] = int64_t(flat & uint64_t(extents[axis] - 1));
  return result;
}

uint64_t LinearLayout::operator()(const Place &place) const {
  uint64_t result = 0;
  for (Dim dim : allDims)
    for (unsigned bit = 0; bit < bits(dim); ++bit)
      if (place[dim] >> bit & 1)
        result ^= bases(dim)[bit];
  return result;
}

BitMatrix LinearLayout::matrix() const {
  std::vector<uint64_t> columns;
  for (Dim dim : allDims)
    columns.insert(columns.end(), bases(dim).begin(), bases(dim).end());
  return {tileBits(), std::move(columns)};
}

bool LinearLayout::isInjective() const {
  BitMatrix all = matrix();
  return all.rank() == all.columns();
}

Place LinearLayout::freeBits() const {
  return space().unflatten(matrix().freeColumns());
}

size_t hash_value(const LinearLayout &layout) {
  // FNV-1a over words.
  uint64_t hash = 0xcbf29ce484222325;
  auto mix = [&](uint64_t word) { hash = (hash ^ word) * 0x100000001b3; };
  for (int64_t extent : layout.shape())
    mix(uint64_t(extent));
  for (Dim dim : allDims) {
    mix(layout.bits(dim));
    for (uint64_t vector : layout.bases(dim))
      mix(vector);
  }
  return size_t(hash ^ hash >> 32);
}

std::optional<PlaceMap> locate(const LinearLayout &layout,
                               const LinearLayout &other) {
  if (layout.shape() != other.shape())
    return std::nullopt;
  PlaceSpace from = layout.space(), to = other.space();
  BitMatrix held = other.matrix();
  Span columns, same(held.kernel());
  for (unsigned i = 0; i < held.columns(); ++i)
    columns.add(held.column(i));

  std::vector<uint64_t> sources;
  for (Dim dim : allDims)
    for (unsigned bit = 0; bit < layout.bits(dim); ++bit) {
      Span::Reduced found = columns.reduce(layout.bases(dim)[bit]);
      if (found.rest)
        return std::nullopt;
      // Of the sources that hold the element, the one that is nearest to where
      // it is wanted: the least difference in flat places.
      Place wanted;
      if (bit < to.bits(dim))
        wanted[dim] = uint64_t(1) << bit;
      uint64_t self = to.flatten(wanted);
      sources.push_back(self ^ same.reduce(self ^ found.used).rest);
    }
  return PlaceMap{from, to, BitMatrix(to.totalBits(), std::move(sources))};
}

//===----------------------------------------------------------------------===//
// Products and parts
//===----------------------------------------------------------------------===//

/// A layout with the same places, each basis vector's coordinates changed.
template <typename Function>
LinearLayout LinearLayout::mapped(Shape shape, Function change) const {
  LinearLayout result(std::move(shape));
  for (Dim dim : allDims)
    for (uint64_t vector : bases(dim))
      result.add(dim, result.flatten(change(coordinates(vector))));
  return result;
}

LinearLayout LinearLayout::operator*(const LinearLayout &outer) const {
  assert(rank() == outer.rank() && "a product of tiles of unequal rank");
  Shape shape = extents;
  for (unsigned axis = 0; axis < rank(); ++axis)
    shape[axis] *= outer.extents[axis];
  LinearLayout result =
      mapped(shape, [](Shape coordinates) { return coordinates; });
  LinearLayout rest = outer.mapped(shape, [&](Shape coordinates) {
    for (unsigned axis = 0; axis < rank(); ++axis)
      coordinates[axis] *= extents[axis];
    return coordinates;
  });
  for (Dim dim : allDims)
    for (uint64_t vector : rest.bases(dim))
      result.add(dim, vector);
  return result;
}

std::optional<LinearLayout>
LinearLayout::divide(const LinearLayout &inner) const {
  if (rank() != inner.rank())
    return std::nullopt;
  Shape shape = extents;
  for (unsigned axis = 0; axis < rank(); ++axis) {
    if (extents[axis] < inner.extents[axis])
      return std::nullopt;
    shape[axis] /= inner.extents[axis];
  }
  LinearLayout outer(shape);
  for (Dim dim : allDims) {
    if (bits(dim) < inner.bits(dim))
      return std::nullopt;
    for (unsigned bit = inner.bits(dim); bit < bits(dim); ++bit) {
      Shape coordinate = coordinates(bases(dim)[bit]);
      for (unsigned axis = 0; axis < rank(); ++axis)
        coordinate[axis] /= inner.extents[axis];
      outer.add(dim, outer.flatten(coordinate));
    }
  }
  if (inner * outer != *this)
    return std::nullopt;
  return outer;
}

LinearLayout LinearLayout::compose(const PlaceMap &map) const {
  LinearLayout result(extents);
  for (Dim dim : allDims)
    for (unsigned bit = 0; bit < map.from.bits(dim); ++bit)
      result.add(dim, (*this)(map.column(dim, bit)));
  return result;
}

LinearLayout LinearLayout::restrict(std::initializer_list<Dim> dims) const {
  LinearLayout result(extents);
  for (Dim dim : dims)
    result.basis[unsigned(dim)] = bases(dim);
  return result;
}

//===----------------------------------------------------------------------===//
// Changes of shape
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::transpose(const std::vector<unsigned> &order) const {
  auto permuted = [&](const Shape &coordinates) {
    Shape result;
    for (unsigned axis : order)
      result.push_back(coordinates[axis]);
    return result;
  };
  return mapped(permuted(extents), permuted);
}

LinearLayout LinearLayout::reshape(Shape shape) const {
  LinearLayout result(std::move(shape));
  assert(result.tileBits() == tileBits() && "a reshape to another size");
  result.basis = basis;
  return result;
}

LinearLayout LinearLayout::expandDims(unsigned axis) const {
  Shape shape = extents;
  shape.insert(shape.begin() + axis, 1);
  return reshape(std::move(shape));
}

LinearLayout LinearLayout::broadcast(unsigned axis, int64_t extent) const {
  assert(extents[axis] == 1 && "a broadcast of an axis that is not 1");
  Shape shape = extents;
  shape[axis] = extent;
  LinearLayout result =
      mapped(std::move(shape), [](Shape coordinates) { return coordinates; });
  return result.addAlong(Dim::Register, axis, 0, result.axisBits(axis));
}

LinearLayout LinearLayout::collapse(unsigned axis) const {
  Shape shape = extents;
  shape[axis] = 1;
  return mapped(std::move(shape), [&](Shape coordinates) {
    coordinates[axis] = 0;
    return coordinates;
  });
}

LinearLayout LinearLayout::slice(unsigned axis) const {
  LinearLayout thin = collapse(axis);
  Shape shape = extents;
  shape.erase(shape.begin() + axis);
  return thin.reshape(std::move(shape));
}

LinearLayout LinearLayout::join() const {
  Shape shape = extents;
  shape.push_back(2);
  LinearLayout result = mapped(std::move(shape), [](Shape coordinates) {
    coordinates.push_back(0);
    return coordinates;
  });
  auto &registers = result.basis[unsigned(Dim::Register)];
  registers.insert(registers.begin(), 1);
  return result;
}

std::optional<LinearLayout::Split> LinearLayout::split() const {
  if (extents.empty() || extents.back() != 2)
    return std::nullopt;
  const std::vector<uint64_t> &registers = bases(Dim::Register);
  auto half = std::find(registers.begin(), registers.end(), 1);
  if (half == registers.end())
    return std::nullopt;
  // No other bit may step from one half to the other.
  unsigned steps = 0;
  for (Dim dim : allDims)
    for (uint64_t vector : bases(dim))
      steps += vector & 1;
  if (steps != 1)
    return std::nullopt;

  unsigned bit = unsigned(half - registers.begin());
  LinearLayout rest = slice(rank() - 1);
  auto &kept = rest.basis[unsigned(Dim::Register)];
  kept.erase(kept.begin() + bit);
  return Split{std::move(rest), bit};
}

LinearLayout
LinearLayout::renumberRegisters(const std::vector<uint64_t> &registers) const {
  LinearLayout result = *this;
  auto &vectors = result.basis[unsigned(Dim::Register)];
  vectors.clear();
  for (uint64_t sum : registers)
    vectors.push_back((*this)({.reg = sum}));
  return result;
}

LinearLayout LinearLayout::withoutRepeatedRegisters() const {
  LinearLayout result = *this;
  auto &kept = result.basis[unsigned(Dim::Register)];
  kept.clear();
  Span before;
  for (uint64_t vector : bases(Dim::Register))
    if (before.add(vector))
      kept.push_back(vector);
  return result;
}

} // namespace tesela::layout
