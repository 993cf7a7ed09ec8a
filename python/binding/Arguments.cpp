//===- Arguments.cpp - what is passed to a launch -------------------------===//
//
// A type is looked at once: what its values are passed as is then known by the
// address of the type. No array library is imported; their objects are known by
// the protocols that they speak.
//
//===----------------------------------------------------------------------===//

#include "DLPack.h"
#include "Locations.h"

#include <unordered_map>

namespace tesela::python {

Borrowed::~Borrowed() {
  for (std::unique_ptr<Py_buffer> &buffer : buffers)
    PyBuffer_Release(buffer.get());
}

Py_buffer &Borrowed::newBuffer() {
  buffers.push_back(std::make_unique<Py_buffer>());
  return *buffers.back();
}

namespace {

/// What the values of a Python type are passed as.
enum class Passed : uint8_t {
  Constant,
  Bool,
  Integer,
  Float,
  /// Has `__index__` or `__float__`: a scalar of NumPy and the like.
  Index,
  Number,
  /// Has `data_ptr()`: a tensor of PyTorch.
  Tensor,
  /// `numpy.ndarray` itself.
  NumpyArray,
  ArrayStruct,
  DLPack,
  ArrayInterface,
  Buffer,
  CudaInterface,
  Unsupported,
};

bool has(PyObject *object, const char *name) {
  Ref attribute(PyObject_GetAttrString(object, name));
  PyErr_Clear();
  return bool(attribute);
}

/// `module.name` of a module that is imported already, or null.
Ref importedName(const char *module, const char *name) {
  PyObject *imported = PyDict_GetItemString(PyImport_GetModuleDict(), module);
  Ref found(imported ? PyObject_GetAttrString(imported, name) : nullptr);
  PyErr_Clear();
  return found;
}

bool isInstanceOf(PyObject *object, const char *module, const char *name) {
  Ref type = importedName(module, name);
  bool result = type && PyObject_IsInstance(object, type.get()) == 1;
  PyErr_Clear();
  return result;
}

/// Whether the type itself, and not a base of it, is `module.name`.
bool isExactly(PyTypeObject *type, const char *module, const char *name) {
  return importedName(module, name).get() == reinterpret_cast<PyObject *>(type);
}

bool isConstant(PyObject *value) {
  if (value == Py_None || PyUnicode_Check(value) || PyTuple_Check(value) ||
      PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject *>(kernelType)))
    return true;
  for (PyObject *type : {classes.constexprClass, classes.dtypeClass,
                         classes.builtinClass, classes.wrapperClass})
    if (PyObject_IsInstance(value, type) == 1)
      return true;
  return false;
}

Passed classify(PyObject *value) {
  if (PyBool_Check(value))
    return Passed::Bool;
  if (PyLong_Check(value))
    return Passed::Integer;
  if (PyFloat_Check(value))
    return Passed::Float;
  if (isConstant(value))
    return Passed::Constant;
  if (isInstanceOf(value, "numpy", "bool_"))
    return Passed::Bool;
  if (isInstanceOf(value, "numpy", "generic")) {
    for (const char *type :
         {"complexfloating", "datetime64", "timedelta64", "flexible"})
      if (isInstanceOf(value, "numpy", type))
        return Passed::Unsupported;
    return has(value, "__index__") ? Passed::Index : Passed::Number;
  }
  if (has(value, "data_ptr") && has(value, "dtype"))
    return Passed::Tensor;
  if (has(value, "__cuda_array_interface__"))
    return Passed::CudaInterface;
  if (isExactly(Py_TYPE(value), "numpy", "ndarray") && hasNumpyLayout(value))
    return Passed::NumpyArray;
  if (has(value, "__array_struct__"))
    return Passed::ArrayStruct;
  if (has(value, "__dlpack__"))
    return Passed::DLPack;
  if (PyObject_CheckBuffer(value))
    return Passed::Buffer;
  if (has(value, "__array_interface__"))
    return Passed::ArrayInterface;
  if (has(value, "__index__"))
    return Passed::Index;
  return Passed::Unsupported;
}

/// What is known of a type.
struct TypeRules {
  Passed passed = Passed::Unsupported;
  /// Of tensors.
  const DLExchange *exchange = nullptr;
};

TypeRules rulesFor(PyObject *value) {
  TypeRules rules{classify(value)};
  // A class that is derived from them may have a `data_ptr()` of its own.
  PyTypeObject *type = Py_TYPE(value);
  if (rules.passed == Passed::Tensor &&
      (isExactly(type, "torch", "Tensor") ||
       isExactly(type, "torch.nn", "Parameter")))
    rules.exchange = exchangeOf(type);
  return rules;
}

const TypeRules &rulesOf(PyObject *value) {
  // The types are kept alive, so that an address never means another type.
  static auto *known = new std::unordered_map<PyTypeObject *, TypeRules>;
  struct Recent {
    PyTypeObject *type;
    const TypeRules *rules;
  };
  static Recent recents[64];
  PyTypeObject *type = Py_TYPE(value);
  auto address = reinterpret_cast<uintptr_t>(type);
  Recent &recent = recents[(address >> 4 ^ address >> 10) % 64];
  if (recent.type == type)
    return *recent.rules;
  auto found = known->find(type);
  if (found == known->end()) {
    TypeRules rules = rulesFor(value);
    Py_INCREF(reinterpret_cast<PyObject *>(type));
    found = known->emplace(type, rules).first;
  }
  recent = {type, &found->second};
  return *recent.rules;
}

bool convertInteger(PyObject *value, const Receiver &receiver,
                    Argument &argument, Borrowed &borrowed) {
  int overflow = 0;
  long long small = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (small == -1 && PyErr_Occurred())
    return false;
  if (overflow == 0) {
    argument = Argument(small);
    return true;
  }
  if (overflow > 0) {
    unsigned long long large = PyLong_AsUnsignedLongLong(value);
    if (!PyErr_Occurred()) {
      argument = Argument(large);
      return true;
    }
    PyErr_Clear();
  }
  if (!receiver.isConstexpr) {
    PyErr_Format(PyExc_OverflowError, "argument `%s` does not fit into 64 bits",
                 receiver.name.c_str());
    return false;
  }
  argument = Argument(borrowed.keep(toObject(value)));
  return true;
}

bool convertNumber(PyObject *value, Argument &argument) {
  Ref number(PyNumber_Float(value));
  if (!number)
    return false;
  argument = Argument(PyFloat_AsDouble(number.get()));
  return true;
}

bool convertConstant(PyObject *value, Argument &argument, Borrowed &borrowed) {
  if (value == Py_None) {
    argument = Argument(nullptr);
    return true;
  }
  if (PyUnicode_Check(value)) {
    Py_ssize_t length = 0;
    if (const char *text = PyUnicode_AsUTF8AndSize(value, &length)) {
      argument = Argument(std::string_view(text, size_t(length)));
      return true;
    }
    PyErr_Clear();
  }
  argument = Argument(borrowed.keep(toObject(value)));
  return true;
}

bool fill(const std::optional<Array> &array, const Receiver &receiver,
          Argument &argument, Locations &locations) {
  if (!array)
    return false;
  locations.add(*array, receiver);
  argument = Argument(array->data, array->dtype, array->bytes);
  argument.readOnly = array->readOnly;
  return true;
}

bool failUnsupported(PyObject *value, const Receiver &receiver) {
  PyErr_Format(PyExc_TypeError,
               "argument `%s` is %s; expected an array or tensor, a number, "
               "or a value for a constant",
               receiver.name.c_str(), describe(value).c_str());
  return false;
}

} // namespace

bool convert(PyObject *value, const Receiver &receiver, Argument &argument,
             Borrowed &borrowed, Locations &locations) {
  if (PyLong_CheckExact(value))
    return convertInteger(value, receiver, argument, borrowed);
  const std::string &name = receiver.name;
  const TypeRules &rules = rulesOf(value);
  switch (rules.passed) {
  case Passed::Constant:
    return convertConstant(value, argument, borrowed);
  case Passed::Bool: {
    int truth = PyObject_IsTrue(value);
    argument = Argument(truth == 1);
    return truth >= 0;
  }
  case Passed::Integer:
    return convertInteger(value, receiver, argument, borrowed);
  case Passed::Float:
    argument = Argument(PyFloat_AsDouble(value));
    return true;
  case Passed::Index: {
    Ref integer(PyNumber_Index(value));
    return integer &&
           convertInteger(integer.get(), receiver, argument, borrowed);
  }
  case Passed::Number:
    return convertNumber(value, argument);
  case Passed::Tensor:
    if (Array array;
        rules.exchange && readExchange(value, *rules.exchange, array))
      return fill(aligned(array, name), receiver, argument, locations);
    return fill(readTensor(value, name), receiver, argument, locations);
  case Passed::NumpyArray:
    return fill(readNumpyArray(value, name, borrowed), receiver, argument,
                locations);
  case Passed::ArrayStruct:
    return fill(readArrayStruct(value, name, borrowed), receiver, argument,
                locations);
  case Passed::DLPack:
    return fill(readDLPack(value, name, borrowed), receiver, argument,
                locations);
  case Passed::ArrayInterface:
    return fill(readArrayInterface(value, name, borrowed), receiver, argument,
                locations);
  case Passed::Buffer:
    return fill(readBuffer(value, name, borrowed), receiver, argument,
                locations);
  case Passed::CudaInterface:
    // Arrays of one type may be on the CPU or on a GPU.
    if (!has(value, "__cuda_array_interface__") && has(value, "__dlpack__"))
      return fill(readDLPack(value, name, borrowed), receiver, argument,
                  locations);
    return fill(readCudaInterface(value, name, borrowed), receiver, argument,
                locations);
  case Passed::Unsupported:
    return failUnsupported(value, receiver);
  }
  return failUnsupported(value, receiver);
}

} // namespace tesela::python
