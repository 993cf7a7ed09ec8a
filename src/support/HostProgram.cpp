//===- HostProgram.cpp - integer formulas that a launch evaluates ---------===//

#include "support/HostProgram.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace tesela {

using Op = HostInstruction::Op;

/// How many of a, b and c name values.
static unsigned numOperands(Op op) {
  switch (op) {
  case Op::Constant:
  case Op::Argument:
  case Op::Grid:
    return 0;
  case Op::ExtendSign:
  case Op::ExtendZero:
    return 1;
  case Op::Select:
    return 3;
  default:
    return 2;
  }
}

static bool isReadable(const ArgumentSlot &slot, const ArgumentLayout &layout) {
  if (!slot.isPointer && slot.dtype >= DType::Float8E4M3 &&
      slot.dtype != DType::Float32)
    return false;
  size_t bytes = slot.isPointer ? 8 : byteWidth(slot.dtype);
  return slot.offset <= layout.bytes && bytes <= layout.bytes - slot.offset;
}

bool HostProgram::isValid(const ArgumentLayout &layout) const {
  for (size_t i = 0; i < instructions.size(); ++i) {
    const HostInstruction &instruction = instructions[i];
    if (instruction.op > Op::ExtendZero)
      return false;
    const uint32_t operands[] = {instruction.a, instruction.b, instruction.c};
    for (unsigned k = 0; k < numOperands(instruction.op); ++k)
      if (operands[k] >= i)
        return false;
    switch (instruction.op) {
    case Op::Argument:
      if (instruction.a >= layout.slots.size() ||
          !isReadable(layout.slots[instruction.a], layout))
        return false;
      break;
    case Op::Grid:
      if (instruction.a > 2)
        return false;
      break;
    case Op::ExtendSign:
    case Op::ExtendZero:
      if (instruction.immediate < 1 || instruction.immediate > 64)
        return false;
      break;
    default:
      break;
    }
  }
  return true;
}

template <typename T>
static int64_t load(const char *place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return int64_t(value);
}

static int64_t loadArgument(const char *arguments, const ArgumentSlot &slot) {
  const char *place = arguments + slot.offset;
  if (slot.isPointer)
    return load<int64_t>(place);
  switch (slot.dtype) {
  case DType::Int8:
    return load<int8_t>(place);
  case DType::Int16:
    return load<int16_t>(place);
  case DType::Int32:
  case DType::Float32:
    return load<int32_t>(place);
  case DType::Int1:
  case DType::UInt8:
    return load<uint8_t>(place);
  case DType::UInt16:
    return load<uint16_t>(place);
  case DType::UInt32:
    return load<uint32_t>(place);
  default:
    return load<int64_t>(place);
  }
}

static int64_t divide(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  if (b == -1)
    return int64_t(0 - uint64_t(a));
  return a / b;
}

static int64_t shift(Op op, int64_t a, uint64_t amount) {
  if (op == Op::ShiftRightSigned)
    return a >> std::min<uint64_t>(amount, 63);
  if (amount >= 64)
    return 0;
  return int64_t(op == Op::ShiftLeft ? uint64_t(a) << amount
                                     : uint64_t(a) >> amount);
}

static int64_t compute(Op op, int64_t a, int64_t b) {
  uint64_t x = uint64_t(a), y = uint64_t(b);
  switch (op) {
  case Op::Add:
    return int64_t(x + y);
  case Op::Sub:
    return int64_t(x - y);
  case Op::Mul:
    return int64_t(x * y);
  case Op::DivSigned:
    return divide(a, b);
  case Op::RemSigned:
    return int64_t(x - uint64_t(divide(a, b)) * y);
  case Op::MinSigned:
    return std::min(a, b);
  case Op::MaxSigned:
    return std::max(a, b);
  case Op::MinUnsigned:
    return int64_t(std::min(x, y));
  case Op::MaxUnsigned:
    return int64_t(std::max(x, y));
  case Op::And:
    return a & b;
  case Op::Or:
    return a | b;
  case Op::Xor:
    return a ^ b;
  case Op::ShiftLeft:
  case Op::ShiftRight:
  case Op::ShiftRightSigned:
    return shift(op, a, y);
  case Op::Equal:
    return a == b;
  case Op::NotEqual:
    return a != b;
  case Op::LessSigned:
    return a < b;
  case Op::LessEqualSigned:
    return a <= b;
  case Op::LessUnsigned:
    return x < y;
  case Op::LessEqualUnsigned:
    return x <= y;
  default:
    assert(false && "a valid program has no other operation");
    return 0;
  }
}

void HostProgram::evaluate(const void *arguments, const ArgumentLayout &layout,
                           const int32_t grid[3],
                           std::span<int64_t> values) const {
  auto *buffer = static_cast<const char *>(arguments);
  for (size_t i = 0; i < instructions.size(); ++i) {
    const HostInstruction &in = instructions[i];
    switch (in.op) {
    case Op::Constant:
      values[i] = in.immediate;
      break;
    case Op::Argument:
      values[i] = loadArgument(buffer, layout.slots[in.a]);
      break;
    case Op::Grid:
      values[i] = grid[in.a];
      break;
    case Op::Select:
      values[i] = values[values[in.a] != 0 ? in.b : in.c];
      break;
    case Op::ExtendSign: {
      unsigned unused = unsigned(64 - in.immediate);
      values[i] = int64_t(uint64_t(values[in.a]) << unused) >> unused;
      break;
    }
    case Op::ExtendZero: {
      unsigned unused = unsigned(64 - in.immediate);
      values[i] = int64_t(uint64_t(values[in.a]) << unused >> unused);
      break;
    }
    default:
      values[i] = compute(in.op, values[in.a], values[in.b]);
    }
  }
}

} // namespace tesela
