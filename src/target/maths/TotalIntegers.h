//===- TotalIntegers.h - division, shifts, float to integer ---------------===//

#ifndef TESELA_TARGET_MATHS_TOTALINTEGERS_H
#define TESELA_TARGET_MATHS_TOTALINTEGERS_H

#include "mlir/IR/Builders.h"

namespace tesela::maths {

/// One of the integer ops of `tile` on operands of as many lanes each; null
/// where the op is none of them. `divideFloats`: quotients of vectors are those
/// of floats.
mlir::Value emitTotalInteger(mlir::OpBuilder &b, mlir::Operation *op,
                             llvm::ArrayRef<mlir::Value> operands,
                             bool divideFloats);

} // namespace tesela::maths

#endif // TESELA_TARGET_MATHS_TOTALINTEGERS_H
