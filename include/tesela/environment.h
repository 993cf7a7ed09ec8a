//===- environment.h - what a kernel sees outside itself ------------------===//
//
// A kernel names things that are not its own: globals, closure variables,
// modules, other jit functions. The compiler asks an `Environment` for them.
// Tesela has one over plain files; the Python package has one over the live
// process.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_ENVIRONMENT_H
#define TESELA_ENVIRONMENT_H

#include "tesela/result.h"
#include "tesela/types.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tesela {
inline namespace v1 {

class Environment;
struct Object;

/// A whole number of any size, as a Python `int` is.
struct Integer {
  int64_t small = 0;
  /// Decimal digits with an optional sign; empty where `small` holds the value.
  std::string digits;

  bool operator==(const Integer &) const = default;
};

/// A jit function: its text and where its free names are looked up. Immutable:
/// who holds one may rely on its text, and two are the same where they are one
/// object.
struct Function {
  std::string name;
  std::string file;
  /// The line of `file` that `source` begins at.
  int firstLine = 1;
  /// Whole lines, decorators included, indented as they were.
  std::string source;
  std::shared_ptr<Environment> environment;
  /// Calls to it are never interpreted in place (`@jit(noinline=True)`).
  bool noinline = false;
  /// Parameters whose values make no specialisation, beside those that the
  /// decorators in the text list: never "equal to 1" nor "divisible by 16",
  /// and the latter alone.
  std::vector<std::string> doNotSpecialize;
  std::vector<std::string> doNotSpecializeOnAlignment;
};

/// A dotted module. "triton.language" (and "tesela.language", its other name)
/// is the language itself, whose attributes the compiler knows. Of any other,
/// `Environment::attribute` is asked. What the language defines is named in the
/// same way: "triton.language.load" is `tl.load`.
struct ModuleName {
  std::string path;

  bool operator==(const ModuleName &) const = default;
};

/// A pointer type or a tile type as a compile-time value is never captured;
/// these are: `tl.float32` and friends.
struct Object {
  struct None {
    bool operator==(const None &) const = default;
  };
  /// Something that a kernel may not use. `what` says what it is, for the
  /// message: "a list", "a value of type `torch.Tensor`".
  struct Unsupported {
    std::string what;
  };
  using Tuple = std::vector<Object>;
  using FunctionRef = std::shared_ptr<const Function>;

  std::variant<None, bool, Integer, double, std::string, DType, Tuple,
               FunctionRef, ModuleName, Unsupported>
      value;
};

/// Looks up names for one function.
///
/// Values may be guarded by a lock, as Python's are. Whoever calls the library
/// holds it; the library gives it up with `unlock` while it compiles, waits or
/// runs a kernel, takes it back with `lock`, and asks for names on the calling
/// thread with the lock held, while interpreting and at the start of a launch.
class TESELA_API Environment {
public:
  virtual ~Environment();

  /// The value of a free name of the function; nothing where it is undefined.
  /// Python's own builtins (`range`, `min`, `len` …) need not be answered.
  virtual std::optional<Object> lookup(const std::string &name) = 0;

  /// `module.name`; nothing where there is no such attribute.
  virtual std::optional<Object> attribute(const ModuleName &module,
                                          const std::string &name) = 0;

  /// A number for what `lookup(name)` would give now: as long as it stays the
  /// same, so does the value. Every launch compares it with that of the
  /// compiled code. 0 says nothing, and then the values are compared. An
  /// address will do where the environment keeps what lies there alive.
  virtual uint64_t identity(const std::string &name);
  /// The same of `attribute(module, name)`.
  virtual uint64_t identity(const ModuleName &module, const std::string &name);

  virtual void unlock();
  virtual void lock();

  /// Takes what `tl.static_print` wrote while compiling: by default to the
  /// standard output.
  virtual void print(const std::string &text);
  /// Takes a warning about the kernel or the settings, each once for a kernel:
  /// by default, rendered, to the standard error output.
  virtual void warn(const Message &warning);
};

} // namespace v1
} // namespace tesela

#endif // TESELA_ENVIRONMENT_H
