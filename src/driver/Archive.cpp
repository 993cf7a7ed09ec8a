//===- Archive.cpp - values as bytes, for the disk cache ------------------===//

#include "driver/Archive.h"

#include <cstring>

namespace tesela::driver {

void ArchiveWriter::add(uint64_t number) {
  bytes.append(reinterpret_cast<const char *>(&number), sizeof number);
}

void ArchiveWriter::add(std::string_view text) {
  add(uint64_t(text.size()));
  bytes.append(text);
}

uint64_t ArchiveReader::number() {
  uint64_t result = 0;
  valid = valid && rest.size() >= sizeof result;
  if (!valid)
    return 0;
  std::memcpy(&result, rest.data(), sizeof result);
  rest.remove_prefix(sizeof result);
  return result;
}

std::string ArchiveReader::text() {
  uint64_t size = number();
  valid = valid && size <= rest.size();
  if (!valid)
    return "";
  std::string result(rest.substr(0, size));
  rest.remove_prefix(size);
  return result;
}

std::string encodeBinary(const Binary &binary) {
  ArchiveWriter writer;
  writer.add(binary.name);
  writer.add(binary.code);
  writer.add(binary.scratchBytes);
  writer.add(binary.precondition);
  writer.add(binary.arguments.bytes);
  writer.add(binary.arguments.slots.size());
  for (size_t i = 0; i < binary.arguments.slots.size(); ++i) {
    const ArgumentSlot &slot = binary.arguments.slots[i];
    writer.add(uint64_t(slot.isPointer));
    writer.add(uint64_t(slot.dtype));
    writer.add(uint64_t(slot.offset));
    writer.add(uint64_t(i < binary.written.size() && binary.written[i]));
  }
  return writer.take();
}

std::optional<Binary> decodeBinary(std::string_view bytes) {
  ArchiveReader reader(bytes);
  Binary binary;
  binary.name = reader.text();
  binary.code = reader.text();
  binary.scratchBytes = reader.number();
  binary.precondition = reader.text();
  binary.arguments.bytes = uint32_t(reader.number());
  uint64_t count = reader.number();
  for (uint64_t i = 0; i < count && reader.isValid(); ++i) {
    ArgumentSlot slot;
    slot.isPointer = reader.number() != 0;
    slot.dtype = DType(reader.number());
    slot.offset = uint32_t(reader.number());
    binary.arguments.slots.push_back(slot);
    binary.written.push_back(reader.number() != 0);
  }
  if (!reader.isDone())
    return std::nullopt;
  return binary;
}

} // namespace tesela::driver
