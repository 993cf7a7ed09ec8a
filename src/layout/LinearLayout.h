//===- LinearLayout.h - where the elements of a tile live -----------------===//
//
// A linear map over F2 from places to the coordinates of a tile whose extents
// are powers of two. It is given by a basis: the coordinates that each bit of
// the register's, lane's, warp's, block's number or of the offset stands for;
// the element at a place is the XOR of those of its set bits.
//
//   (8,4): register (0,1) (0,2); lane (1,0) (2,0); warp (4,0)
//
// is a tile of 8 rows of 4, in which each thread holds a row. A bit that stands
// for (0,0) repeats the same elements. Coordinates are flat in row-major order,
// so that a reshape keeps the basis.
//
// The method is that of "Linear Layouts: Robust Code Generation of Efficient
// Tensor Computation Using F2" (arXiv 2505.23819).
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_LAYOUT_LINEARLAYOUT_H
#define TESELA_LAYOUT_LINEARLAYOUT_H

#include "layout/Place.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace tesela::layout {

/// Extents, each a power of two.
using Shape = std::vector<int64_t>;

class LinearLayout {
public:
  /// Most bits of a flat coordinate, and of a flat place.
  static constexpr unsigned maxBits = 32;

  /// With one place and no basis yet.
  explicit LinearLayout(Shape shape);

  /// Gives a dimension one more bit, above those it has.
  LinearLayout &add(Dim dim, uint64_t flatCoordinate);
  /// Gives a dimension `count` more bits, which stand for bits `first`… of the
  /// coordinate along an axis; for nothing where the extent ends before.
  LinearLayout &addAlong(Dim dim, unsigned axis, unsigned first,
                         unsigned count);

  const Shape &shape() const { return extents; }
  unsigned rank() const { return unsigned(extents.size()); }
  unsigned axisBits(unsigned axis) const;
  unsigned tileBits() const;
  const std::vector<uint64_t> &bases(Dim dim) const {
    return basis[unsigned(dim)];
  }
  unsigned bits(Dim dim) const { return unsigned(bases(dim).size()); }
  uint64_t size(Dim dim) const { return uint64_t(1) << bits(dim); }
  PlaceSpace space() const;

  uint64_t flatten(const Shape &coordinates) const;
  Shape coordinates(uint64_t flat) const;
  /// The flat coordinate of the element at a place.
  uint64_t operator()(const Place &place) const;
  Shape at(const Place &place) const { return coordinates((*this)(place)); }
  /// From flat places to flat coordinates.
  BitMatrix matrix() const;

  bool isSurjective() const { return matrix().rank() == tileBits(); }
  bool isInjective() const;
  bool isBijective() const { return isSurjective() && isInjective(); }
  /// A mask for each dimension. The places with none of these bits are one for
  /// each element that lives anywhere: the least.
  Place freeBits() const;

  bool operator==(const LinearLayout &) const = default;

  //===--- Layouts from layouts
  //--------------------------------------------===//

  /// Of the tile that has a tile of this layout in place of each element of
  /// `outer`: extents multiply, axis by axis, and in each dimension of a place
  /// this one's bits are the lower ones.
  LinearLayout operator*(const LinearLayout &outer) const;
  /// The `outer` for which `inner * outer` is this, if any.
  std::optional<LinearLayout> divide(const LinearLayout &inner) const;
  /// The places of `map` instead: what is here at the place it gives.
  LinearLayout compose(const PlaceMap &map) const;
  /// Only the bits of these dimensions.
  LinearLayout restrict(std::initializer_list<Dim> dims) const;

  /// Axis i of the result is axis order[i].
  LinearLayout transpose(const std::vector<unsigned> &order) const;
  /// The same elements in row-major order; the number stays.
  LinearLayout reshape(Shape shape) const;
  LinearLayout expandDims(unsigned axis) const;
  /// Repeats an axis of extent 1: each thread gets all copies of its elements
  /// in registers.
  LinearLayout broadcast(unsigned axis, int64_t extent) const;
  /// An axis gets extent 1: where an operand must live that is broadcast to
  /// this layout.
  LinearLayout collapse(unsigned axis) const;
  /// Without an axis: where the result of its reduction lives.
  LinearLayout slice(unsigned axis) const;
  /// A last axis of extent 2 along the lowest bit of the register: where the
  /// join of two tiles of this layout lives.
  LinearLayout join() const;
  /// The layout of both halves along a last axis of extent 2, and the bit of
  /// the register that tells them apart; none where it is not one alone.
  struct Split;
  std::optional<Split> split() const;

  /// With another basis of the register's number: bit i stands for the
  /// registers' sum (XOR) `registers[i]`.
  LinearLayout renumberRegisters(const std::vector<uint64_t> &registers) const;
  /// Without the bits of the register that repeat, in a thread, elements which
  /// lower bits give.
  LinearLayout withoutRepeatedRegisters() const;

  //===--- As text
  //---------------------------------------------------------===//

  std::string str() const;
  /// None, and what is wrong, where the text is not such a form.
  static std::optional<LinearLayout> parse(std::string_view text,
                                           std::string &error);

private:
  template <typename Function>
  LinearLayout mapped(Shape shape, Function coordinates) const;

  Shape extents;
  std::array<std::vector<uint64_t>, 5> basis;
};

struct LinearLayout::Split {
  LinearLayout layout;
  unsigned registerBit;
};

/// For LLVM's hash tables, which find it by its argument.
size_t hash_value(const LinearLayout &layout);

/// For each place of `layout`, the place of `other` that holds the same
/// element. Among several it is one that differs least: first in the offset,
/// then in the block, warp, lane, register. None where shapes differ or `other`
/// lacks an element.
std::optional<PlaceMap> locate(const LinearLayout &layout,
                               const LinearLayout &other);

} // namespace tesela::layout

#endif // TESELA_LAYOUT_LINEARLAYOUT_H
