//===- DLPack.cpp - arrays of whatever speaks DLPack ----------------------===//
//
// A capsule owns the exchange: as long as it keeps its name, dropping it tells
// the producer that the consumer is done.
//
//===----------------------------------------------------------------------===//

#include "DLPack.h"
#include "Locations.h"

namespace tesela::python {

std::optional<DType> dtypeOfElement(DLElement element) {
  if (element.lanes != 1)
    return std::nullopt;
  auto of = [](unsigned code, unsigned bits) { return code << 8 | bits; };
  switch (of(element.code, element.bits)) {
  case of(0, 8):
    return DType::Int8;
  case of(0, 16):
    return DType::Int16;
  case of(0, 32):
    return DType::Int32;
  case of(0, 64):
    return DType::Int64;
  case of(1, 8):
    return DType::UInt8;
  case of(1, 16):
    return DType::UInt16;
  case of(1, 32):
    return DType::UInt32;
  case of(1, 64):
    return DType::UInt64;
  case of(2, 16):
    return DType::Float16;
  case of(2, 32):
    return DType::Float32;
  case of(2, 64):
    return DType::Float64;
  case of(4, 16):
    return DType::BFloat16;
  case of(6, 8):
    return DType::Int1;
  case of(10, 8):
    return DType::Float8E4M3;
  case of(12, 8):
    return DType::Float8E5M2;
  default:
    return std::nullopt;
  }
}

namespace {

struct DLVersioned {
  uint32_t major;
  uint32_t minor;
  void *context;
  void (*deleter)(DLVersioned *);
  uint64_t flags;
  DLTensor tensor;
};

constexpr uint64_t flagReadOnly = 1;

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
  std::optional<DType> type = dtypeOfElement(tensor->element);
  if (!type)
    return failElementType(
        name, "DLPack code " + std::to_string(tensor->element.code) + ", " +
                  std::to_string(tensor->element.bits) + " bits");
  result.data = tensor->begin();
  result.dtype = *type;
  result.readOnly = readOnly;
  if (!result.data)
    result.bytes = 0;
  borrowed.keep(std::move(capsule));
  return aligned(result, name);
}

//===----------------------------------------------------------------------===//
// The exchange between C functions
//===----------------------------------------------------------------------===//

const DLExchange *exchangeOf(PyTypeObject *type) {
  Ref capsule(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type),
                                     "__dlpack_c_exchange_api__"));
  constexpr const char *name = "dlpack_exchange_api";
  const DLExchange *found = nullptr;
  if (capsule && PyCapsule_IsValid(capsule.get(), name))
    found = static_cast<const DLExchange *>(
        PyCapsule_GetPointer(capsule.get(), name));
  PyErr_Clear();
  while (found && found->major > 1)
    found = found->older;
  return found && found->major == 1 && found->view ? found : nullptr;
}

bool readExchange(PyObject *object, const DLExchange &exchange, Array &array) {
  DLTensor tensor;
  if (exchange.view(object, &tensor) != 0) {
    PyErr_Clear();
    return false;
  }
  std::optional<DType> type = dtypeOfElement(tensor.element);
  int32_t device = tensor.device.type;
  if (!type ||
      (device != deviceCpu && device != deviceCuda && device != deviceCudaHost))
    return false;
  array.data = tensor.begin();
  array.dtype = *type;
  if (!array.data)
    array.bytes = 0;
  // Pinned memory counts as the host's, as it does by `is_cpu`.
  array.memory = device == deviceCuda ? Memory::Gpu : Memory::Host;
  array.ordinal = tensor.device.id;
  return true;
}

} // namespace tesela::python
