//===- Locations.cpp - which device a launch runs on ----------------------===//

#include "Locations.h"

#include "DLPack.h"

namespace tesela::python {

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static const Device &cpuDevice() {
  // Never destroyed: its threads may outlive this library's static objects, and
  // those of a parent process are not there to be joined.
  static const Device &device = *new Device(Device::cpu());
  return device;
}

static const Device *lastGpu = nullptr;

const Device *usedGpu() { return lastGpu; }

/// Null, and an exception, where it cannot be used.
static const Device *gpuDevice(int ordinal) {
  static auto &known = *new std::map<int, Device>;
  auto found = known.find(ordinal);
  if (found == known.end()) {
    Result<Device> device = Device::cuda(ordinal);
    if (!device) {
      raise(device.error());
      return nullptr;
    }
    found = known.emplace(ordinal, std::move(*device)).first;
  }
  lastGpu = &found->second;
  return lastGpu;
}

static std::string gpuName(int ordinal) {
  return "`cuda:" + std::to_string(ordinal) + "`";
}

void Locations::add(const Array &array, const Receiver &receiver) {
  if (array.memory == Memory::Host && !host)
    host = &receiver;
  if (array.memory != Memory::Gpu)
    return;
  if (!gpu) {
    gpu = &receiver;
    ordinal = array.ordinal;
  } else if (array.ordinal != ordinal && !otherGpu) {
    otherGpu = &receiver;
    otherOrdinal = array.ordinal;
  }
  if (!array.stream) {
    hasUnnamedStream = true;
    return;
  }
  // 1 is another name of the default stream.
  uintptr_t made = *array.stream == 1 ? 0 : *array.stream;
  if (!stream)
    stream = made;
  else if (*stream != made)
    hasSeveralStreams = true;
}

bool Locations::refuse(const Receiver &one, const std::string &where,
                       const std::string &rule) const {
  PyErr_Format(PyExc_ValueError, "argument `%s` is on %s, and %s",
               one.name.c_str(), where.c_str(), rule.c_str());
  return false;
}

const Device *Locations::followed() const {
  if (gpu)
    return gpuDevice(ordinal);
  // Without an array, what PyTorch would take.
  if (!host && Device::cudaCount() > 0)
    return gpuDevice(0);
  return &cpuDevice();
}

const Device *Locations::launchDevice() const {
  if (gpu && otherGpu) {
    refuse(*otherGpu, gpuName(otherOrdinal),
           "argument `" + gpu->name + "` on " + gpuName(ordinal) +
               "; all arrays of a launch have to be on one device");
    return nullptr;
  }
  if (isMixed()) {
    refuse(*host, "the CPU",
           "argument `" + gpu->name + "` on " + gpuName(ordinal) +
               "; all arrays of a launch have to be on one device");
    return nullptr;
  }
  const Device *chosen = chosenDevice();
  if (!chosen)
    return followed();
  std::string rule =
      "launches were told to run on `" + std::string(chosen->name()) + "`";
  int wanted = chosen->ordinal();
  if (gpu && wanted != ordinal) {
    refuse(*gpu, gpuName(ordinal), rule);
    return nullptr;
  }
  if (host && wanted >= 0) {
    refuse(*host, "the CPU", rule);
    return nullptr;
  }
  return chosen;
}

const Device *Locations::compileDevice() const {
  const Device *chosen = chosenDevice();
  return chosen ? chosen : followed();
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

namespace {

/// The two ways to PyTorch's current stream: its exchange, or a function.
struct TorchStreams {
  const DLExchange *exchange = nullptr;
  PyObject *function = nullptr;

  /// Empty until PyTorch is imported.
  static const TorchStreams &get() {
    static TorchStreams streams;
    if (streams.exchange || streams.function)
      return streams;
    PyObject *torch = PyDict_GetItemString(PyImport_GetModuleDict(), "torch");
    Ref tensor(torch ? PyObject_GetAttrString(torch, "Tensor") : nullptr);
    PyErr_Clear();
    if (tensor && PyType_Check(tensor.get()))
      streams.exchange =
          exchangeOf(reinterpret_cast<PyTypeObject *>(tensor.get()));
    if (streams.exchange && !streams.exchange->currentStream)
      streams.exchange = nullptr;
    Ref native(torch ? PyObject_GetAttrString(torch, "_C") : nullptr);
    if (native)
      streams.function =
          PyObject_GetAttrString(native.get(), "_cuda_getCurrentRawStream");
    PyErr_Clear();
    return streams;
  }
};

} // namespace

std::optional<uintptr_t> torchStream(int ordinal) {
  const TorchStreams &streams = TorchStreams::get();
  void *handle = nullptr;
  if (streams.exchange &&
      streams.exchange->currentStream(deviceCuda, ordinal, &handle) == 0)
    return reinterpret_cast<uintptr_t>(handle);
  PyErr_Clear();
  if (!streams.function)
    return std::nullopt;
  Ref number(PyLong_FromLong(ordinal));
  Ref stream(number ? PyObject_CallFunctionObjArgs(streams.function,
                                                   number.get(), nullptr)
                    : nullptr);
  if (stream) {
    handle = PyLong_AsVoidPtr(stream.get());
    if (!PyErr_Occurred())
      return reinterpret_cast<uintptr_t>(handle);
  }
  PyErr_Clear();
  return std::nullopt;
}

bool Locations::pickStream(const Device &device, LaunchOptions &options) const {
  if (device.ordinal() < 0)
    return true;
  std::optional<uintptr_t> picked;
  if (hasUnnamedStream || !stream)
    picked = torchStream(device.ordinal());
  uintptr_t taken = picked ? *picked : stream.value_or(0);
  options.stream = reinterpret_cast<void *>(taken);
  if (!hasSeveralStreams && (!stream || *stream == taken))
    return true;
  Result<Done> done = device.synchronize();
  if (!done)
    raise(done.error());
  return bool(done);
}

} // namespace tesela::python
