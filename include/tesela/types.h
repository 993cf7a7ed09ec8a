//===- types.h - element types of the language ----------------------------===//

#ifndef TESELA_TYPES_H
#define TESELA_TYPES_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#if defined(__GNUC__)
#define TESELA_API __attribute__((visibility("default")))
#else
#define TESELA_API
#endif

namespace tesela {
inline namespace v1 {

/// The element types. `Float8E4M3` is the language's `float8e4nv`, `Float8E5M2`
/// its `float8e5`.
enum class DType : uint8_t {
  Int1,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float8E4M3,
  Float8E5M2,
  Float16,
  BFloat16,
  Float32,
  Float64,
};

/// Bytes that one element takes in memory; an `Int1` takes one.
TESELA_API size_t byteWidth(DType type);
/// Bits of the value: 1 for `Int1`.
TESELA_API unsigned bitWidth(DType type);

/// The language's name: "int32", "uint8", "float16", "float8e4nv", …
TESELA_API std::string_view languageName(DType type);
/// The signature name: "i32", "u8", "fp16", "bf16", "fp8e4nv", "i1", …
TESELA_API std::string_view signatureName(DType type);
/// Reads either kind of name; nothing where it is neither.
TESELA_API std::optional<DType> parseDType(std::string_view name);

} // namespace v1
} // namespace tesela

#endif // TESELA_TYPES_H
