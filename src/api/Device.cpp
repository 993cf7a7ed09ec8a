//===- Device.cpp - where kernels run -------------------------------------===//

#include "api/State.h"
#include "driver/CudaTarget.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace tesela {

Device::Device(std::shared_ptr<detail::DeviceState> state)
    : state(std::move(state)) {}

/// The device of a target with so many threads; made once.
static std::shared_ptr<detail::DeviceState>
sharedDevice(const driver::TargetRow &row, int threads,
             runtime::CudaDevice *gpu = nullptr) {
  struct Devices {
    std::mutex mutex;
    std::map<std::pair<const driver::TargetRow *, int>,
             std::shared_ptr<detail::DeviceState>>
        made;
  };
  // Never destroyed: its threads may still sleep when the process ends.
  static Devices &devices = *new Devices();
  std::lock_guard lock(devices.mutex);
  std::shared_ptr<detail::DeviceState> &device = devices.made[{&row, threads}];
  if (!device) {
    device = std::make_shared<detail::DeviceState>();
    device->row = &row;
    if (row.facts.kind != "cuda")
      device->pool = std::make_unique<runtime::ThreadPool>(threads);
    device->gpu = gpu;
  }
  return device;
}

Device Device::cpu(int threads) {
  if (threads <= 0)
    threads =
        int(std::min<int64_t>(driver::Session::get().options.threads, 4096));
  return Device(sharedDevice(*driver::findTarget("cpu"), threads));
}

Device Device::reference() {
  return Device(sharedDevice(*driver::findTarget("interp"), 1));
}

static Result<Device> cudaDevice(const driver::CudaName &name) {
  runtime::RunError error;
  const driver::TargetRow *row = driver::cudaRow(name, error);
  if (!row)
    return makeError(error);
  runtime::CudaDevice *gpu =
      row->ordinal < 0 ? nullptr
                       : runtime::CudaDevice::get(row->ordinal, error);
  return Device(sharedDevice(*row, 0, gpu));
}

Result<Device> Device::cuda(int ordinal) { return cudaDevice({ordinal, {}}); }

int Device::cudaCount() {
  runtime::RunError ignored;
  const runtime::CudaDriver *driver = runtime::CudaDriver::get(ignored);
  return driver ? driver->devices : 0;
}

Result<Device> Device::named(std::string_view name) {
  if (name == "cpu")
    return cpu();
  if (name == "interp")
    return reference();
  if (std::optional<driver::CudaName> cuda = driver::parseCudaName(name))
    return cudaDevice(*cuda);
  return makeError(DiagId::UnknownDevice,
                   "there is no device `" + std::string(name) +
                       "`; there are `cpu`, `interp`, `cuda` (or `cuda:1` …) "
                       "and, to compile for, `cuda:80` to `cuda:90a`");
}

std::string_view Device::name() const { return state->row->name; }

int Device::ordinal() const { return state->row->ordinal; }

Result<Done> Device::synchronize() const {
  runtime::RunError error;
  if (!state->gpu || state->gpu->synchronize(error))
    return Done();
  return makeError(error);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

struct detail::BufferState {
  std::shared_ptr<DeviceState> device;
  void *data = nullptr;
  size_t bytes = 0;

  ~BufferState() {
    if (device->gpu && data)
      device->gpu->release(data);
    else
      std::free(data);
  }
};

Result<Buffer> Device::allocate(size_t bytes) const {
  auto buffer = std::make_shared<detail::BufferState>();
  buffer->device = state;
  buffer->bytes = bytes;
  runtime::RunError error;
  if (state->gpu) {
    buffer->data = state->gpu->allocate(std::max<size_t>(bytes, 1), error);
  } else {
    if (bytes < PTRDIFF_MAX - 64)
      buffer->data = std::aligned_alloc(64, (bytes / 64 + 1) * 64);
    error = {DiagId::OutOfMemory,
             "cannot allocate " + std::to_string(bytes) + " bytes"};
  }
  if (!buffer->data)
    return makeError(error);
  return Buffer(std::move(buffer));
}

Buffer::Buffer(std::shared_ptr<detail::BufferState> state)
    : state(std::move(state)) {}

void *Buffer::data() const { return state->data; }

size_t Buffer::bytes() const { return state->bytes; }

static Result<Done> checkRange(size_t bytes, size_t offset, size_t size) {
  if (offset <= size && bytes <= size - offset)
    return Done();
  return makeError(DiagId::ArgumentRange,
                   std::to_string(bytes) + " bytes from byte " +
                       std::to_string(offset) + " on are beyond a buffer of " +
                       std::to_string(size));
}

Result<Done> Buffer::write(const void *from, size_t bytes,
                           size_t offset) const {
  if (Result<Done> range = checkRange(bytes, offset, state->bytes); !range)
    return range;
  char *to = static_cast<char *>(state->data) + offset;
  runtime::RunError error;
  if (!state->device->gpu)
    std::memcpy(to, from, bytes);
  else if (!state->device->gpu->copyIn(to, from, bytes, error))
    return makeError(error);
  return Done();
}

Result<Done> Buffer::read(void *to, size_t bytes, size_t offset) const {
  if (Result<Done> range = checkRange(bytes, offset, state->bytes); !range)
    return range;
  const char *from = static_cast<const char *>(state->data) + offset;
  runtime::RunError error;
  if (!state->device->gpu)
    std::memcpy(to, from, bytes);
  else if (!state->device->gpu->copyOut(to, from, bytes, error))
    return makeError(error);
  return Done();
}

} // namespace tesela
