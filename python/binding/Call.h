//===- Call.h - one call of a kernel --------------------------------------===//

#ifndef TESELA_PYTHON_CALL_H
#define TESELA_PYTHON_CALL_H

#include "Locations.h"
#include "StackArray.h"

#include <span>

namespace tesela::python {

/// The parameters of a kernel as Python calls them.
struct Signature {
  struct Parameter {
    /// Interned, so that most keywords are found by their address.
    Ref name;
    Receiver receiver;
    /// Null where the parameter has none.
    Ref defaultValue;
    /// A launch option has the same name.
    bool isOption = false;
  };
  std::string function;
  std::vector<Parameter> parameters;

  /// The index of a parameter, or -1.
  Py_ssize_t find(PyObject *name) const;
};

/// Whether launches have an option of this name.
bool isLaunchOption(PyObject *name);

/// What each parameter gets in one call, and the options beside them.
class Call {
public:
  explicit Call(const Signature &signature);

  /// Gives the parameters their values: `count` positional ones, then one for
  /// each of `names` (a tuple, or null).
  bool bind(PyObject *const *values, Py_ssize_t count, PyObject *names);
  /// The same of a tuple and a dict.
  bool bind(PyObject *positional, PyObject *named);

  /// A dict of all values by name, which a callable grid is called with.
  Ref meta() const;

  /// Converts the values. They must stay alive as long as this object does.
  bool convertValues();

  /// Where the call runs, its stream picked; null, and an exception, where its
  /// arrays are not all there.
  const Device *launchDevice();
  /// What it is compiled for.
  const Device *compileDevice() const { return locations.compileDevice(); }

  std::span<const Argument> arguments() const {
    return {converted.begin(), converted.size()};
  }
  const LaunchOptions &options() const { return launchOptions; }

private:
  bool bindKeyword(PyObject *name, PyObject *value);
  void refuseKeyword(PyObject *name) const;
  bool bindOption(PyObject *name, PyObject *value);

  const Signature &signature;
  /// Borrowed; null where not given.
  StackArray<PyObject *, 32> values;
  StackArray<Argument, 32> converted;
  LaunchOptions launchOptions;
  Borrowed borrowed;
  Locations locations;
};

} // namespace tesela::python

#endif // TESELA_PYTHON_CALL_H
