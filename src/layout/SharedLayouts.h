//===- SharedLayouts.h - layouts of tiles in memory -----------------------===//
//
// From offsets, in elements, to coordinates. All are bijective.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_LAYOUT_SHAREDLAYOUTS_H
#define TESELA_LAYOUT_SHAREDLAYOUTS_H

#include "layout/LinearLayout.h"

namespace tesela::layout {

/// Row-major axes: the last one is fastest.
std::vector<unsigned> rowMajor(unsigned rank);

/// Elements one after the other along `order`'s axes, the fastest first.
LinearLayout dense(const Shape &shape, const std::vector<unsigned> &order);

/// All powers of two. Of row r, group c of `vector` elements is where group
/// c ^ (r / perPhase % maxPhase) would be, within the row.
struct RowSwizzle {
  unsigned vector = 1;
  unsigned perPhase = 1;
  unsigned maxPhase = 1;
};

/// Rows run along order[0]; their number counts along order[1] alone. Phases
/// beyond the groups of a row wrap around.
LinearLayout swizzled(const Shape &shape, const std::vector<unsigned> &order,
                      RowSwizzle swizzle);

/// The bytes of a row in the swizzle of TMA and wgmma. With 16, rows of 16
/// bytes follow each other: wgmma's layout without a swizzle.
enum class SwizzleSpan : unsigned { B16 = 16, B32 = 32, B64 = 64, B128 = 128 };

/// What tensor copies write and wgmma reads (PTX ISA, "Swizzling Modes" and
/// "Shared Memory Matrix Layout"): boxes of rows of `span` bytes along
/// order[0], in which bits 4… of the byte's address are XORed with bits 7…,
/// one, two or three of them. An axis order[0] wider than the span is cut into
/// boxes, which follow each other; a narrower one takes the next smaller span.
/// The buffer's address must be a multiple of 8 spans.
LinearLayout boxed(const Shape &shape, const std::vector<unsigned> &order,
                   unsigned elementBits, SwizzleSpan span);

/// The widest span for rows of this many bytes.
SwizzleSpan widestSpan(uint64_t rowBytes);

} // namespace tesela::layout

#endif // TESELA_LAYOUT_SHAREDLAYOUTS_H
