//===- Fragments.cpp - layouts of tiles in registers ----------------------===//

#include "layout/Fragments.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace tesela::layout {

namespace {

unsigned log2(uint64_t number) {
  assert(std::has_single_bit(number) && "not a power of two");
  return unsigned(std::countr_zero(number));
}

/// Lays a tile out from the inside: each step gives the next bits along an axis
/// to a dimension.
class InsideOut {
public:
  explicit InsideOut(const Shape &shape)
      : layout(shape), next(shape.size(), 0) {}

  /// `count` more bits along an axis, which repeat elements beyond its end.
  InsideOut &put(Dim dim, unsigned axis, unsigned count) {
    layout.addAlong(dim, axis, next[axis], count);
    next[axis] += count;
    return *this;
  }
  /// Bits that repeat elements.
  InsideOut &repeat(Dim dim, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      layout.add(dim, 0);
    return *this;
  }
  unsigned left(unsigned axis) const {
    unsigned all = layout.axisBits(axis);
    return all > next[axis] ? all - next[axis] : 0;
  }
  /// In registers, all of an axis but the outermost `keep` bits.
  InsideOut &fill(unsigned axis, unsigned keep = 0) {
    unsigned bits = left(axis);
    return put(Dim::Register, axis, bits > keep ? bits - keep : 0);
  }
  LinearLayout take() { return std::move(layout); }

private:
  LinearLayout layout;
  /// The first bit of each axis that is not given yet.
  std::vector<unsigned> next;
};

/// The axes of a matrix operand: its rows, its columns, and the batches.
struct MatrixAxes {
  explicit MatrixAxes(const Shape &shape)
      : rows(unsigned(shape.size()) - 2), columns(rows + 1) {
    assert(shape.size() >= 2 && "a matrix of fewer than two axes");
  }
  void fillBatches(InsideOut &tile) const {
    for (unsigned axis = rows; axis-- > 0;)
      tile.fill(axis);
  }
  unsigned rows;
  unsigned columns;
};

/// How many elements share a 32-bit register.
unsigned packedBits(unsigned elementBits) {
  return elementBits < 32 ? log2(32 / elementBits) : 0;
}

/// The bits of the warp's number that count along M: those inside of one
/// instruction's rows, and those outside.
struct WarpBitsAlongM {
  WarpBitsAlongM(MatrixUnit unit, WarpGrid warps)
      : inside(unit == MatrixUnit::Wgmma ? 2 : 0),
        outside(log2(warps.m) - inside) {
    assert(log2(warps.m) >= inside && "a part of a warpgroup");
  }
  unsigned inside;
  unsigned outside;
};

} // namespace

LinearLayout blocked(const Shape &shape, const Blocking &blocking) {
  InsideOut tile(shape);
  auto put = [&](Dim dim, const Shape &counts) {
    for (unsigned axis : blocking.order) {
      unsigned bits = log2(uint64_t(counts[axis]));
      // Threads that are too many repeat elements, registers are left out.
      if (dim == Dim::Register)
        bits = std::min(bits, tile.left(axis));
      tile.put(dim, axis, bits);
    }
  };
  put(Dim::Register, blocking.perThread);
  put(Dim::Lane, blocking.lanes);
  put(Dim::Warp, blocking.warps);
  for (unsigned axis : blocking.order)
    tile.fill(axis);
  return tile.take();
}

LinearLayout accumulatorFragment(MatrixUnit unit, const Shape &shape,
                                 WarpGrid warps, unsigned elementBits) {
  MatrixAxes axes(shape);
  unsigned m = axes.rows, n = axes.columns;
  WarpBitsAlongM warpsM(unit, warps);
  InsideOut tile(shape);
  tile.put(Dim::Register, n, 1).put(Dim::Lane, n, 2).put(Dim::Lane, m, 3);
  if (elementBits < 64)
    tile.put(Dim::Register, m, 1);
  tile.put(Dim::Warp, m, warpsM.inside)
      .fill(n, log2(warps.n))
      .fill(m, warpsM.outside)
      .put(Dim::Warp, m, warpsM.outside)
      .put(Dim::Warp, n, log2(warps.n));
  axes.fillBatches(tile);
  return tile.take();
}

LinearLayout operandAFragment(MatrixUnit unit, const Shape &shape,
                              WarpGrid warps, unsigned elementBits) {
  MatrixAxes axes(shape);
  unsigned m = axes.rows, k = axes.columns;
  WarpBitsAlongM warpsM(unit, warps);
  InsideOut tile(shape);
  tile.put(Dim::Register, k, packedBits(elementBits))
      .put(Dim::Lane, k, 2)
      .put(Dim::Lane, m, 3);
  if (elementBits < 64)
    tile.put(Dim::Register, m, 1).put(Dim::Register, k, 1);
  tile.put(Dim::Warp, m, warpsM.inside)
      .fill(k)
      .fill(m, warpsM.outside)
      .put(Dim::Warp, m, warpsM.outside)
      .repeat(Dim::Warp, log2(warps.n));
  axes.fillBatches(tile);
  return tile.take();
}

LinearLayout operandBFragment(const Shape &shape, WarpGrid warps,
                              unsigned elementBits) {
  MatrixAxes axes(shape);
  unsigned k = axes.rows, n = axes.columns;
  InsideOut tile(shape);
  tile.put(Dim::Register, k, packedBits(elementBits))
      .put(Dim::Lane, k, 2)
      .put(Dim::Lane, n, 3);
  if (elementBits < 64)
    tile.put(Dim::Register, k, 1);
  tile.fill(k)
      .fill(n, log2(warps.n))
      .repeat(Dim::Warp, log2(warps.m))
      .put(Dim::Warp, n, log2(warps.n));
  axes.fillBatches(tile);
  return tile.take();
}

LinearLayout matrixFragment(unsigned elementBits, bool transposed) {
  assert((!transposed || elementBits == 16) && "only 16 bits are transposed");
  InsideOut tile({8, 128 / int64_t(elementBits)});
  unsigned row = transposed ? 1 : 0, column = 1 - row;
  return tile.put(Dim::Register, column, packedBits(elementBits))
      .put(Dim::Lane, column, 2)
      .put(Dim::Lane, row, 3)
      .take();
}

} // namespace tesela::layout
