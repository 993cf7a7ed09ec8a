//===- Archive.cpp - values as bytes, for the disk cache ------------------===//

#include "driver/Archive.h"

#include <algorithm>
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

uint32_t ArchiveReader::number32() {
  uint64_t result = number();
  valid = valid && result <= UINT32_MAX;
  return valid ? uint32_t(result) : 0;
}

DType ArchiveReader::dtype() {
  uint64_t result = number();
  valid = valid && result <= uint64_t(DType::Float64);
  return valid ? DType(result) : DType::Int1;
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

//===----------------------------------------------------------------------===//
// How a GPU binary is launched
//===----------------------------------------------------------------------===//

static void encodeLaunch(ArchiveWriter &writer, const GpuLaunch &gpu) {
  writer.add(gpu.threads);
  writer.add(gpu.sharedBytes);
  writer.add(gpu.crowdedBytes);
  writer.add(gpu.cluster);
  writer.add(gpu.host.instructions.size());
  for (const HostInstruction &instruction : gpu.host.instructions) {
    writer.add(uint64_t(instruction.op));
    for (uint64_t number :
         {uint64_t(instruction.a), uint64_t(instruction.b),
          uint64_t(instruction.c), uint64_t(instruction.immediate)})
      writer.add(number);
  }
  writer.add(uint64_t(gpu.precondition.has_value()));
  writer.add(gpu.precondition.value_or(0));
  writer.add(gpu.tensorMaps.size());
  for (const TensorMapPlan &map : gpu.tensorMaps) {
    writer.add(uint64_t(map.dtype));
    writer.add(map.swizzleBytes);
    writer.add(map.address);
    writer.add(map.dimensions.size());
    for (const TensorMapPlan::Dimension &dimension : map.dimensions) {
      writer.add(dimension.extent);
      writer.add(dimension.stride);
      writer.add(dimension.box);
    }
  }
}

static TensorMapPlan decodeMap(ArchiveReader &reader) {
  TensorMapPlan map;
  map.dtype = reader.dtype();
  map.swizzleBytes = reader.number32();
  map.address = reader.number32();
  uint64_t rank = reader.number();
  for (uint64_t i = 0; i < rank && reader.isValid(); ++i) {
    TensorMapPlan::Dimension dimension;
    dimension.extent = reader.number32();
    dimension.stride = reader.number32();
    dimension.box = reader.number32();
    map.dimensions.push_back(dimension);
  }
  return map;
}

static GpuLaunch decodeLaunch(ArchiveReader &reader) {
  GpuLaunch gpu;
  gpu.threads = reader.number32();
  gpu.sharedBytes = reader.number32();
  gpu.crowdedBytes = reader.number32();
  gpu.cluster = reader.number32();
  uint64_t instructions = reader.number();
  for (uint64_t i = 0; i < instructions && reader.isValid(); ++i) {
    HostInstruction instruction;
    instruction.op =
        HostInstruction::Op(std::min<uint64_t>(reader.number(), UINT8_MAX));
    instruction.a = reader.number32();
    instruction.b = reader.number32();
    instruction.c = reader.number32();
    instruction.immediate = int64_t(reader.number());
    gpu.host.instructions.push_back(instruction);
  }
  bool hasPrecondition = reader.number() != 0;
  uint32_t precondition = reader.number32();
  if (hasPrecondition)
    gpu.precondition = precondition;
  uint64_t maps = reader.number();
  for (uint64_t i = 0; i < maps && reader.isValid(); ++i)
    gpu.tensorMaps.push_back(decodeMap(reader));
  return gpu;
}

//===----------------------------------------------------------------------===//
// Binaries
//===----------------------------------------------------------------------===//

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
    writer.add(uint64_t(i < binary.steps.size() && binary.steps[i]));
  }
  encodeLaunch(writer, binary.gpu);
  return writer.take();
}

/// Whether every argument lies inside the buffer.
static bool isPlausible(const ArgumentLayout &layout) {
  for (const ArgumentSlot &slot : layout.slots) {
    size_t bytes = slot.isPointer ? 8 : byteWidth(slot.dtype);
    if (slot.offset > layout.bytes || bytes > layout.bytes - slot.offset)
      return false;
  }
  return true;
}

std::optional<Binary> decodeBinary(std::string_view bytes) {
  ArchiveReader reader(bytes);
  Binary binary;
  binary.name = reader.text();
  binary.code = reader.text();
  binary.scratchBytes = reader.number();
  binary.precondition = reader.text();
  binary.arguments.bytes = reader.number32();
  uint64_t count = reader.number();
  for (uint64_t i = 0; i < count && reader.isValid(); ++i) {
    ArgumentSlot slot;
    slot.isPointer = reader.number() != 0;
    slot.dtype = reader.dtype();
    slot.offset = reader.number32();
    binary.arguments.slots.push_back(slot);
    binary.written.push_back(reader.number() != 0);
    binary.steps.push_back(reader.number() != 0);
  }
  binary.gpu = decodeLaunch(reader);
  if (!reader.isDone() || !isPlausible(binary.arguments) ||
      !binary.gpu.isValid(binary.arguments))
    return std::nullopt;
  return binary;
}

} // namespace tesela::driver
