//===- Process.cpp - the environment of a function of this process --------===//
//
// A free name is a closure cell, else a global. A module or a class is known by
// its dotted name, and its attributes are looked up when they are asked for.
// The language has one name, whatever it was imported as: "triton.language".
//
//===----------------------------------------------------------------------===//

#include "Binding.h"

#include <map>

namespace tesela::python {

static constexpr std::string_view ownLanguage = "tesela.language";
static constexpr std::string_view language = "triton.language";

/// Modules and classes that their dotted name does not lead back to: of a
/// script that was run by hand, or defined inside a function.
static std::map<std::string, Ref> &detached() {
  static auto *objects = new std::map<std::string, Ref>;
  return *objects;
}

/// The module that `path` names, or the class in one; null without an
/// exception where there is none.
static Ref resolve(std::string_view path) {
  std::string module(path);
  std::string_view rest;
  PyObject *modules = PyImport_GetModuleDict();
  while (true) {
    Ref key(
        PyUnicode_FromStringAndSize(module.data(), Py_ssize_t(module.size())));
    if (PyObject *found =
            key ? PyDict_GetItemWithError(modules, key.get()) : nullptr) {
      Ref object = Ref::share(found);
      while (object && !rest.empty()) {
        size_t dot = rest.find('.');
        std::string name(rest.substr(0, dot));
        rest = dot == rest.npos ? std::string_view() : rest.substr(dot + 1);
        object = Ref(PyObject_GetAttrString(object.get(), name.c_str()));
      }
      PyErr_Clear();
      return object;
    }
    PyErr_Clear();
    size_t dot = module.rfind('.');
    if (dot == std::string::npos)
      return Ref();
    module.resize(dot);
    rest = path.substr(dot + 1);
  }
}

std::string dottedName(PyObject *moduleOrClass) {
  std::string name;
  if (PyModule_Check(moduleOrClass)) {
    Ref text(PyModule_GetNameObject(moduleOrClass));
    if (text)
      name = toText(text.get());
  } else {
    Ref module(PyObject_GetAttrString(moduleOrClass, "__module__"));
    Ref own(PyObject_GetAttrString(moduleOrClass, "__qualname__"));
    if (module && own)
      name = toText(module.get()) + "." + toText(own.get());
  }
  PyErr_Clear();
  if (name.empty())
    return name;
  if (name.starts_with(ownLanguage) &&
      (name.size() == ownLanguage.size() || name[ownLanguage.size()] == '.'))
    return std::string(language) + name.substr(ownLanguage.size());
  if (resolve(name).get() != moduleOrClass)
    detached()[name] = Ref::share(moduleOrClass);
  return name;
}

static Ref internedText(const std::string &text) {
  PyObject *object =
      PyUnicode_FromStringAndSize(text.data(), Py_ssize_t(text.size()));
  if (object)
    PyUnicode_InternInPlace(&object);
  else
    PyErr_Clear();
  return Ref(object);
}

static Ref findCell(PyObject *function, const std::string &name) {
  Ref cells(PyObject_GetAttrString(function, "__closure__"));
  if (!cells || cells.get() == Py_None)
    return Ref();
  Ref code(PyObject_GetAttrString(function, "__code__"));
  Ref names(code ? PyObject_GetAttrString(code.get(), "co_freevars") : nullptr);
  for (Py_ssize_t i = 0, end = names ? PyTuple_Size(names.get()) : 0; i < end;
       ++i)
    if (toText(PyTuple_GetItem(names.get(), i)) == name)
      return Ref::share(PyTuple_GetItem(cells.get(), i));
  return Ref();
}

/// What the name means now; null, and no exception, where nothing.
Ref ProcessEnvironment::Place::value(PyObject *globals) const {
  static PyObject *contents = PyUnicode_InternFromString("cell_contents");
  Ref value;
  if (cell)
    value = Ref(PyObject_GetAttr(cell.get(), contents));
  else if (globals && key)
    value = Ref::share(PyDict_GetItemWithError(globals, key.get()));
  if (!value)
    PyErr_Clear();
  return value;
}

ProcessEnvironment::Place *
ProcessEnvironment::placeOf(const std::string &name) {
  if (!function)
    return nullptr;
  auto [place, isNew] = places.try_emplace(name);
  if (isNew) {
    place->second.cell = findCell(function, name);
    place->second.key = internedText(name);
  }
  if (!globals) {
    // Read-only, and so the same for as long as the function lives.
    Ref found(PyObject_GetAttrString(function, "__globals__"));
    PyErr_Clear();
    globals = found.get();
    // What only looks like a function may make them anew.
    if (globals && Py_REFCNT(globals) == 1)
      keptGlobals = std::move(found);
  }
  return &place->second;
}

std::optional<Object> ProcessEnvironment::lookup(const std::string &name) {
  Place *place = placeOf(name);
  Ref value = place ? place->value(globals) : Ref();
  if (!value)
    return std::nullopt;
  return toObject(value.get());
}

/// Whether what is at one address stays the same value.
static bool isConstant(PyObject *object) {
  if (!PyTuple_Check(object))
    return PyObject_IsInstance(object, classes.wrapperClass) == 0;
  for (Py_ssize_t i = 0, end = PyTuple_Size(object); i < end; ++i)
    if (PyTuple_Check(PyTuple_GetItem(object, i)) ||
        !isConstant(PyTuple_GetItem(object, i)))
      return false;
  return true;
}

/// The address of a value that stays alive in `kept`, or 0.
static uint64_t identityOf(Ref value, Ref &kept) {
  if (!value)
    return 0;
  if (value.get() != kept.get()) {
    if (!isConstant(value.get()))
      return 0;
    kept = std::move(value);
  }
  return reinterpret_cast<uintptr_t>(kept.get());
}

uint64_t ProcessEnvironment::identity(const std::string &name) {
  Place *place = placeOf(name);
  return place ? identityOf(place->value(globals), place->kept) : 0;
}

/// Whether `sys.modules` alone says what the path means.
static bool isPlainModule(const std::string &path) {
  return !path.starts_with(language) && !detached().contains(path);
}

static Ref findAttribute(const ModuleName &module, const std::string &name) {
  std::string path = module.path;
  if (path.starts_with(language))
    path = std::string(ownLanguage) + path.substr(language.size());
  Ref owner;
  if (auto found = detached().find(path); found != detached().end())
    owner = Ref::share(found->second.get());
  else
    owner = resolve(path);
  // The package stands for Triton where Triton is not imported.
  if (!owner && (path == "triton" || path.starts_with("triton.")))
    owner = resolve("tesela" + path.substr(6));
  Ref value(owner ? PyObject_GetAttrString(owner.get(), name.c_str())
                  : nullptr);
  PyErr_Clear();
  return value;
}

std::optional<Object> ProcessEnvironment::attribute(const ModuleName &module,
                                                    const std::string &name) {
  Ref value = findAttribute(module, name);
  if (!value)
    return std::nullopt;
  return toObject(value.get());
}

uint64_t ProcessEnvironment::identity(const ModuleName &module,
                                      const std::string &name) {
  auto [place, isNew] = attributes[module.path].try_emplace(name);
  AttributePlace &attribute = place->second;
  if (isNew) {
    attribute.module = internedText(module.path);
    attribute.key = internedText(name);
  }
  // Most are plain modules, under the name that they were imported by.
  PyObject *imported =
      attribute.module && attribute.key && isPlainModule(module.path)
          ? PyDict_GetItemWithError(PyImport_GetModuleDict(),
                                    attribute.module.get())
          : nullptr;
  Ref value = imported ? Ref(PyObject_GetAttr(imported, attribute.key.get()))
                       : findAttribute(module, name);
  if (!value)
    PyErr_Clear();
  return identityOf(std::move(value), attribute.kept);
}

/// The state of a thread that has given up the GIL in `unlock`.
static thread_local PyThreadState *suspended = nullptr;

void ProcessEnvironment::unlock() { suspended = PyEval_SaveThread(); }

void ProcessEnvironment::lock() {
  PyEval_RestoreThread(std::exchange(suspended, nullptr));
}

/// Writes to `sys.stdout`, which users may have replaced.
void ProcessEnvironment::print(const std::string &text) {
  GilGuard gil;
  Ref stream = Ref::share(PySys_GetObject("stdout"));
  if (stream && stream.get() != Py_None) {
    Ref shown = toString(text);
    Ref done(shown
                 ? PyObject_CallMethod(stream.get(), "write", "O", shown.get())
                 : nullptr);
    PyErr_Clear();
  }
}

void ProcessEnvironment::warn(const Message &warning) {
  GilGuard gil;
  python::warn(warning);
}

void ProcessEnvironment::forget() {
  function = nullptr;
  globals = nullptr;
  keptGlobals = Ref();
  places.clear();
  attributes.clear();
}

} // namespace tesela::python
