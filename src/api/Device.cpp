//===- Device.cpp - where kernels run -------------------------------------===//

#include "api/State.h"
#include "driver/CudaTarget.h"

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

} // namespace tesela
