//===- Pack.cpp - arguments into the buffer that code reads ---------------===//

#include "runtime/Specialisation.h"

#include "support/Values.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <cstring>

namespace tesela::runtime {

using Kind = Argument::Kind;

/// The bits of a float that has no type of C++'s own.
static uint64_t narrowFloat(DType type, double number) {
  const llvm::fltSemantics &semantics =
      type == DType::Float16      ? llvm::APFloat::IEEEhalf()
      : type == DType::BFloat16   ? llvm::APFloat::BFloat()
      : type == DType::Float8E4M3 ? llvm::APFloat::Float8E4M3FN()
                                  : llvm::APFloat::Float8E5M2();
  llvm::APFloat value(number);
  bool inexact;
  value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &inexact);
  // Kernels round to 8 bits so, too.
  if (bitWidth(type) == 8 && !value.isFinite() && !std::isnan(number))
    value = llvm::APFloat::getLargest(semantics, std::signbit(number));
  return value.bitcastToAPInt().getZExtValue();
}

static double asDouble(const Argument &argument) {
  switch (argument.kind) {
  case Kind::Float:
    return argument.number;
  case Kind::Integer:
    return double(argument.integer);
  case Kind::Unsigned:
    return double(argument.unsignedInteger);
  default:
    return argument.boolean;
  }
}

static uint64_t scalarBits(DType type, const Argument &argument) {
  if (type < DType::Float8E4M3)
    return argument.kind == Kind::Bool ? uint64_t(argument.boolean)
                                       : argument.unsignedInteger;
  uint64_t bits = 0;
  if (type == DType::Float64) {
    double number = asDouble(argument);
    std::memcpy(&bits, &number, sizeof number);
    return bits;
  }
  if (type == DType::Float32) {
    // From an integer at once, so that it is rounded only once.
    float number = argument.kind == Kind::Integer ? float(argument.integer)
                   : argument.kind == Kind::Unsigned
                       ? float(argument.unsignedInteger)
                       : float(asDouble(argument));
    std::memcpy(&bits, &number, sizeof number);
    return bits;
  }
  return narrowFloat(type, asDouble(argument));
}

static LaunchProblem argumentProblem(const KernelRules &rules, DiagId id,
                                     uint32_t parameter,
                                     const std::string &seen) {
  return {id, int(parameter),
          "argument `" + rules.parameters[parameter].name + "` of `" +
              rules.name + "` " + seen};
}

/// A number of the slot's type that is not positive.
static std::optional<LaunchProblem>
checkStep(const KernelRules &rules, const PackedSlot &slot, uint64_t bits) {
  unsigned unused = 64 - 8 * slot.bytes;
  bool isSigned = slot.dtype >= DType::Int8 && slot.dtype <= DType::Int64;
  int64_t number = isSigned ? int64_t(bits << unused) >> unused
                            : int64_t(bits << unused >> unused);
  if (isSigned ? number > 0 : number != 0)
    return std::nullopt;
  return argumentProblem(
      rules, DiagId::ArgumentRange, slot.parameter,
      "is " + std::to_string(number) +
          ", and a loop counts by it; a step that is known at run time alone "
          "must be positive");
}

std::optional<LaunchProblem> packArguments(const KernelRules &rules,
                                           const PackPlan &plan,
                                           std::span<const Argument> bound,
                                           char *buffer) {
  for (const PackedSlot &slot : plan.slots) {
    const Argument &argument = bound[slot.parameter];
    char *place = buffer + slot.offset;
    if (!slot.isPointer) {
      uint64_t bits = argument.kind == Kind::Value
                          ? scalarBits(slot.dtype, argumentOf(*argument.object))
                          : scalarBits(slot.dtype, argument);
      if (slot.isStep)
        if (auto problem = checkStep(rules, slot, bits))
          return problem;
      // Little-endian, as all hosts are that code is generated for.
      switch (slot.bytes) {
      case 1:
        std::memcpy(place, &bits, 1);
        break;
      case 2:
        std::memcpy(place, &bits, 2);
        break;
      case 4:
        std::memcpy(place, &bits, 4);
        break;
      default:
        std::memcpy(place, &bits, 8);
      }
      continue;
    }
    if (!argument.pointer && argument.bytes != 0)
      return argumentProblem(rules, DiagId::NullPointer, slot.parameter,
                             "is a null pointer");
    if (argument.readOnly && slot.isWritten)
      return argumentProblem(rules, DiagId::ReadOnlyArgument, slot.parameter,
                             "is read-only, and the kernel writes to it");
    std::memcpy(place, &argument.pointer, 8);
  }
  return std::nullopt;
}

} // namespace tesela::runtime
