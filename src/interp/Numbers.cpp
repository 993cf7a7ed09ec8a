//===- Numbers.cpp - elements as bit patterns -----------------------------===//

#include "interp/Numbers.h"

#include "dialect/tile/Float8.h"
#include "dialect/tile/Tile.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tesela::interp {

unsigned elementWidth(Type type) {
  Type element = tile::elementType(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

unsigned elementBytes(Type type) { return (elementWidth(type) + 7) / 8; }

FloatFormat::FloatFormat(Type type) {
  auto element = cast<FloatType>(tile::elementType(type));
  format = &element.getFloatSemantics();
  width = element.getWidth();
  kind = element.isF32()           ? Kind::F32
         : element.isF64()         ? Kind::F64
         : tile::isFloat8(element) ? Kind::Float8
                                   : Kind::Narrow;
}

uint64_t FloatFormat::encode(APFloat value, llvm::RoundingMode mode) const {
  if (kind == Kind::Float8)
    return tile::roundToFloat8(std::move(value), *format, mode)
        .bitcastToAPInt()
        .getZExtValue();
  bool losesInfo;
  value.convert(*format, mode, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

APFloat FloatFormat::toAPFloat(uint64_t bits) const {
  return APFloat(*format, APInt(width, bits));
}

double FloatFormat::decodeNarrow(uint64_t bits) const {
  // The upper half of an f32.
  if (format == &APFloat::BFloat())
    return std::bit_cast<float>(uint32_t(bits) << 16);
  return toAPFloat(bits).convertToDouble();
}

} // namespace tesela::interp
