//===- Values.cpp - Python's objects as compile-time values ---------------===//

#include "Binding.h"

namespace tesela::python {

std::string toText(PyObject *object) {
  Py_ssize_t length = 0;
  const char *text =
      PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &length) : "";
  if (text)
    return std::string(text, size_t(length));
  // Half of a surrogate pair, which the text of a kernel may have, too.
  PyErr_Clear();
  Ref bytes(PyUnicode_AsEncodedString(object, "utf-8", "surrogatepass"));
  char *data = nullptr;
  if (!bytes || PyBytes_AsStringAndSize(bytes.get(), &data, &length) != 0) {
    PyErr_Clear();
    return "";
  }
  return std::string(data, size_t(length));
}

Ref toString(const std::string &text) {
  return Ref(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()),
                                  "backslashreplace"));
}

static std::string nameOfType(PyObject *object) {
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
  Ref name(PyObject_GetAttrString(type, "__qualname__"));
  Ref module(PyObject_GetAttrString(type, "__module__"));
  if (!name || !module) {
    PyErr_Clear();
    return "object";
  }
  std::string prefix = toText(module.get());
  if (prefix == "builtins" || prefix.empty())
    return toText(name.get());
  return prefix + "." + toText(name.get());
}

std::string describe(PyObject *object) {
  if (object == Py_None)
    return "None";
  if (PyList_Check(object))
    return "a list";
  if (PyDict_Check(object))
    return "a dict";
  if (PyTuple_Check(object))
    return "a tuple";
  if (PyUnicode_Check(object))
    return "a string";
  std::string type = nameOfType(object);
  if (type == "function") {
    Ref name(PyObject_GetAttrString(object, "__name__"));
    if (name)
      return "the Python function `" + toText(name.get()) +
             "`, which is not a jit function";
    PyErr_Clear();
  }
  return "a value of type `" + type + "`";
}

static Object toInteger(PyObject *number) {
  int overflow = 0;
  long long small = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow == 0)
    return {Integer{small, {}}};
  Ref digits(PyObject_Str(number));
  if (!digits) { // longer than Python's limit for decimal digits
    PyErr_Clear();
    return {Object::Unsupported{"an integer of thousands of digits"}};
  }
  return {Integer{0, toText(digits.get())}};
}

static Object toTuple(PyObject *tuple) {
  Object::Tuple items;
  Py_ssize_t size = PyTuple_Size(tuple);
  items.reserve(size_t(size));
  for (Py_ssize_t i = 0; i < size; ++i)
    items.push_back(toObject(PyTuple_GetItem(tuple, i)));
  return {std::move(items)};
}

/// The value behind a wrapper (`constexpr`, an autotuned function), or nothing.
static Ref unwrapped(PyObject *object) {
  const char *inner = nullptr;
  if (classes.constexprClass &&
      PyObject_IsInstance(object, classes.constexprClass) == 1)
    inner = "value";
  else if (classes.wrapperClass &&
           PyObject_IsInstance(object, classes.wrapperClass) == 1)
    inner = "fn";
  if (!inner)
    return Ref();
  return Ref(PyObject_GetAttrString(object, inner));
}

/// A function of the modules `math` and `builtins` is known by its name.
static Object toNativeFunction(PyObject *function) {
  Ref module(PyObject_GetAttrString(function, "__module__"));
  Ref name(PyObject_GetAttrString(function, "__name__"));
  PyErr_Clear();
  std::string path = module ? toText(module.get()) : "";
  if (name && (path == "math" || path == "builtins"))
    return {ModuleName{path + "." + toText(name.get())}};
  return {Object::Unsupported{describe(function)}};
}

/// NumPy's scalars are the number that they hold; nothing for anything else.
static Ref numberOfNumpy(PyObject *object) {
  if (!nameOfType(object).starts_with("numpy.") ||
      !PyObject_HasAttrString(object, "item") ||
      PyObject_HasAttrString(object, "__setitem__")) // an array
    return Ref();
  Ref item(PyObject_CallMethod(object, "item", nullptr));
  PyErr_Clear();
  // What Python has no number for, `longdouble`, is its own item.
  if (item && !PyLong_Check(item.get()) && !PyFloat_Check(item.get()))
    return Ref();
  return item;
}

static Object toOther(PyObject *object) {
  if (PyObject_TypeCheck(object,
                         reinterpret_cast<PyTypeObject *>(kernelType))) {
    if (std::shared_ptr<const Function> function = functionOf(object))
      return {std::move(function)};
    PyErr_Clear();
    return {Object::Unsupported{"a jit function whose text cannot be read"}};
  }
  if (PyCFunction_Check(object))
    return toNativeFunction(object);
  if (PyModule_Check(object) || PyType_Check(object)) {
    std::string name = dottedName(object);
    if (!name.empty())
      return {ModuleName{std::move(name)}};
    return {Object::Unsupported{describe(object)}};
  }
  if (PyObject_IsInstance(object, classes.dtypeClass) == 1) {
    if (std::optional<DType> dtype = dtypeNamed(object))
      return {*dtype};
    return {Object::Unsupported{describe(object)}};
  }
  if (PyObject_IsInstance(object, classes.builtinClass) == 1) {
    Ref path(PyObject_GetAttrString(object, "path"));
    if (path)
      return {ModuleName{toText(path.get())}};
  }
  if (Ref inner = unwrapped(object))
    return toObject(inner.get());
  if (Ref number = numberOfNumpy(object))
    return toObject(number.get());
  PyErr_Clear();
  return {Object::Unsupported{describe(object)}};
}

Object toObject(PyObject *object) {
  if (object == Py_None)
    return {Object::None{}};
  if (PyBool_Check(object))
    return {object == Py_True};
  if (PyLong_Check(object))
    return toInteger(object);
  if (PyFloat_Check(object))
    return {PyFloat_AsDouble(object)};
  if (PyUnicode_Check(object))
    return {toText(object)};
  if (PyTuple_Check(object)) {
    // A tuple that holds itself cannot be written; a deep one can.
    if (Py_EnterRecursiveCall(" while capturing a tuple")) {
      PyErr_Clear();
      return {Object::Unsupported{"a tuple that is nested too deeply"}};
    }
    Object tuple = toTuple(object);
    Py_LeaveRecursiveCall();
    return tuple;
  }
  return toOther(object);
}

/// Names of element types that are not the language's own.
static std::optional<DType> foreignDType(std::string_view name) {
  struct Row {
    std::string_view name;
    DType dtype;
  };
  static constexpr Row rows[] = {
      {"bool", DType::Int1},
      {"bool_", DType::Int1},
      {"float8_e4m3fn", DType::Float8E4M3},
      {"float8_e5m2", DType::Float8E5M2},
      {"half", DType::Float16},
      {"float", DType::Float32},
      {"double", DType::Float64},
  };
  for (const Row &row : rows)
    if (row.name == name)
      return row.dtype;
  return std::nullopt;
}

std::optional<DType> dtypeNamed(PyObject *dtype) {
  // "torch.float32", "float32", "fp32"
  Ref text(PyObject_Str(dtype));
  if (!text) {
    PyErr_Clear();
    return std::nullopt;
  }
  std::string full = toText(text.get());
  std::string_view name = full;
  if (size_t dot = name.rfind('.'); dot != std::string_view::npos)
    name.remove_prefix(dot + 1);
  if (std::optional<DType> found = foreignDType(name))
    return found;
  return parseDType(name);
}

} // namespace tesela::python
