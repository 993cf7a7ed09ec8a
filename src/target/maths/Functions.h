//===- Functions.h - which op is which elementary function ----------------===//

#ifndef TESELA_TARGET_MATHS_FUNCTIONS_H
#define TESELA_TARGET_MATHS_FUNCTIONS_H

#include "target/maths/Elementary.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace tesela::maths {

/// How one op is computed.
struct Function {
  llvm::StringLiteral op;
  /// Of the C library, f64; that of f32 has an `f` behind it.
  llvm::StringLiteral libraryName;
  Lanes (*unary)(Lanes) = nullptr;
  Lanes (*binary)(Lanes, Lanes) = nullptr;
  /// The code is for f64, and f32 goes through it.
  bool floatInDouble = false;
};

/// What computes an op of `math`, or `arith.remf`; null for other ops.
const Function *findFunction(mlir::Operation *op);

/// What kind of number something is (`math.isnan` and its like), or a clamped
/// one; null for other ops.
mlir::Value expandPredicate(LanesBuilder &where, mlir::Operation *op);

/// Replaces it by a sine and a cosine.
std::pair<mlir::Operation *, mlir::Operation *>
splitSincos(mlir::math::SincosOp op);

} // namespace tesela::maths

#endif // TESELA_TARGET_MATHS_FUNCTIONS_H
