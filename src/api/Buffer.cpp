//===- Buffer.cpp - memory of devices -------------------------------------===//

#include "api/State.h"

#include <cstdlib>
#include <cstring>

namespace tesela {

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
