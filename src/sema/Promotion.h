//===- Promotion.h - the type that two operands are computed in -----------===//
//
// Two run-time operands:
//
//   1. one is float64, float32          -> that
//   2. one is float16                   -> float16, float32 in a division
//   3. both are bfloat16                -> bfloat16, float32 in a division
//   4. one is bfloat16                  -> float32
//   5. both are 8-bit floats            -> that type, or float16
//   6. both are integers, same sign     -> the wider
//   7. both are integers, other signs   -> the unsigned one unless the signed
//                                          one is wider; an error in a division
//
// A number that is known while compiling takes the type of the other operand
// where its kind (bool < int < float) is not higher; else it enters the rules
// with the type that `numberType` gives it.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_SEMA_PROMOTION_H
#define TESELA_SEMA_PROMOTION_H

#include "sema/Type.h"

#include <optional>

namespace tesela::sema {

struct Operand {
  DType type;
  /// A number that is known while compiling.
  bool isConstant = false;
};

enum class Arithmetic : uint8_t {
  /// + - * comparisons, minimum, maximum, where.
  Plain,
  /// / // %
  Division,
  /// & | ^ << >>: integers alone, and constants are not adapted.
  Bitwise,
};

/// The common type; nothing where the two do not go together.
std::optional<DType> promote(Operand a, Operand b, Arithmetic arithmetic);

/// What elements are added in: narrow integers in 32 bits of the same sign.
DType sumType(DType type);

/// What elements are compared in by `max` and `min`: narrow types in 32 bits.
DType extremumType(DType type, bool withIndices);

/// What a dot of such operands accumulates in; nothing where they can't.
std::optional<DType> dotType(DType operand, DType wanted);

} // namespace tesela::sema

#endif // TESELA_SEMA_PROMOTION_H
