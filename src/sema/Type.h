//===- Type.h - the types of run-time values ------------------------------===//
//
// What the IR does not say and the language does: the sign of integers, and
// that a pointer to booleans is one.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_SEMA_TYPE_H
#define TESELA_SEMA_TYPE_H

#include "tesela/types.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace tesela::sema {

/// Ordered: in promotion the higher kind wins.
enum class Kind : uint8_t { Bool, Integer, Float };

Kind kindOf(DType type);
inline bool isFloat(DType type) { return kindOf(type) == Kind::Float; }
inline bool isInt(DType type) { return kindOf(type) != Kind::Float; }
/// `Int1` counts as unsigned.
bool isSigned(DType type);
bool isFloat8(DType type);
/// Explicitly stored bits of the fraction.
unsigned mantissaWidth(DType type);
/// The integer type of this width, if there is one.
std::optional<DType> intType(unsigned width, bool isSigned);

/// The type of a scalar, or of a tile, or (where `isVoid`) of nothing.
struct Type {
  DType dtype = DType::Int32; // of a pointer: what it points at
  bool isPointer = false;
  /// Empty for a scalar.
  llvm::SmallVector<int64_t, 4> shape;

  Type(DType dtype = DType::Int32) : dtype(dtype) {}
  Type(DType dtype, bool isPointer, llvm::ArrayRef<int64_t> shape = {})
      : dtype(dtype), isPointer(isPointer), shape(shape) {}
  Type(DType dtype, llvm::ArrayRef<int64_t> shape)
      : dtype(dtype), shape(shape) {}

  bool isBlock() const { return !shape.empty(); }
  int64_t rank() const { return int64_t(shape.size()); }
  int64_t numElements() const;
  bool isFloat() const { return !isPointer && sema::isFloat(dtype); }
  bool isInt() const { return !isPointer && sema::isInt(dtype); }
  bool isBool() const { return !isPointer && dtype == DType::Int1; }
  bool isSigned() const { return !isPointer && sema::isSigned(dtype); }
  /// Bits of one element; 64 for a pointer.
  unsigned bitWidth() const;

  Type scalar() const { return Type(dtype, isPointer); }
  Type withShape(llvm::ArrayRef<int64_t> newShape) const {
    return Type(dtype, isPointer, newShape);
  }
  Type withDType(DType newType) const { return Type(newType, shape); }

  /// "int32", "pointer<float32>", "float32[64, 32]".
  std::string str() const;

  bool operator==(const Type &) const = default;
};

/// "[64, 32]".
std::string shapeStr(llvm::ArrayRef<int64_t> shape);

} // namespace tesela::sema

#endif // TESELA_SEMA_TYPE_H
