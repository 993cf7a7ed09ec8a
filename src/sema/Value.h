//===- Value.h - what an expression of a kernel is ------------------------===//
//
// Either a compile-time Python object, or a run-time scalar or tile. A run-time
// value is a type and a handle that `emit/` understands (an SSA value), so that
// this room needs no IR.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_SEMA_VALUE_H
#define TESELA_SEMA_VALUE_H

#include "sema/Int.h"
#include "sema/Type.h"
#include "tesela/environment.h"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tesela::sema {

enum class BuiltinId : uint16_t;
class Value;

/// No value: an error has been reported.
struct Invalid {};

struct None {};

/// A run-time scalar or tile.
struct Runtime {
  Type type;
  const void *handle = nullptr;
};

/// A constant of the language that is only ever compared, such as
/// `tl.PropagateNan.ALL` or the dtype `tl.float8e4b15`.
struct Symbol {
  std::string name;
};

struct Sequence {
  std::vector<Value> items;
  bool isList = false;
};
using SequenceRef = std::shared_ptr<const Sequence>;

/// `a:b:c` in a subscript.
struct SliceObject;
using SliceRef = std::shared_ptr<const SliceObject>;

/// What a `for` can run over: `range`, `tl.range` (`unroll` false) and
/// `tl.static_range`.
struct RangeObject;
using RangeRef = std::shared_ptr<const RangeObject>;

/// `x.sum`: a builtin with its first argument.
struct Method {
  BuiltinId builtin;
  std::shared_ptr<const Value> self;
};

/// `dtype.is_floating`: calling it without arguments gives `result`.
struct Thunk {
  std::shared_ptr<const Value> result;
};

using FunctionRef = std::shared_ptr<const Function>;

/// Whether `T` is an alternative of a variant.
template <typename T, typename Variant>
inline constexpr bool isOneOf = false;
template <typename T, typename... Ts>
inline constexpr bool isOneOf<T, std::variant<Ts...>> =
    (std::is_same_v<T, Ts> || ...);

class Value {
public:
  using Storage =
      std::variant<Invalid, None, bool, Int, double, std::string, Type, Symbol,
                   SequenceRef, SliceRef, RangeRef, FunctionRef, ModuleName,
                   BuiltinId, Method, Thunk, Object::Unsupported, Runtime>;

  Value() = default;
  template <typename T>
    requires isOneOf<T, Storage>
  Value(T value) : storage(std::in_place_type<T>, std::move(value)) {}
  static Value integer(int64_t value) { return Value(Int(value)); }
  static Value tuple(std::vector<Value> items);
  static Value list(std::vector<Value> items);
  static Value shape(llvm::ArrayRef<int64_t> extents);

  /// False where an error has been reported.
  explicit operator bool() const { return !is<Invalid>(); }

  template <typename T>
  bool is() const {
    return std::holds_alternative<T>(storage);
  }
  template <typename T>
  const T &get() const {
    return std::get<T>(storage);
  }
  template <typename T>
  const T *getIf() const {
    return std::get_if<T>(&storage);
  }

  bool isNone() const { return is<None>(); }
  bool isRuntime() const { return is<Runtime>(); }
  /// The type of a run-time value.
  const Type &type() const { return get<Runtime>().type; }
  /// A bool, an int or a float that is known while compiling.
  bool isNumber() const { return is<bool>() || is<Int>() || is<double>(); }
  /// An int or a bool, as an int.
  std::optional<Int> asInt() const;
  std::optional<int64_t> asInt64() const;
  /// Any number, as a float.
  std::optional<double> asDouble() const;
  /// Of a tuple or list, else null.
  const std::vector<Value> *items() const;
  /// Whether it holds a run-time value, itself or in a tuple.
  bool hasRuntime() const;

  /// "a tile of type `float32[64]`", "the int `5`", "a tuple".
  std::string describe() const;
  /// The type alone: "float32[64]", "int", "tuple".
  std::string typeName() const;
  /// What Python's `str` and `repr` give.
  std::string str() const;
  std::string repr() const;

  /// The same object for all that a kernel can observe: no number equals one of
  /// another type, NaN equals itself.
  bool identical(const Value &other) const;

private:
  Storage storage;
};

struct SliceObject {
  Value lower, upper, step;
};

struct RangeObject {
  Value start, stop, step;
  bool unroll = false;
};

/// The type that a number takes where it meets run-time values without one:
/// nothing where an int is too large for 64 bits.
std::optional<DType> numberType(const Value &number);

/// From and to what the world outside knows. `toObject` gives `Unsupported` for
/// what it does not.
Value fromObject(const Object &object);
Object toObject(const Value &value);

} // namespace tesela::sema

#endif // TESELA_SEMA_VALUE_H
