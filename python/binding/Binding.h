//===- Binding.h - what the files of the Python binding share -------------===//
//
// The binding turns Python's objects into the values of include/tesela and
// calls the library. It is built against CPython's stable ABI (3.11), so that
// one binary serves every later Python. Unless a comment says otherwise, its
// functions are called with the GIL held and follow CPython's convention: what
// fails has set an exception.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_PYTHON_BINDING_H
#define TESELA_PYTHON_BINDING_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "tesela/tesela.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tesela::python {

/// Owns one reference, or nothing.
class Ref {
public:
  Ref() = default;
  /// Takes over a reference that the caller owns.
  explicit Ref(PyObject *owned) : object(owned) {}
  Ref(Ref &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Ref &operator=(Ref &&other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Ref() { Py_XDECREF(object); }

  /// Shares an object that somebody else owns.
  static Ref share(PyObject *borrowed) { return Ref(Py_XNewRef(borrowed)); }

  PyObject *get() const { return object; }
  PyObject *release() { return std::exchange(object, nullptr); }
  explicit operator bool() const { return object != nullptr; }

private:
  PyObject *object = nullptr;
};

/// Holds the GIL where the thread may not.
class GilGuard {
public:
  GilGuard() : state(PyGILState_Ensure()) {}
  ~GilGuard() { PyGILState_Release(state); }
  GilGuard(const GilGuard &) = delete;
  GilGuard &operator=(const GilGuard &) = delete;

private:
  PyGILState_STATE state;
};

/// The classes of the package that the binding has to know. `setup` fills them
/// in once, when the package is imported.
struct Classes {
  PyObject *constexprClass = nullptr;
  PyObject *dtypeClass = nullptr;
  PyObject *builtinClass = nullptr;
  PyObject *wrapperClass = nullptr;
  PyObject *compileError = nullptr;
  PyObject *diagnostic = nullptr;
  PyObject *outOfResources = nullptr;
  PyObject *compilationWarning = nullptr;
};
extern Classes classes;

/// The type of kernels, `_binding.Kernel`.
extern PyObject *kernelType;

//===----------------------------------------------------------------------===//
// Values.cpp
//===----------------------------------------------------------------------===//

/// The compile-time value of a Python object; what a kernel cannot use becomes
/// `Unsupported`. Never fails.
Object toObject(PyObject *object);

/// The object as UTF-8, with half of a surrogate pair as if it were a
/// character; empty, and no exception, where it is no string.
std::string toText(PyObject *object);

/// A string of UTF-8, in which what is none (half of a surrogate pair, the name
/// of a file in another encoding) is shown with backslashes.
Ref toString(const std::string &text);

/// The element type that a dtype of any library means, by its name.
std::optional<DType> dtypeNamed(PyObject *dtype);

/// "a list", "a value of type `torch.Size`": for messages.
std::string describe(PyObject *object);

//===----------------------------------------------------------------------===//
// Process.cpp
//===----------------------------------------------------------------------===//

/// What one function of the live process sees. It does not own the function:
/// whoever does calls `forget` before the function goes. Its lock is the GIL.
class ProcessEnvironment final : public Environment {
public:
  explicit ProcessEnvironment(PyObject *function) : function(function) {}

  std::optional<Object> lookup(const std::string &name) override;
  std::optional<Object> attribute(const ModuleName &module,
                                  const std::string &name) override;
  uint64_t identity(const std::string &name) override;
  uint64_t identity(const ModuleName &module, const std::string &name) override;
  void unlock() override;
  void lock() override;
  void print(const std::string &text) override;
  void warn(const Message &warning) override;

  void forget();

private:
  /// Where a name is found: its cell, or its key in the globals.
  struct Place {
    Ref cell;
    Ref key;
    /// What its identity was taken of.
    Ref kept;

    Ref value(PyObject *globals) const;
  };
  /// An attribute of a module that is found by its name.
  struct AttributePlace {
    Ref module;
    Ref key;
    Ref kept;
  };

  /// Null where the function is gone.
  Place *placeOf(const std::string &name);

  PyObject *function;
  /// Those of the function, which owns them.
  PyObject *globals = nullptr;
  Ref keptGlobals;
  std::unordered_map<std::string, Place> places;
  /// By the module's path, then by name.
  std::unordered_map<std::string,
                     std::unordered_map<std::string, AttributePlace>>
      attributes;
};

/// The name under which kernels know a module or a class.
std::string dottedName(PyObject *moduleOrClass);

//===----------------------------------------------------------------------===//
// Arguments.cpp
//===----------------------------------------------------------------------===//

/// What has to stay alive while a kernel reads and writes an argument.
class Borrowed {
public:
  Borrowed() = default;
  Borrowed(const Borrowed &) = delete;
  Borrowed &operator=(const Borrowed &) = delete;
  ~Borrowed();

  void keep(Ref object) { objects.push_back(std::move(object)); }
  const Object &keep(Object value) {
    values.push_back(std::make_unique<Object>(std::move(value)));
    return *values.back();
  }
  /// A buffer to fill in; released with this object.
  Py_buffer &newBuffer();
  /// Takes the last buffer back, which could not be filled in.
  void dropBuffer() { buffers.pop_back(); }

private:
  std::vector<Ref> objects;
  std::vector<std::unique_ptr<Object>> values;
  std::vector<std::unique_ptr<Py_buffer>> buffers;
};

/// The parameter that a value was passed for.
struct Receiver {
  std::string name;
  bool isConstexpr = false;
};

class Locations;

/// Converts what was passed for a parameter.
bool convert(PyObject *value, const Receiver &receiver, Argument &argument,
             Borrowed &borrowed, Locations &locations);

//===----------------------------------------------------------------------===//
// Errors.cpp
//===----------------------------------------------------------------------===//

/// Raises the exception that stands for a failed call of the library.
void raise(const Error &error);

/// Passes a warning to Python's, which may turn it into an exception.
void warn(const Message &warning);

//===----------------------------------------------------------------------===//
// Kernel.cpp
//===----------------------------------------------------------------------===//

/// Makes the type `Kernel`.
PyObject *createKernelType();

/// The function behind a kernel, the same pointer each time; null and an
/// exception where its text cannot be read.
std::shared_ptr<const Function> functionOf(PyObject *kernel);

/// The device that launches were told to use; null where they follow their
/// arrays.
const Device *chosenDevice();

} // namespace tesela::python

#endif // TESELA_PYTHON_BINDING_H
