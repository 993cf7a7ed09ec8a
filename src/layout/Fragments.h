//===- Fragments.h - layouts of tiles in registers ------------------------===//
//
// How threads share a tile: evenly in blocks, or as NVIDIA's matrix
// instructions want their operands. In all of these, a tile that is larger than
// what the threads cover once repeats in registers; a smaller one is repeated
// over threads.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_LAYOUT_FRAGMENTS_H
#define TESELA_LAYOUT_FRAGMENTS_H

#include "layout/LinearLayout.h"

namespace tesela::layout {

/// One power of two for each axis: each thread has a box of `perThread`
/// elements, each warp a box of `lanes` threads, and there is a box of `warps`.
/// Numbers count up along `order`'s axes, the fastest first.
struct Blocking {
  Shape perThread;
  Shape lanes;
  Shape warps;
  std::vector<unsigned> order;
};
LinearLayout blocked(const Shape &shape, const Blocking &blocking);

/// Powers of two. Warps are numbered along M first.
struct WarpGrid {
  unsigned m = 1;
  unsigned n = 1;
};

/// `mma.sync.m16n8kX` (sm_80 on), where each warp has a block of its own, and
/// `wgmma.mma_async.m64nNkX` (sm_90a), where four warps share 64 rows: there,
/// the grid's `m` is a multiple of 4.
enum class MatrixUnit { Mma, Wgmma };

/// The last two axes are M and N; axes before them are batches, all in
/// registers. An extent below that of the instruction repeats rows or columns
/// in the fragment.
///
/// PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type": lane
/// 4g+t holds rows g and g+8, columns 2t and 2t+1; "Register Fragments and
/// Shared Memory Matrix Layouts" of wgmma: the same in each warp's 16 rows, for
/// each 8 columns. Elements of 64 bits have the fragment of m8n8k4.
LinearLayout accumulatorFragment(MatrixUnit unit, const Shape &shape,
                                 WarpGrid warps, unsigned elementBits = 32);

/// Operand A, axes M and K, in registers. K covers at least the instruction's:
/// 32 bytes a row (8 fp32, 16 fp16, 32 fp8), or 4 fp64.
///
/// PTX ISA, "Matrix Fragments for" mma.m16n8k8 with .tf32, mma.m16n8k16 with
/// floating point type, mma.m16n8k32: lane 4g+t holds rows g and g+8, the t-th
/// 4 bytes of either half of the row.
LinearLayout operandAFragment(MatrixUnit unit, const Shape &shape,
                              WarpGrid warps, unsigned elementBits);

/// Operand B of `mma.sync`, axes K and N: lane 4g+t holds column g, the t-th 4
/// bytes of either half of its 32 bytes along K.
LinearLayout operandBFragment(const Shape &shape, WarpGrid warps,
                              unsigned elementBits);

/// One matrix of `ldmatrix` and `stmatrix`: 8 rows of 16 bytes, of which lane
/// 4g+t holds the t-th 4 bytes of row g. With `transposed`, which takes 16-bit
/// elements, it holds elements 2t and 2t+1 of column g.
LinearLayout matrixFragment(unsigned elementBits, bool transposed = false);

} // namespace tesela::layout

#endif // TESELA_LAYOUT_FRAGMENTS_H
