//===- Numbers.h - elements as bit patterns -------------------------------===//
//
// The evaluator keeps every element as its bits, zero-extended to 64. Integers
// are read signed or unsigned as the op says; floats are computed in a type
// that holds them exactly and rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_INTERP_NUMBERS_H
#define TESELA_INTERP_NUMBERS_H

#include "mlir/IR/Types.h"

#include "llvm/ADT/APFloat.h"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace tesela::interp {

/// Bits of an element of this type, or of a tile of such elements; an index and
/// a pointer have 64.
unsigned elementWidth(mlir::Type type);

/// Bytes that an element takes in memory.
unsigned elementBytes(mlir::Type type);

/// The low `width` bits.
inline uint64_t lowBits(uint64_t bits, unsigned width) {
  return width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

/// The low `width` bits as a signed number.
inline int64_t signExtend(uint64_t bits, unsigned width) {
  return int64_t(bits << (64 - width)) >> (64 - width);
}

/// Between bits and numbers of one float type of at most 64 bits.
class FloatFormat {
public:
  /// `type` is a float type or a tile of floats.
  explicit FloatFormat(mlir::Type type);

  bool isF32() const { return kind == Kind::F32; }
  bool isF64() const { return kind == Kind::F64; }

  /// Exact: every such float is a double.
  double decode(uint64_t bits) const {
    if (kind == Kind::F32)
      return std::bit_cast<float>(uint32_t(bits));
    if (kind == Kind::F64)
      return std::bit_cast<double>(bits);
    return decodeNarrow(bits);
  }

  /// To the nearest, ties to even.
  uint64_t encode(double value) const {
    if (kind == Kind::F32)
      return std::bit_cast<uint32_t>(float(value));
    if (kind == Kind::F64)
      return std::bit_cast<uint64_t>(value);
    return encode(llvm::APFloat(value));
  }

  /// Rounds once, from any format; to 8 bits as `tile.fptofp8` does.
  uint64_t
  encode(llvm::APFloat value,
         llvm::RoundingMode mode = llvm::RoundingMode::NearestTiesToEven) const;

  llvm::APFloat toAPFloat(uint64_t bits) const;

  uint64_t signBit() const { return uint64_t(1) << (width - 1); }
  const llvm::fltSemantics &semantics() const { return *format; }

private:
  enum class Kind : uint8_t { F32, F64, Narrow, Float8 };
  double decodeNarrow(uint64_t bits) const;

  const llvm::fltSemantics *format;
  unsigned width;
  Kind kind;
};

} // namespace tesela::interp

#endif // TESELA_INTERP_NUMBERS_H
