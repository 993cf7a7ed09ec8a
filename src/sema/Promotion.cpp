//===- Promotion.cpp - the type that two operands are computed in ---------===//

#include "sema/Promotion.h"

namespace tesela::sema {

static DType promoteInts(DType a, DType b) {
  unsigned widthA = bitWidth(a), widthB = bitWidth(b);
  if (isSigned(a) == isSigned(b))
    return widthA > widthB ? a : b;
  DType theUnsigned = isSigned(a) ? b : a;
  DType theSigned = isSigned(a) ? a : b;
  return bitWidth(theUnsigned) >= bitWidth(theSigned) ? theUnsigned : theSigned;
}

static DType divisionType(DType type) {
  return type == DType::Float16 || type == DType::BFloat16 ? DType::Float32
                                                           : type;
}

std::optional<DType> promote(Operand a, Operand b, Arithmetic arithmetic) {
  bool isDivision = arithmetic == Arithmetic::Division;
  if (arithmetic == Arithmetic::Bitwise) {
    if (!isInt(a.type) || !isInt(b.type))
      return std::nullopt;
    return promoteInts(a.type, b.type);
  }

  if (a.isConstant != b.isConstant) {
    DType constant = a.isConstant ? a.type : b.type;
    DType other = a.isConstant ? b.type : a.type;
    if (kindOf(constant) <= kindOf(other))
      return isDivision ? divisionType(other) : other;
  }

  auto either = [&](DType type) { return a.type == type || b.type == type; };
  if (either(DType::Float64))
    return DType::Float64;
  if (either(DType::Float32))
    return DType::Float32;
  if (either(DType::Float16))
    return isDivision ? DType::Float32 : DType::Float16;
  if (either(DType::BFloat16)) {
    bool both = a.type == b.type;
    return both && !isDivision ? DType::BFloat16 : DType::Float32;
  }
  if (isFloat8(a.type) && isFloat8(b.type))
    return a.type == b.type ? a.type : DType::Float16;
  if (!isInt(a.type) || !isInt(b.type))
    return std::nullopt;
  if (isDivision && isSigned(a.type) != isSigned(b.type))
    return std::nullopt;
  return promoteInts(a.type, b.type);
}

DType sumType(DType type) {
  if (!isInt(type) || bitWidth(type) >= 32)
    return type;
  return isSigned(type) ? DType::Int32 : DType::UInt32;
}

DType extremumType(DType type, bool withIndices) {
  if (type == DType::BFloat16)
    return DType::Float32;
  if (withIndices || bitWidth(type) >= 32)
    return type;
  return isFloat(type) ? DType::Float32 : DType::Int32;
}

std::optional<DType> dotType(DType operand, DType wanted) {
  if (isInt(operand)) {
    bool narrow = isSigned(operand) && bitWidth(operand) <= 32;
    return narrow ? std::optional(DType::Int32) : std::nullopt;
  }
  if (operand == DType::Float64)
    return DType::Float64;
  if (wanted == DType::BFloat16)
    return std::nullopt;
  bool canBeHalf = operand != DType::BFloat16 && operand != DType::Float32;
  return wanted == DType::Float16 && canBeHalf ? DType::Float16
                                               : DType::Float32;
}

} // namespace tesela::sema
