//===- Float8.h - what rounding to floats of 8 bits means -----------------===//
//
// `f8E4M3FN` and `f8E5M2` as NVIDIA's `cvt.rn.satfinite` makes them: to the
// nearest, ties to even; what is too large, infinities among it, becomes the
// largest number of its sign; a NaN becomes 0x7f.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_DIALECT_TILE_FLOAT8_H
#define TESELA_DIALECT_TILE_FLOAT8_H

#include "mlir/IR/Types.h"

#include "llvm/ADT/APFloat.h"

namespace tesela::tile {

/// Of a tile: its element type.
bool isFloat8(mlir::Type type);

/// `value` in `format`, one of the two above.
llvm::APFloat
roundToFloat8(llvm::APFloat value, const llvm::fltSemantics &format,
              llvm::RoundingMode mode = llvm::RoundingMode::NearestTiesToEven);

} // namespace tesela::tile

#endif // TESELA_DIALECT_TILE_FLOAT8_H
