//===- arguments.h - what a kernel is launched with -----------------------===//

#ifndef TESELA_ARGUMENTS_H
#define TESELA_ARGUMENTS_H

#include "tesela/environment.h"
#include "tesela/types.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace tesela {
inline namespace v1 {

/// The element type of an arithmetic C++ type.
template <typename T>
constexpr DType dtypeOf() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>)
    return DType::Int1;
  else if constexpr (std::is_same_v<U, float>)
    return DType::Float32;
  else if constexpr (std::is_same_v<U, double>)
    return DType::Float64;
  else if constexpr (sizeof(U) == 1)
    return std::is_signed_v<U> ? DType::Int8 : DType::UInt8;
  else if constexpr (sizeof(U) == 2)
    return std::is_signed_v<U> ? DType::Int16 : DType::UInt16;
  else if constexpr (sizeof(U) == 4)
    return std::is_signed_v<U> ? DType::Int32 : DType::UInt32;
  else
    return std::is_signed_v<U> ? DType::Int64 : DType::UInt64;
}

/// The C++ types of run-time scalars; `long double` has no counterpart.
template <typename T>
concept Scalar = std::is_arithmetic_v<T> &&
                 !std::is_same_v<std::remove_cv_t<T>, long double>;

/// The value of one parameter: a run-time argument or, for a `constexpr`, a
/// constant. Plain data that owns nothing: what it points at must live until
/// the call returns.
struct Argument {
  enum class Kind : uint8_t {
    Default, // not given: the parameter's default value
    Pointer,
    Integer,
    Unsigned,
    Float,
    Bool,
    None,
    Type,  // an element type, `dtype`
    Text,  // `bytes` characters at `text`
    Value, // any compile-time value: a tuple, a jit function, a large integer
  };

  static constexpr size_t unknownBytes = SIZE_MAX;

  Kind kind = Kind::Default;
  bool readOnly = false;
  /// Of what a pointer points at, or of a scalar. A scalar without one takes
  /// the language's rule: int32 where it fits, else int64, else uint64; fp32.
  std::optional<DType> dtype;
  union {
    void *pointer;
    int64_t integer = 0;
    uint64_t unsignedInteger;
    double number;
    bool boolean;
    const char *text;
    const Object *object;
  };
  /// How much may be accessed behind `pointer`. A null pointer is accepted
  /// only where that is nothing.
  size_t bytes = unknownBytes;

  Argument() = default;
  /// Whole numbers, floats and `bool`. They may be given to parameters of
  /// either kind.
  template <Scalar T>
  Argument(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      kind = Kind::Bool;
      boolean = value;
    } else if constexpr (std::is_floating_point_v<T>) {
      kind = Kind::Float;
      number = value;
    } else if constexpr (std::is_signed_v<T> || sizeof(T) < 8) {
      kind = Kind::Integer;
      integer = int64_t(value);
    } else {
      kind = Kind::Unsigned;
      unsignedInteger = uint64_t(value);
    }
  }
  /// The same as a scalar of exactly this type.
  template <Scalar T>
  Argument(T value, DType type) : Argument(value) {
    dtype = type;
  }
  Argument(void *data, DType type, size_t bytes = unknownBytes)
      : kind(Kind::Pointer), dtype(type), pointer(data), bytes(bytes) {}
  Argument(const void *data, DType type, size_t bytes = unknownBytes)
      : kind(Kind::Pointer), readOnly(true), dtype(type),
        pointer(const_cast<void *>(data)), bytes(bytes) {}
  /// Pointers to, and spans of, arithmetic types; to `const` ones the kernel
  /// may not write.
  template <typename T>
    requires Scalar<std::remove_const_t<T>>
  Argument(T *data) : Argument(data, dtypeOf<T>()) {}
  template <typename T>
    requires Scalar<std::remove_const_t<T>>
  Argument(std::span<T> data)
      : Argument(data.data(), dtypeOf<T>(), data.size_bytes()) {}

  Argument(std::nullptr_t) : kind(Kind::None) {}
  Argument(DType type) : kind(Kind::Type), dtype(type) {}
  Argument(const char *text)
      : kind(Kind::Text), text(text), bytes(std::strlen(text)) {}
  Argument(std::string_view text)
      : kind(Kind::Text), text(text.data()), bytes(text.size()) {}
  Argument(const std::string &text) : Argument(std::string_view(text)) {}
  Argument(const Object &value) : kind(Kind::Value), object(&value) {}
};

/// The value of the parameter of this name.
struct NamedArgument {
  std::string_view name;
  Argument value;
};

/// Number of program instances along each axis, at least one.
struct Grid {
  int64_t x = 1;
  int64_t y = 1;
  int64_t z = 1;
};

/// How a kernel is compiled, and where it is queued. What a target has no use
/// for it ignores.
struct LaunchOptions {
  int numWarps = 4;
  int numStages = 3;
  /// Multiply and add may become one fused operation.
  bool enableFpFusion = true;
  /// Of a GPU: the `CUstream` (or `cudaStream_t`) of its primary context that
  /// the launch is queued on; null for the default stream.
  void *stream = nullptr;

  bool operator==(const LaunchOptions &) const = default;
};

} // namespace v1
} // namespace tesela

#endif // TESELA_ARGUMENTS_H
