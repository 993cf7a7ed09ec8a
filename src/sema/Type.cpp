//===- Type.cpp - the types of run-time values ----------------------------===//

#include "sema/Type.h"

namespace tesela::sema {

Kind kindOf(DType type) {
  if (type == DType::Int1)
    return Kind::Bool;
  return type < DType::Float8E4M3 ? Kind::Integer : Kind::Float;
}

bool isSigned(DType type) {
  return type >= DType::Int8 && type <= DType::Int64;
}

bool isFloat8(DType type) {
  return type == DType::Float8E4M3 || type == DType::Float8E5M2;
}

unsigned mantissaWidth(DType type) {
  switch (type) {
  case DType::Float8E4M3:
    return 3;
  case DType::Float8E5M2:
    return 2;
  case DType::Float16:
    return 10;
  case DType::BFloat16:
    return 7;
  case DType::Float32:
    return 23;
  case DType::Float64:
    return 52;
  default:
    return 0;
  }
}

std::optional<DType> intType(unsigned width, bool isSigned) {
  switch (width) {
  case 1:
    return DType::Int1;
  case 8:
    return isSigned ? DType::Int8 : DType::UInt8;
  case 16:
    return isSigned ? DType::Int16 : DType::UInt16;
  case 32:
    return isSigned ? DType::Int32 : DType::UInt32;
  case 64:
    return isSigned ? DType::Int64 : DType::UInt64;
  default:
    return std::nullopt;
  }
}

int64_t Type::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

unsigned Type::bitWidth() const {
  return isPointer ? 64 : tesela::bitWidth(dtype);
}

std::string shapeStr(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::string Type::str() const {
  std::string text(languageName(dtype));
  if (isPointer)
    text = "pointer<" + text + ">";
  return isBlock() ? text + shapeStr(shape) : text;
}

} // namespace tesela::sema
