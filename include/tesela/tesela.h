//===- tesela.h - load, specialise and launch kernels from C++ ------------===//
//
//   auto module = tesela::Module::load("add.py");
//   auto add = module->kernel("add_kernel");
//   auto done = add->launch(tesela::Device::cpu(), {blocks},
//                           {x, y, out, n}, {{"BLOCK", 1024}});
//   if (!done)
//     std::cerr << done.error().text();
//
// Nothing throws and nothing aborts: what can fail returns a `Result`.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_TESELA_H
#define TESELA_TESELA_H

#include "tesela/environment.h"
#include "tesela/types.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tesela {
inline namespace v1 {

/// The version of the library: "0.1.0".
TESELA_API const char *version();

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// One thing that is wrong, as the command line prints it.
struct Message {
  /// "error", "warning" or "note".
  std::string severity;
  /// The stable name of what is wrong, such as "dot-shape".
  std::string id;
  std::string file;
  int line = 0;   // 1-based; 0 where no place is known
  int column = 0; // 1-based, in code points
  std::string text;
  /// All of it: place, text, source line, caret and notes.
  std::string rendered;
};

/// Why a call failed.
struct Error {
  std::vector<Message> messages;

  /// The messages, rendered one after the other.
  TESELA_API std::string text() const;
};

/// A value, or why there is none.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : state(std::move(value)) {}
  Result(Error error) : state(std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() { return std::get<0>(state); }
  const T &operator*() const { return std::get<0>(state); }
  T *operator->() { return &std::get<0>(state); }
  const T *operator->() const { return &std::get<0>(state); }
  const Error &error() const { return std::get<1>(state); }

private:
  std::variant<T, Error> state;
};

/// Success without a value.
struct Done {};

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// A run-time argument of a kernel.
struct Argument {
  enum class Kind : uint8_t { Pointer, Integer, Unsigned, Float, Bool };

  Kind kind = Kind::Integer;
  /// Of what a pointer points at, or of the scalar. A scalar without one takes
  /// the language's rule: int32 where it fits, else int64, else uint64; fp32.
  std::optional<DType> dtype;
  union {
    void *pointer;
    int64_t integer;
    uint64_t unsignedInteger;
    double number;
    bool boolean;
  };
  /// Bytes that may be accessed behind `pointer`; 0 where not known.
  size_t bytes = 0;
  bool readOnly = false;

  Argument(int value) : Argument(int64_t{value}) {}
  Argument(long value) : kind(Kind::Integer), integer(value) {}
  Argument(long long value) : kind(Kind::Integer), integer(value) {}
  Argument(unsigned value) : Argument(int64_t{value}) {}
  Argument(unsigned long value)
      : kind(Kind::Unsigned), unsignedInteger(value) {}
  Argument(float value) : kind(Kind::Float), number(value) {}
  Argument(double value) : kind(Kind::Float), number(value) {}
  Argument(bool value) : kind(Kind::Bool), boolean(value) {}
  Argument(void *data, DType type, size_t bytes = 0)
      : kind(Kind::Pointer), dtype(type), pointer(data), bytes(bytes) {}
  Argument(const void *data, DType type, size_t bytes = 0)
      : kind(Kind::Pointer), dtype(type), pointer(const_cast<void *>(data)),
        bytes(bytes), readOnly(true) {}
  /// Spans of the arithmetic types.
  template <typename T>
    requires std::is_arithmetic_v<std::remove_const_t<T>>
  Argument(std::span<T> data);
  template <typename T>
    requires std::is_arithmetic_v<T>
  Argument(T *data);
};

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

template <typename T>
  requires std::is_arithmetic_v<std::remove_const_t<T>>
Argument::Argument(std::span<T> data)
    : Argument(data.data(), dtypeOf<T>(), data.size_bytes()) {}
template <typename T>
  requires std::is_arithmetic_v<T>
Argument::Argument(T *data) : Argument(data, dtypeOf<T>()) {}

/// A `constexpr` parameter and its value.
struct Constant {
  std::string name;
  Object value;

  Constant(std::string name, Object value)
      : name(std::move(name)), value(std::move(value)) {}
  Constant(std::string name, bool value)
      : name(std::move(name)), value{value} {}
  Constant(std::string name, int value)
      : name(std::move(name)), value{Integer{value, {}}} {}
  Constant(std::string name, int64_t value)
      : name(std::move(name)), value{Integer{value, {}}} {}
  Constant(std::string name, double value)
      : name(std::move(name)), value{value} {}
  Constant(std::string name, const char *value)
      : name(std::move(name)), value{std::string(value)} {}
  Constant(std::string name, DType value)
      : name(std::move(name)), value{value} {}
};

/// Number of program instances along each axis.
struct Grid {
  int64_t x = 1;
  int64_t y = 1;
  int64_t z = 1;
};

/// How a kernel is compiled. What a target has no use for it ignores.
struct LaunchOptions {
  int numWarps = 4;
  int numStages = 3;
  /// Multiply and add may become one fused operation.
  bool enableFpFusion = true;

  bool operator==(const LaunchOptions &) const = default;
};

//===----------------------------------------------------------------------===//
// Devices, modules, kernels
//===----------------------------------------------------------------------===//

/// Where kernels run.
class TESELA_API Device {
public:
  /// The host's CPU. `threads` is how many run one launch; 0 takes one for each
  /// core that the process may use.
  static Device cpu(int threads = 0);

  /// "cpu".
  std::string name() const;

  struct State;
  explicit Device(std::shared_ptr<State> state);
  const std::shared_ptr<State> &impl() const { return state; }

private:
  std::shared_ptr<State> state;
};

/// A jit function that can be launched. Cheap to copy; safe to use from several
/// threads.
class TESELA_API Kernel {
public:
  const std::string &name() const;

  /// Runs the kernel once for each point of `grid` and returns when all are
  /// done. Compiles on first use. `arguments` are the parameters that are not
  /// `constexpr`, in order.
  Result<Done> launch(const Device &device, Grid grid,
                      std::span<const Argument> arguments,
                      std::span<const Constant> constants = {},
                      const LaunchOptions &options = {}) const;
  Result<Done> launch(const Device &device, Grid grid,
                      std::initializer_list<Argument> arguments,
                      std::initializer_list<Constant> constants = {},
                      const LaunchOptions &options = {}) const;

  /// The text after a stage: "tile", "views", "cpu", "llvm" or "asm". The
  /// arguments stand for their types and properties alone.
  Result<std::string> show(const Device &device, const std::string &stage,
                           std::span<const Argument> arguments,
                           std::span<const Constant> constants = {},
                           const LaunchOptions &options = {}) const;

  /// A kernel of a function that is known already: what the Python package has.
  static Result<Kernel> create(std::shared_ptr<const Function> function);

  struct State;
  explicit Kernel(std::shared_ptr<State> state);
  const std::shared_ptr<State> &impl() const { return state; }

private:
  std::shared_ptr<State> state;
};

/// A file of kernels.
class TESELA_API Module {
public:
  /// Reads a Python file. Its imports of `triton`, `triton.language` and of
  /// sibling files, its constants and its jit functions are what kernels see;
  /// nothing else in it is executed.
  static Result<Module> load(const std::string &path);
  /// The same of a text; `name` is what diagnostics print.
  static Result<Module> parse(const std::string &name,
                              const std::string &source);

  /// The names of its jit functions, in order.
  std::vector<std::string> kernels() const;
  Result<Kernel> kernel(const std::string &name) const;

  struct State;
  explicit Module(std::shared_ptr<State> state);

private:
  std::shared_ptr<State> state;
};

} // namespace v1
} // namespace tesela

#endif // TESELA_TESELA_H
