//===- Call.cpp - one call of a kernel ------------------------------------===//

#include "Call.h"

#include <algorithm>

namespace tesela::python {

Py_ssize_t Signature::find(PyObject *name) const {
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].name.get() == name)
      return Py_ssize_t(i);
  std::string text = toText(name);
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].receiver.name == text)
      return Py_ssize_t(i);
  return -1;
}

Call::Call(const Signature &signature)
    : signature(signature), values(signature.parameters.size()),
      converted(signature.parameters.size()) {}

/// Launch options of Triton's targets that have no meaning on this one.
static bool isIgnoredOption(std::string_view name) {
  static constexpr std::string_view names[] = {
      "num_ctas",
      "maxnreg",
      "minRegAutoWS",
      "maxRegAutoWS",
      "cluster_dims",
      "launch_pdl",
      "launch_cooperative_grid",
      "waves_per_eu",
      "matrix_instr_nonkdim",
      "kpack",
      "grf_mode",
      "extern_libs",
      "supported_fp8_dtypes",
      "allowed_dot_input_precisions",
      "default_dot_input_precision",
      "num_consumer_groups",
      "num_buffers_warp_spec",
      "sanitize_overflow",
      "debug",
      "ir_override",
      "instrumentation_mode",
  };
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

namespace {

/// The options that mean something here; interned, so that most are found by
/// their address.
struct OptionNames {
  PyObject *numWarps = PyUnicode_InternFromString("num_warps");
  PyObject *numStages = PyUnicode_InternFromString("num_stages");
  PyObject *fpFusion = PyUnicode_InternFromString("enable_fp_fusion");

  static const OptionNames &get() {
    static const OptionNames names;
    return names;
  }
};

bool equal(PyObject *name, PyObject *wanted) {
  return name == wanted || PyUnicode_Compare(name, wanted) == 0;
}

} // namespace

bool isLaunchOption(PyObject *name) {
  const OptionNames &names = OptionNames::get();
  return equal(name, names.numWarps) || equal(name, names.numStages) ||
         equal(name, names.fpFusion) || isIgnoredOption(toText(name));
}

bool Call::bindOption(PyObject *name, PyObject *value) {
  const OptionNames &names = OptionNames::get();
  int *count = equal(name, names.numWarps)    ? &launchOptions.numWarps
               : equal(name, names.numStages) ? &launchOptions.numStages
                                              : nullptr;
  if (!count && equal(name, names.fpFusion)) {
    int truth = PyObject_IsTrue(value);
    launchOptions.enableFpFusion = truth == 1;
    return truth >= 0;
  }
  if (!count || value == Py_None)
    return true;
  Ref integer(PyNumber_Index(value));
  if (!integer) {
    PyErr_Format(PyExc_TypeError, "launch option `%U` is %s, not an integer",
                 name, describe(value).c_str());
    return false;
  }
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(integer.get(), &overflow);
  if (overflow || number < 1 || number > 1024) {
    PyErr_Format(PyExc_ValueError,
                 "launch option `%U` is %R: it has to be "
                 "from 1 to 1024",
                 name, value);
    return false;
  }
  *count = int(number);
  return true;
}

void Call::refuseKeyword(PyObject *name) const {
  std::string list;
  Ref known(
      Py_BuildValue("[sss]", "num_warps", "num_stages", "enable_fp_fusion"));
  for (const Signature::Parameter &parameter : signature.parameters) {
    list += (list.empty() ? "`" : ", `") + parameter.receiver.name + "`";
    if (known)
      PyList_Append(known.get(), parameter.name.get());
  }
  std::string hint = list.empty() ? "it has none" : "it has " + list;
  Ref difflib(PyImport_ImportModule("difflib"));
  Ref matches(difflib && known
                  ? PyObject_CallMethod(difflib.get(), "get_close_matches",
                                        "OOi", name, known.get(), 1)
                  : nullptr);
  if (!matches)
    return;
  if (PyList_Size(matches.get()) > 0)
    hint = "did you mean `" + toText(PyList_GetItem(matches.get(), 0)) + "`?";
  PyErr_Format(PyExc_TypeError,
               "%s() has no parameter `%U`, and no launch option has that "
               "name; %s",
               signature.function.c_str(), name, hint.c_str());
}

bool Call::bindKeyword(PyObject *name, PyObject *value) {
  Py_ssize_t index = signature.find(name);
  bool isOption = index < 0 ? isLaunchOption(name)
                            : signature.parameters[size_t(index)].isOption;
  // A parameter may be called as an option is, and then gets the value too.
  if (isOption && !bindOption(name, value))
    return false;
  if (index < 0) {
    if (isOption)
      return true;
    refuseKeyword(name);
    return false;
  }
  if (values[size_t(index)]) {
    PyErr_Format(PyExc_TypeError, "%s() got two values for parameter `%U`",
                 signature.function.c_str(), name);
    return false;
  }
  values[size_t(index)] = value;
  return true;
}

static bool checkCount(const Signature &signature, Py_ssize_t count) {
  if (size_t(count) <= signature.parameters.size())
    return true;
  PyErr_Format(PyExc_TypeError, "%s() takes %zu arguments, %zd were given",
               signature.function.c_str(), signature.parameters.size(), count);
  return false;
}

bool Call::bind(PyObject *const *given, Py_ssize_t count, PyObject *names) {
  if (!checkCount(signature, count))
    return false;
  std::copy(given, given + count, values.begin());
  Py_ssize_t numNames = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < numNames; ++i)
    if (!bindKeyword(PyTuple_GetItem(names, i), given[count + i]))
      return false;
  for (size_t i = 0; i < values.size(); ++i)
    if (!values[i])
      values[i] = signature.parameters[i].defaultValue.get();
  return true;
}

bool Call::bind(PyObject *positional, PyObject *named) {
  std::vector<PyObject *> given;
  for (Py_ssize_t i = 0, end = PyTuple_Size(positional); i < end; ++i)
    given.push_back(PyTuple_GetItem(positional, i));
  Py_ssize_t count = Py_ssize_t(given.size());
  Ref names(PyList_New(0));
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (named && names && PyDict_Next(named, &position, &key, &value)) {
    given.push_back(value);
    if (!PyUnicode_Check(key)) {
      PyErr_SetString(PyExc_TypeError, "keywords must be strings");
      return false;
    }
    if (PyList_Append(names.get(), key) != 0)
      return false;
  }
  Ref tuple(names ? PyList_AsTuple(names.get()) : nullptr);
  return tuple && bind(given.data(), count, tuple.get());
}

Ref Call::meta() const {
  Ref dict(PyDict_New());
  for (size_t i = 0; dict && i < values.size(); ++i)
    if (values[i] &&
        PyDict_SetItem(dict.get(), signature.parameters[i].name.get(),
                       values[i]) != 0)
      return Ref();
  return dict;
}

bool Call::convertValues() {
  std::string missing;
  size_t numMissing = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const Receiver &receiver = signature.parameters[i].receiver;
    if (values[i]) {
      if (!convert(values[i], receiver, converted[i], borrowed, locations))
        return false;
      continue;
    }
    missing += (numMissing++ ? ", `" : "`") + receiver.name + "`";
  }
  if (numMissing == 0)
    return true;
  PyErr_Format(PyExc_TypeError, "%s() misses %s %s", signature.function.c_str(),
               numMissing == 1 ? "the argument" : "the arguments",
               missing.c_str());
  return false;
}

/// Whether a tensor of the host's memory is where GPUs reach it.
static bool isPinned(PyObject *tensor) {
  Ref pinned(PyObject_CallMethod(tensor, "is_pinned", nullptr));
  PyErr_Clear();
  return pinned.get() == Py_True;
}

const Device *Call::launchDevice() {
  const Device *chosen = chosenDevice();
  bool onGpu = locations.isMixed() || (chosen && chosen->ordinal() >= 0);
  if (onGpu && locations.hasHost()) {
    Locations again;
    for (size_t i = 0; i < values.size(); ++i) {
      Argument ignored;
      if (!isPinned(values[i]) &&
          !convert(values[i], signature.parameters[i].receiver, ignored,
                   borrowed, again))
        return nullptr;
    }
    if (!again.hasHost())
      locations.dropHost();
  }
  const Device *device = locations.launchDevice();
  if (!device || !locations.pickStream(*device, launchOptions))
    return nullptr;
  return device;
}

} // namespace tesela::python
