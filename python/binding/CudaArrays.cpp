//===- CudaArrays.cpp - `__cuda_array_interface__` ------------------------===//

#include "Arrays.h"

#include <cstdlib>

namespace tesela::python {

/// The GPU of an array of CuPy or Numba; the first where it does not say.
static int ordinalOf(PyObject *array) {
  Ref device(PyObject_GetAttrString(array, "device"));
  Ref id(device ? PyObject_GetAttrString(device.get(), "id") : nullptr);
  PyErr_Clear();
  if (!id || !PyLong_Check(id.get()))
    return 0;
  return int(PyLong_AsLong(id.get()));
}

std::optional<Array> readCudaInterface(PyObject *array, const std::string &name,
                                       Borrowed &borrowed) {
  Ref interface(PyObject_GetAttrString(array, "__cuda_array_interface__"));
  if (!interface)
    return std::nullopt;
  auto item = [&](const char *key) {
    return PyDict_Check(interface.get())
               ? PyDict_GetItemString(interface.get(), key)
               : nullptr;
  };
  PyObject *type = item("typestr"), *data = item("data");
  std::string kind = type ? toText(type) : "";
  if (!data || !PyTuple_Check(data) || PyTuple_Size(data) != 2 ||
      kind.size() < 3) {
    PyErr_Format(PyExc_TypeError,
                 "argument `%s` has a `__cuda_array_interface__` without the "
                 "address or the type of its elements",
                 name.c_str());
    return std::nullopt;
  }
  std::optional<DType> dtype =
      dtypeOfKind(kind[1], size_t(std::strtoul(kind.c_str() + 2, nullptr, 10)));
  if (!dtype && !(dtype = dtypeByName(array, name)))
    return std::nullopt;
  Array result;
  result.data = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
  if (!result.data && PyErr_Occurred())
    return std::nullopt;
  if (!result.data)
    result.bytes = 0;
  result.dtype = *dtype;
  result.readOnly = PyObject_IsTrue(PyTuple_GetItem(data, 1)) == 1;
  result.memory = Memory::Gpu;
  result.ordinal = ordinalOf(array);
  // None means that there is nothing to wait for.
  PyObject *stream = item("stream");
  if (stream && stream != Py_None) {
    result.stream = reinterpret_cast<uintptr_t>(PyLong_AsVoidPtr(stream));
    if (PyErr_Occurred())
      return std::nullopt;
  }
  borrowed.keep(std::move(interface));
  return aligned(result, name);
}

} // namespace tesela::python
