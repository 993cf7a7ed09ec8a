//===- Wraps.h - indices that wrap around at the end of an array ----------===//
//
//   %r = tile.remsi (start + iota), splat(%n)
//
// A remainder changes nothing between zero and the divisor. Beyond it, in the
// *excess* of the tile, other elements are read again; often nobody sees them,
// since what becomes of them is not stored.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_PASSES_WRAPS_H
#define TESELA_PASSES_WRAPS_H

#include "passes/Preconditions.h"

#include "dialect/tile/Tile.h"

#include <optional>

namespace tesela {

/// The whole numbers from start + first to start + last, if none wraps; a null
/// start is zero.
struct Consecutive {
  mlir::Value start;
  int64_t first = 0, last = 0;

  bool operator==(const Consecutive &) const = default;
};

std::optional<Consecutive> matchConsecutive(mlir::Value tile);

/// A remainder that changes nothing where its operand stays below the divisor.
struct Wrap {
  tile::RemSIOp op;
  Consecutive indices;
  mlir::Value divisor;
};

std::optional<Wrap> matchWrap(tile::RemSIOp op);

/// A load through pointers that a wrap computes, which differ along `axis`.
struct WrappedLoad {
  tile::LoadOp load;
  unsigned axis;
};

/// The loads of a wrap whose excess nobody sees; nothing where somebody may.
std::optional<llvm::SmallVector<WrappedLoad>>
findUnseenExcess(const Wrap &wrap);

/// No index of the wrap is negative, and none overflows.
bool assumeNatural(const Wrap &wrap, Preconditions &preconditions);

/// Replaces wraps whose excess nobody sees by bounds of their loads. How many.
unsigned boundWraps(mlir::func::FuncOp kernel, Preconditions &preconditions);

} // namespace tesela

#endif // TESELA_PASSES_WRAPS_H
