//===- HostProgram.h - integer formulas that a launch evaluates -----------===//
//
// What a compiled kernel needs to know of a launch before it starts on a
// device: whether its preconditions hold, and the extents and strides of its
// tensor maps. Straight-line code over 64-bit numbers that wrap; a binary keeps
// it as data, so that no machine code of the host is made for it.
//
// Value i is what instruction i gives. The grid and the arguments are read by
// instructions of their own.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_SUPPORT_HOSTPROGRAM_H
#define TESELA_SUPPORT_HOSTPROGRAM_H

#include "support/KernelAbi.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tesela {

struct HostInstruction {
  enum class Op : uint8_t {
    Constant, // immediate
    Argument, // slot a of the argument buffer: integers extended by their
              // sign or with zeros, as their type is; pointers as addresses;
              // float32 as the 32 bits of it, extended by their sign
    Grid,     // extent of the grid along axis a
    Add,
    Sub,
    Mul,
    DivSigned, // truncated; 0 where the divisor is 0, INT64_MIN / -1 wraps
    RemSigned, // of that quotient
    MinSigned,
    MaxSigned,
    MinUnsigned,
    MaxUnsigned,
    And,
    Or,
    Xor,
    ShiftLeft, // 0 where the amount is 64 or more, as for the next two
    ShiftRight,
    ShiftRightSigned, // the sign there
    Equal,            // comparisons give 0 or 1
    NotEqual,
    LessSigned,
    LessEqualSigned,
    LessUnsigned,
    LessEqualUnsigned,
    Select,     // value a is not 0 ? value b : value c
    ExtendSign, // from a's lowest `immediate` bits, 1 to 64
    ExtendZero,
  };

  Op op = Op::Constant;
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  int64_t immediate = 0;

  bool operator==(const HostInstruction &) const = default;
};

struct HostProgram {
  std::vector<HostInstruction> instructions;

  bool operator==(const HostProgram &) const = default;

  /// Whether each instruction reads only earlier values, slots of the layout
  /// that are integers or pointers, and axes 0 to 2: what a program from a file
  /// must be before it is evaluated.
  bool isValid(const ArgumentLayout &layout) const;

  /// `values` has room for one number an instruction.
  void evaluate(const void *arguments, const ArgumentLayout &layout,
                const int32_t grid[3], std::span<int64_t> values) const;
};

} // namespace tesela

#endif // TESELA_SUPPORT_HOSTPROGRAM_H
