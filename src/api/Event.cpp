//===- Event.cpp - points in time of devices ------------------------------===//

#include "api/State.h"

#include <chrono>

namespace tesela {

struct detail::EventState {
  std::shared_ptr<DeviceState> device;
  /// Of a GPU.
  void *event = nullptr;
  std::chrono::steady_clock::time_point now;

  ~EventState() {
    if (event)
      device->gpu->releaseEvent(event);
  }
};

Event::Event(std::shared_ptr<detail::EventState> state)
    : state(std::move(state)) {}

Result<Event> Device::record(void *stream) const {
  auto event = std::make_shared<detail::EventState>();
  event->device = state;
  event->now = std::chrono::steady_clock::now();
  runtime::RunError error;
  if (state->gpu && !(event->event = state->gpu->recordEvent(stream, error)))
    return makeError(error);
  return Event(std::move(event));
}

Result<double> Event::since(const Event &earlier) const {
  const detail::EventState &from = *earlier.state;
  if (from.device != state->device)
    return makeError(DiagId::ArgumentType,
                     "the events are of different devices");
  if (!state->event)
    return std::chrono::duration<double, std::milli>(state->now - from.now)
        .count();
  runtime::RunError error;
  double milliseconds = 0;
  if (!state->device->gpu->elapsed(from.event, state->event, milliseconds,
                                   error))
    return makeError(error);
  return milliseconds;
}

} // namespace tesela
