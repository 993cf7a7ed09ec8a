//===- DLPack.cpp - arrays of whatever speaks DLPack ----------------------===//
//
// A capsule owns the exchange: as long as it keeps its name, dropping it tells
// the producer that the consumer is done.
//
//===----------------------------------------------------------------------===//

#include "Locations.h"

#include <cstdint>

namespace tesela::python {

namespace {

// The layouts that DLPack 1.0 lays down.
struct DLDevice {
  int32_t type;
  int32_t id;
};
struct DLElement {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct DLTensor {
  void *data;
  DLDevice device;
  int32_t rank;
  DLElement element;
  int64_t *shape;
  int64_t *strides;
  uint64_t byteOffset;
};
struct DLVersioned {
  uint32_t major;
  uint32_t minor;
  void *context;
  void (*deleter)(DLVersioned *);
  uint64_t flags;
  DLTensor tensor;
};

constexpr uint64_t flagReadOnly = 1;
constexpr long deviceCpu = 1;
constexpr long deviceCuda = 2;
constexpr long deviceCudaHost = 3;
constexpr long deviceRocmHost = 11;
constexpr long deviceManaged = 13;

std::optional<DType> dtypeOf(DLElement element) {
  struct Row {
    uint8_t code;
    uint8_t bits;
    DType dtype;
  };
  static constexpr Row rows[] = {
      {0, 8, DType::Int8},        {0, 16, DType::Int16},
      {0, 32, DType::Int32},      {0, 64, DType::Int64},
      {1, 8, DType::UInt8},       {1, 16, DType::UInt16},
      {1, 32, DType::UInt32},     {1, 64, DType::UInt64},
      {2, 16, DType::Float16},    {2, 32, DType::Float32},
      {2, 64, DType::Float64},    {4, 16, DType::BFloat16},
      {6, 8, DType::Int1},        {10, 8, DType::Float8E4M3},
      {12, 8, DType::Float8E5M2},
  };
  for (const Row &row : rows)
    if (row.code == element.code && row.bits == element.bits &&
        element.lanes == 1)
      return row.dtype;
  return std::nullopt;
}

bool readDevice(PyObject *array, const std::string &name, Array &result) {
  Ref device(PyObject_CallMethod(array, "__dlpack_device__", nullptr));
  if (!device)
    return false;
  if (!PyTuple_Check(device.get()) || PyTuple_Size(device.get()) != 2) {
    PyErr_Format(PyExc_TypeError,
                 "argument `%s`: `__dlpack_device__` returned %R", name.c_str(),
                 device.get());
    return false;
  }
  Ref kind(PyNumber_Index(PyTuple_GetItem(device.get(), 0)));
  long type = kind ? PyLong_AsLong(kind.get()) : -1;
  if (PyErr_Occurred())
    return false;
  Ref number(PyNumber_Index(PyTuple_GetItem(device.get(), 1)));
  result.ordinal = number ? int(PyLong_AsLong(number.get())) : -1;
  if (PyErr_Occurred())
    return false;
  result.memory = type == deviceCpu ? Memory::Host
                  : type == deviceCuda || type == deviceManaged
                      ? Memory::Gpu
                      : Memory::Pinned;
  if (type == deviceCpu || type == deviceCuda || type == deviceCudaHost ||
      type == deviceRocmHost || type == deviceManaged)
    return true;
  PyErr_Format(PyExc_ValueError,
               "argument `%s` is on the DLPack device %R; kernels run on the "
               "CPU and on CUDA devices and need arrays in their memory",
               name.c_str(), device.get());
  return false;
}

/// The capsule, versioned where the producer can make one. Of an array on a GPU
/// the producer is told the stream that the kernel will be queued on.
Ref askForCapsule(PyObject *array, const Array &where) {
  Ref method(PyObject_GetAttrString(array, "__dlpack__"));
  Ref nothing(PyTuple_New(0));
  Ref version(Py_BuildValue("{s:(ii)}", "max_version", 1, 0));
  Ref plain(PyDict_New());
  if (!method || !nothing || !version || !plain)
    return Ref();
  if (where.memory == Memory::Gpu) {
    uintptr_t current = torchStream(where.ordinal).value_or(0);
    // DLPack calls the default stream 1.
    Ref stream(PyLong_FromVoidPtr(
        reinterpret_cast<void *>(current == 0 ? uintptr_t(1) : current)));
    for (PyObject *dict : {version.get(), plain.get()})
      if (!stream || PyDict_SetItemString(dict, "stream", stream.get()) != 0)
        return Ref();
  }
  Ref capsule(PyObject_Call(method.get(), nothing.get(), version.get()));
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    capsule = Ref(PyObject_Call(method.get(), nothing.get(), plain.get()));
  }
  return capsule;
}

} // namespace

std::optional<Array> readDLPack(PyObject *array, const std::string &name,
                                Borrowed &borrowed) {
  Array result;
  if (!readDevice(array, name, result))
    return std::nullopt;
  Ref capsule = askForCapsule(array, result);
  if (!capsule)
    return std::nullopt;
  const DLTensor *tensor = nullptr;
  bool readOnly = false;
  if (PyCapsule_IsValid(capsule.get(), "dltensor_versioned")) {
    auto *versioned = static_cast<DLVersioned *>(
        PyCapsule_GetPointer(capsule.get(), "dltensor_versioned"));
    tensor = &versioned->tensor;
    readOnly = versioned->flags & flagReadOnly;
  } else {
    tensor = static_cast<DLTensor *>(
        PyCapsule_GetPointer(capsule.get(), "dltensor"));
  }
  if (!tensor)
    return std::nullopt;
  std::optional<DType> type = dtypeOf(tensor->element);
  if (!type)
    return failElementType(
        name, "DLPack code " + std::to_string(tensor->element.code) + ", " +
                  std::to_string(tensor->element.bits) + " bits");
  result.data = static_cast<char *>(tensor->data) + tensor->byteOffset;
  result.dtype = *type;
  result.readOnly = readOnly;
  if (!result.data)
    result.bytes = 0;
  borrowed.keep(std::move(capsule));
  return aligned(result, name);
}

} // namespace tesela::python
