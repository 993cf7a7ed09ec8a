//===- Errors.cpp - failed calls as Python's exceptions -------------------===//
//
// What is wrong with a kernel is a `CompileError`. What is wrong with one
// launch of it is an exception of Python's own: a `TypeError` where an argument
// is of the wrong kind or missing, a `ValueError` where it has a wrong value.
//
//===----------------------------------------------------------------------===//

#include "Binding.h"

#include <algorithm>

namespace tesela::python {

static PyObject *typeOfLaunchError(const Error &error) {
  struct Row {
    std::string_view id;
    PyObject *type;
  };
  const Row rows[] = {
      {"argument-count", PyExc_TypeError},
      {"argument-name", PyExc_TypeError},
      {"argument-missing", PyExc_TypeError},
      {"argument-type", PyExc_TypeError},
      {"argument-range", PyExc_OverflowError},
      {"null-pointer", PyExc_ValueError},
      {"read-only-argument", PyExc_ValueError},
      {"launch-grid", PyExc_ValueError},
      {"launch-option", PyExc_ValueError},
      {"unknown-device", PyExc_ValueError},
      {"unknown-stage", PyExc_ValueError},
      {"out-of-memory", PyExc_MemoryError},
      {"out-of-resources", classes.outOfResources},
      {"launch-failed", PyExc_RuntimeError},
      {"device-unusable", PyExc_RuntimeError},
      {"device-fault", PyExc_RuntimeError},
  };
  // Warnings may stand before what is wrong.
  auto first = std::find_if(
      error.messages.begin(), error.messages.end(),
      [](const Message &message) { return message.severity == "error"; });
  if (first == error.messages.end())
    return PyExc_RuntimeError;
  for (const Row &row : rows)
    if (first->id == row.id)
      return row.type;
  return nullptr;
}

static Ref toDiagnostic(const Message &message) {
  Ref file = toString(message.file), text = toString(message.text),
      rendered = toString(message.rendered);
  if (!file || !text || !rendered)
    return Ref();
  return Ref(PyObject_CallFunction(classes.diagnostic, "ssOiiOO",
                                   message.severity.c_str(), message.id.c_str(),
                                   file.get(), message.line, message.column,
                                   text.get(), rendered.get()));
}

void raise(const Error &error) {
  Ref text = toString(error.text());
  if (!text)
    return;
  if (PyObject *type = typeOfLaunchError(error)) {
    PyErr_SetObject(type, text.get());
    return;
  }
  Ref diagnostics(PyList_New(0));
  if (!diagnostics)
    return;
  for (const Message &message : error.messages) {
    Ref diagnostic = toDiagnostic(message);
    if (!diagnostic || PyList_Append(diagnostics.get(), diagnostic.get()) != 0)
      return;
  }
  Ref exception(PyObject_CallFunctionObjArgs(classes.compileError, text.get(),
                                             diagnostics.get(), nullptr));
  if (exception)
    PyErr_SetObject(classes.compileError, exception.get());
}

void warn(const Message &warning) {
  // One before may be an exception.
  if (PyErr_Occurred())
    return;
  Ref text = toString(warning.text + " [" + warning.id + "]");
  if (!text)
    return;
  PyObject *category = classes.compilationWarning;
  if (warning.file.empty())
    PyErr_WarnFormat(category, 1, "%U", text.get());
  else if (const char *line = PyUnicode_AsUTF8AndSize(text.get(), nullptr))
    PyErr_WarnExplicit(category, line, warning.file.c_str(), warning.line,
                       nullptr, nullptr);
}

} // namespace tesela::python
