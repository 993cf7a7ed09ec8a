//===- Float8.cpp - what rounding to floats of 8 bits means ---------------===//

#include "dialect/tile/Float8.h"

#include "dialect/tile/Tile.h"

using namespace mlir;

namespace tesela::tile {

bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(elementType(type));
}

APFloat roundToFloat8(APFloat value, const llvm::fltSemantics &format,
                      llvm::RoundingMode mode) {
  if (value.isNaN())
    return APFloat(format, APInt(8, 0x7f));
  bool isNegative = value.isNegative(), losesInfo;
  value.convert(format, mode, &losesInfo);
  return value.isFinite() ? value : APFloat::getLargest(format, isNegative);
}

} // namespace tesela::tile
