//===- CudaDevice.cpp - one GPU and its primary context -------------------===//

#include "runtime/CudaDevice.h"

#include <map>

namespace tesela::runtime {

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

CurrentContext::CurrentContext(const CudaDevice &device) : device(device) {
  void *current = nullptr;
  status = device.table.currentContext(&current);
  if (status != cuda::Success || current == device.context)
    return;
  status = device.table.pushContext(device.context);
  pushed = status == cuda::Success;
}

CurrentContext::~CurrentContext() {
  void *ignored = nullptr;
  if (pushed)
    device.table.popContext(&ignored);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

std::unique_ptr<CudaDevice> CudaDevice::open(const CudaDriver &driver,
                                             int ordinal, RunError &error) {
  if (ordinal < 0 || ordinal >= driver.devices) {
    error = {DiagId::DeviceUnusable,
             "there is no GPU `cuda:" + std::to_string(ordinal) +
                 "`; NVIDIA's driver finds " + std::to_string(driver.devices)};
    return nullptr;
  }
  std::unique_ptr<CudaDevice> device(new CudaDevice(driver, ordinal));
  int handle = 0, major = 0, minor = 0, shared = 0;
  char name[256] = "";
  CudaResult result = driver.deviceGet(&handle, ordinal);
  auto read = [&](int &value, int attribute) {
    if (result == cuda::Success)
      result = driver.deviceAttribute(&value, attribute, handle);
  };
  read(major, cuda::ComputeMajor);
  read(minor, cuda::ComputeMinor);
  read(shared, cuda::SharedBytesOptIn);
  read(device->count, cuda::MultiprocessorCount);
  if (result == cuda::Success)
    result = driver.deviceName(name, sizeof name - 1, handle);
  if (result == cuda::Success)
    result = driver.retainContext(&device->context, handle);
  device->title = name;
  device->compute = major * 10 + minor;
  device->shared = uint64_t(shared);
  if (result == cuda::Success)
    return device;
  device->fail(result,
               "the GPU `cuda:" + std::to_string(ordinal) + "` cannot be used",
               error);
  return nullptr;
}

CudaDevice *CudaDevice::get(int ordinal, RunError &error) {
  const CudaDriver *driver = CudaDriver::get(error);
  if (!driver)
    return nullptr;
  struct Devices {
    std::mutex mutex;
    std::map<int, std::unique_ptr<CudaDevice>> opened;
  };
  // Never destroyed: kernels of other statics may outlive it.
  static Devices &devices = *new Devices();
  std::lock_guard lock(devices.mutex);
  std::unique_ptr<CudaDevice> &device = devices.opened[ordinal];
  if (!device)
    device = open(*driver, ordinal, error);
  return device.get();
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// What a kernel did, where an error says that one broke off: nothing works in
/// the context after that.
static const char *faultText(CudaResult result) {
  switch (result) {
  case cuda::IllegalAddress:
    return "accessed memory that is not its own";
  case cuda::MisalignedAddress:
    return "accessed memory at a misaligned address";
  case cuda::InvalidAddressSpace:
    return "accessed memory of the wrong kind";
  case cuda::IllegalInstruction:
    return "came to an illegal instruction";
  case cuda::InvalidPc:
    return "jumped out of its code";
  case cuda::HardwareStackError:
    return "broke its stack";
  case cuda::Assert:
    return "failed an assertion";
  case cuda::LaunchTimeout:
    return "took too long and was stopped";
  case cuda::LaunchFailed:
    return "broke off";
  default:
    return nullptr;
  }
}

const char *CudaDevice::intern(const std::string &kernel) const {
  std::lock_guard lock(naming);
  return kernels.insert(kernel).first->c_str();
}

bool CudaDevice::fail(CudaResult result, const std::string &what,
                      RunError &error) const {
  std::string reason = table.describe(result);
  if (const char *fault = faultText(result)) {
    const char *last = lastKernel.load(std::memory_order_relaxed);
    error = {
        DiagId::DeviceFault,
        "a kernel that ran earlier on " + title + " " + fault + ": " + reason +
            (last ? std::string("; the last one launched was `") + last + "`"
                  : "") +
            ". This process cannot use the GPU any more"};
    return false;
  }
  if (result == cuda::NotInitialized || result == cuda::Deinitialized)
    reason += "; a process that was forked after its parent used the GPU "
              "cannot use it: start it with `spawn`";
  error = {result == cuda::OutOfMemory ? DiagId::OutOfMemory
                                       : DiagId::LaunchFailed,
           what + ": " + reason};
  return false;
}

bool CudaDevice::synchronize(RunError &error) const {
  CurrentContext current(*this);
  CudaResult result = current.result();
  if (result == cuda::Success)
    result = table.synchronize();
  return result == cuda::Success ||
         fail(result, "cannot wait for " + title, error);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void *CudaDevice::allocate(size_t bytes, RunError &error) const {
  CurrentContext current(*this);
  CudaAddress address = 0;
  CudaResult result = current.result();
  if (result == cuda::Success)
    result = table.allocate(&address, bytes);
  if (result == cuda::Success)
    return reinterpret_cast<void *>(address);
  fail(result,
       "cannot allocate " + std::to_string(bytes) + " bytes on " + title,
       error);
  return nullptr;
}

void CudaDevice::release(void *memory) const {
  CurrentContext current(*this);
  if (current.result() == cuda::Success)
    table.release(reinterpret_cast<CudaAddress>(memory));
}

bool CudaDevice::copyIn(void *to, const void *from, size_t bytes,
                        RunError &error) const {
  if (!synchronize(error))
    return false;
  CurrentContext current(*this);
  CudaResult result =
      table.copyIn(reinterpret_cast<CudaAddress>(to), from, bytes);
  return result == cuda::Success ||
         fail(result, "cannot copy to " + title, error);
}

bool CudaDevice::copyOut(void *to, const void *from, size_t bytes,
                         RunError &error) const {
  if (!synchronize(error))
    return false;
  CurrentContext current(*this);
  CudaResult result =
      table.copyOut(to, reinterpret_cast<CudaAddress>(from), bytes);
  return result == cuda::Success ||
         fail(result, "cannot copy from " + title, error);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void *CudaDevice::recordEvent(void *stream, RunError &error) const {
  CurrentContext current(*this);
  void *event = nullptr;
  CudaResult result = current.result();
  if (result == cuda::Success)
    result = table.eventCreate(&event, 0);
  if (result == cuda::Success) {
    result = table.eventRecord(event, stream);
    if (result == cuda::Success)
      return event;
    table.eventDestroy(event);
  }
  fail(result, "an event cannot be recorded", error);
  return nullptr;
}

void CudaDevice::releaseEvent(void *event) const {
  CurrentContext current(*this);
  if (current.result() == cuda::Success)
    table.eventDestroy(event);
}

bool CudaDevice::elapsed(void *begin, void *end, double &milliseconds,
                         RunError &error) const {
  CurrentContext current(*this);
  float time = 0;
  CudaResult result = current.result();
  if (result == cuda::Success)
    result = table.eventSynchronize(end);
  if (result == cuda::Success)
    result = table.eventElapsed(&time, begin, end);
  milliseconds = time;
  return result == cuda::Success ||
         fail(result, "the time between events cannot be read", error);
}

} // namespace tesela::runtime
