//===- Device.cpp - where kernels run -------------------------------------===//

#include "api/State.h"

#include <map>
#include <mutex>

namespace tesela {

Device::Device(std::shared_ptr<detail::DeviceState> state)
    : state(std::move(state)) {}

/// The device of a target with so many threads; made once.
static std::shared_ptr<detail::DeviceState>
sharedDevice(const driver::TargetRow &row, int threads) {
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
  if (!device)
    device = std::make_shared<detail::DeviceState>(detail::DeviceState{
        &row, std::make_unique<runtime::ThreadPool>(threads)});
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

Result<Device> Device::named(std::string_view name) {
  if (name == "cpu")
    return cpu();
  if (name == "interp")
    return reference();
  return makeError(DiagId::UnknownDevice,
                   "there is no device `" + std::string(name) +
                       "`; there are `cpu` and `interp`");
}

std::string_view Device::name() const { return state->row->target.name; }

} // namespace tesela
