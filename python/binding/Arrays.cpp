//===- Arrays.cpp - tensors, NumPy's protocols and buffers ----------------===//

#include "Arrays.h"

#include <cstdint>
#include <cstring>

namespace tesela::python {

std::nullopt_t failElementType(const std::string &name,
                               const std::string &type) {
  PyErr_Format(PyExc_TypeError,
               "argument `%s` has elements of type `%s`, which the language "
               "has no type for",
               name.c_str(), type.c_str());
  return std::nullopt;
}

std::optional<Array> aligned(const Array &array, const std::string &name) {
  if (reinterpret_cast<uintptr_t>(array.data) % byteWidth(array.dtype) == 0)
    return array;
  PyErr_Format(PyExc_ValueError,
               "argument `%s` is not aligned to the %zu bytes of its elements; "
               "copy it first",
               name.c_str(), byteWidth(array.dtype));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Tensors of PyTorch, and whatever has `data_ptr()` and `dtype`
//===----------------------------------------------------------------------===//

/// The element type that a library's dtype object means. The few dtypes that
/// there are are remembered by address.
static std::optional<DType> dtypeOfObject(PyObject *dtype) {
  static auto *known = new std::vector<std::pair<PyObject *, DType>>;
  for (const auto &[object, type] : *known)
    if (object == dtype)
      return type;
  std::optional<DType> found = dtypeNamed(dtype);
  if (found && known->size() < 64)
    known->emplace_back(Py_NewRef(dtype), *found);
  return found;
}

/// Whether an attribute is True; nothing where there is none.
static std::optional<bool> flag(PyObject *object, PyObject *name) {
  Ref value(PyObject_GetAttr(object, name));
  PyErr_Clear();
  if (!value || value.get() == Py_None)
    return std::nullopt;
  return value.get() == Py_True;
}

/// The number of the GPU that a tensor is on, or -1 and an exception.
static int gpuOf(PyObject *tensor) {
  static const int count = Device::cudaCount();
  if (count == 1)
    return 0;
  static PyObject *getDevice = PyUnicode_InternFromString("get_device");
  Ref number(PyObject_CallMethodObjArgs(tensor, getDevice, nullptr));
  return number ? int(PyLong_AsLong(number.get())) : -1;
}

/// Finds out where a tensor is. Kinds of memory are asked for in the order that
/// the tensor before makes likely.
static bool locate(PyObject *tensor, const std::string &name, Array &array) {
  static PyObject *isCpu = PyUnicode_InternFromString("is_cpu");
  static PyObject *isCuda = PyUnicode_InternFromString("is_cuda");
  static bool wasOnGpu = false;
  bool onGpu = wasOnGpu && flag(tensor, isCuda).value_or(false);
  std::optional<bool> onCpu;
  if (!onGpu) {
    onCpu = flag(tensor, isCpu);
    onGpu = onCpu == false && flag(tensor, isCuda).value_or(false);
  }
  wasOnGpu = onGpu;
  if (onGpu) {
    array.memory = Memory::Gpu;
    array.ordinal = gpuOf(tensor);
    return array.ordinal >= 0;
  }
  if (onCpu.value_or(true)) {
    array.memory = onCpu || array.data ? Memory::Host : Memory::None;
    return true;
  }
  Ref device(PyObject_GetAttrString(tensor, "device"));
  PyErr_Clear();
  PyErr_Format(
      PyExc_ValueError,
      "argument `%s` is on the device `%S`; kernels run on the CPU and "
      "on CUDA devices: move it with `.cpu()` or `.cuda()`",
      name.c_str(), device ? device.get() : Py_None);
  return false;
}

std::optional<Array> readTensor(PyObject *tensor, const std::string &name) {
  static PyObject *dtypeName = PyUnicode_InternFromString("dtype");
  static PyObject *dataPtr = PyUnicode_InternFromString("data_ptr");
  Ref dtype(PyObject_GetAttr(tensor, dtypeName));
  if (!dtype)
    return std::nullopt;
  std::optional<DType> type = dtypeOfObject(dtype.get());
  if (!type) {
    Ref text(PyObject_Str(dtype.get()));
    return failElementType(name, text ? toText(text.get()) : "?");
  }
  Array array;
  array.dtype = *type;
  Ref address(PyObject_CallMethodObjArgs(tensor, dataPtr, nullptr));
  if (!address)
    return std::nullopt;
  array.data = PyLong_AsVoidPtr(address.get());
  if (!array.data && PyErr_Occurred())
    return std::nullopt;
  if (!array.data)
    array.bytes = 0;
  if (!locate(tensor, name, array))
    return std::nullopt;
  return aligned(array, name);
}

//===----------------------------------------------------------------------===//
// NumPy's array interface, as a struct and as a dict
//===----------------------------------------------------------------------===//

std::optional<DType> dtypeOfKind(char kind, size_t bytes) {
  auto pick = [&](DType one, DType two, DType four,
                  DType eight) -> std::optional<DType> {
    switch (bytes) {
    case 1:
      return one;
    case 2:
      return two;
    case 4:
      return four;
    case 8:
      return eight;
    }
    return std::nullopt;
  };
  if (kind == 'b' && bytes == 1)
    return DType::Int1;
  if (kind == 'i')
    return pick(DType::Int8, DType::Int16, DType::Int32, DType::Int64);
  if (kind == 'u')
    return pick(DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64);
  if (kind == 'f' && bytes > 1)
    return pick(DType::Int1, DType::Float16, DType::Float32, DType::Float64);
  return std::nullopt;
}

std::optional<DType> dtypeByName(PyObject *array, const std::string &name) {
  Ref dtype(PyObject_GetAttrString(array, "dtype"));
  PyErr_Clear();
  std::optional<DType> type;
  std::string text = "unknown";
  if (dtype) {
    type = dtypeNamed(dtype.get());
    if (Ref shown{PyObject_Str(dtype.get())})
      text = toText(shown.get());
  }
  if (!type)
    return failElementType(name, text);
  return type;
}

namespace {
/// The struct behind `__array_struct__`, as NumPy documents it.
struct ArrayStruct {
  int two;
  int rank;
  char kind;
  int itemBytes;
  int flags;
  intptr_t *shape;
  intptr_t *strides;
  void *data;
  PyObject *descriptor;
};
constexpr int flagNativeOrder = 0x200;
constexpr int flagWriteable = 0x400;
} // namespace

static std::nullopt_t failByteOrder(const std::string &name) {
  PyErr_Format(PyExc_ValueError,
               "argument `%s` has elements in foreign byte order",
               name.c_str());
  return std::nullopt;
}

std::optional<Array> readArrayStruct(PyObject *array, const std::string &name,
                                     Borrowed &borrowed) {
  static PyObject *attribute = PyUnicode_InternFromString("__array_struct__");
  Ref capsule(PyObject_GetAttr(array, attribute));
  if (!capsule)
    return std::nullopt;
  auto *fields =
      static_cast<ArrayStruct *>(PyCapsule_GetPointer(capsule.get(), nullptr));
  if (!fields)
    return std::nullopt;
  std::optional<DType> type =
      dtypeOfKind(fields->kind, size_t(fields->itemBytes));
  if (!type && !(type = dtypeByName(array, name)))
    return std::nullopt;
  if (!(fields->flags & flagNativeOrder))
    return failByteOrder(name);
  Array result{fields->data, *type, !(fields->flags & flagWriteable)};
  borrowed.keep(std::move(capsule));
  return aligned(result, name);
}

std::optional<Array> readInterface(PyObject *array, PyObject *interface,
                                   const char *protocol,
                                   const std::string &name) {
  PyObject *type = PyDict_Check(interface)
                       ? PyDict_GetItemString(interface, "typestr")
                       : nullptr;
  PyObject *data = type ? PyDict_GetItemString(interface, "data") : nullptr;
  std::string kind = type ? toText(type) : "";
  if (!data || !PyTuple_Check(data) || PyTuple_Size(data) != 2 ||
      kind.size() < 3) {
    const char *article = std::strncmp(protocol, "__a", 3) == 0 ? "an" : "a";
    PyErr_Format(PyExc_TypeError,
                 "argument `%s` has %s `%s` without the address or the type of "
                 "its elements",
                 name.c_str(), article, protocol);
    return std::nullopt;
  }
  if (kind[0] == '>')
    return failByteOrder(name);
  std::optional<DType> dtype =
      dtypeOfKind(kind[1], size_t(std::strtoul(kind.c_str() + 2, nullptr, 10)));
  if (!dtype && !(dtype = dtypeByName(array, name)))
    return std::nullopt;
  Array result;
  result.data = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
  if (!result.data && PyErr_Occurred())
    return std::nullopt;
  result.dtype = *dtype;
  result.readOnly = PyObject_IsTrue(PyTuple_GetItem(data, 1)) == 1;
  return result;
}

std::optional<Array> readArrayInterface(PyObject *array,
                                        const std::string &name,
                                        Borrowed &borrowed) {
  constexpr const char *protocol = "__array_interface__";
  Ref interface(PyObject_GetAttrString(array, protocol));
  if (!interface)
    return std::nullopt;
  auto result = readInterface(array, interface.get(), protocol, name);
  if (!result)
    return std::nullopt;
  borrowed.keep(std::move(interface));
  return aligned(*result, name);
}

//===----------------------------------------------------------------------===//
// The buffer protocol
//===----------------------------------------------------------------------===//

/// By a format of the `struct` module for one element.
static std::optional<DType> dtypeOfFormat(const char *format, size_t bytes) {
  if (!format)
    return DType::UInt8;
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  if (std::strlen(format) != 1)
    return std::nullopt;
  if (*format == '?')
    return dtypeOfKind('b', bytes);
  if (std::strchr("bhilqn", *format))
    return dtypeOfKind('i', bytes);
  if (std::strchr("BHILQN", *format))
    return dtypeOfKind('u', bytes);
  if (std::strchr("efd", *format))
    return dtypeOfKind('f', bytes);
  return std::nullopt;
}

std::optional<Array> readBuffer(PyObject *exporter, const std::string &name,
                                Borrowed &borrowed) {
  Py_buffer &buffer = borrowed.newBuffer();
  if (PyObject_GetBuffer(exporter, &buffer, PyBUF_FULL_RO) != 0) {
    borrowed.dropBuffer();
    return std::nullopt;
  }
  if (buffer.suboffsets) {
    PyErr_Format(PyExc_TypeError,
                 "argument `%s` is a buffer whose elements are not at a fixed "
                 "distance",
                 name.c_str());
    return std::nullopt;
  }
  std::optional<DType> type =
      dtypeOfFormat(buffer.format, size_t(buffer.itemsize));
  if (!type)
    return failElementType(name, buffer.format ? buffer.format : "?");
  return aligned({buffer.buf, *type, buffer.readonly != 0}, name);
}

} // namespace tesela::python
