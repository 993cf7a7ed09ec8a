//===- Arrays.cpp - NumPy's protocols and buffers -------------------------===//

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
  // All widths are powers of two up to 8, which most addresses are multiples
  // of.
  auto address = reinterpret_cast<uintptr_t>(array.data);
  if (address % 8 == 0 || address % byteWidth(array.dtype) == 0)
    return array;
  PyErr_Format(PyExc_ValueError,
               "argument `%s` is not aligned to the %zu bytes of its elements; "
               "copy it first",
               name.c_str(), byteWidth(array.dtype));
  return std::nullopt;
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
  if (!(fields->flags & ArrayStruct::nativeOrder))
    return failByteOrder(name);
  Array result{fields->data, *type, !(fields->flags & ArrayStruct::writeable)};
  borrowed.keep(std::move(capsule));
  return aligned(result, name);
}

std::optional<Array> readInterface(PyObject *array, const char *protocol,
                                   const std::string &name, Ref &interface) {
  interface = Ref(PyObject_GetAttrString(array, protocol));
  if (!interface)
    return std::nullopt;
  PyObject *dict = interface.get();
  PyObject *type =
      PyDict_Check(dict) ? PyDict_GetItemString(dict, "typestr") : nullptr;
  PyObject *data = type ? PyDict_GetItemString(dict, "data") : nullptr;
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
  Ref interface;
  auto result = readInterface(array, "__array_interface__", name, interface);
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
