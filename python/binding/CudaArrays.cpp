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
  Ref interface;
  auto result =
      readInterface(array, "__cuda_array_interface__", name, interface);
  if (!result)
    return std::nullopt;
  if (!result->data)
    result->bytes = 0;
  result->memory = Memory::Gpu;
  result->ordinal = ordinalOf(array);
  // None means that there is nothing to wait for.
  PyObject *stream = PyDict_GetItemString(interface.get(), "stream");
  if (stream && stream != Py_None) {
    result->stream = reinterpret_cast<uintptr_t>(PyLong_AsVoidPtr(stream));
    if (PyErr_Occurred())
      return std::nullopt;
  }
  borrowed.keep(std::move(interface));
  return aligned(*result, name);
}

} // namespace tesela::python
