//===- Tensors.cpp - tensors of PyTorch, and what looks like them ---------===//

#include "Arrays.h"

namespace tesela::python {

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

} // namespace tesela::python
