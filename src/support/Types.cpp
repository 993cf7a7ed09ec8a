//===- Types.cpp - the table of element types -----------------------------===//

#include "tesela/types.h"

#include <iterator>

namespace tesela {

namespace {
struct TypeRow {
  DType type;
  unsigned bits;
  std::string_view languageName;
  std::string_view signatureName;
};
} // namespace

static constexpr TypeRow rows[] = {
    {DType::Int1, 1, "int1", "i1"},
    {DType::Int8, 8, "int8", "i8"},
    {DType::Int16, 16, "int16", "i16"},
    {DType::Int32, 32, "int32", "i32"},
    {DType::Int64, 64, "int64", "i64"},
    {DType::UInt8, 8, "uint8", "u8"},
    {DType::UInt16, 16, "uint16", "u16"},
    {DType::UInt32, 32, "uint32", "u32"},
    {DType::UInt64, 64, "uint64", "u64"},
    {DType::Float8E4M3, 8, "float8e4nv", "fp8e4nv"},
    {DType::Float8E5M2, 8, "float8e5", "fp8e5"},
    {DType::Float16, 16, "float16", "fp16"},
    {DType::BFloat16, 16, "bfloat16", "bf16"},
    {DType::Float32, 32, "float32", "fp32"},
    {DType::Float64, 64, "float64", "fp64"},
};

static constexpr bool rowsFollowTheEnum() {
  for (size_t i = 0; i < std::size(rows); ++i)
    if (size_t(rows[i].type) != i)
      return false;
  return true;
}
static_assert(rowsFollowTheEnum());

size_t v1::byteWidth(DType type) { return (bitWidth(type) + 7) / 8; }

unsigned v1::bitWidth(DType type) { return rows[size_t(type)].bits; }

std::string_view v1::languageName(DType type) {
  return rows[size_t(type)].languageName;
}

std::string_view v1::signatureName(DType type) {
  return rows[size_t(type)].signatureName;
}

std::optional<DType> v1::parseDType(std::string_view name) {
  for (const TypeRow &row : rows)
    if (name == row.languageName || name == row.signatureName)
      return row.type;
  return std::nullopt;
}

} // namespace tesela
