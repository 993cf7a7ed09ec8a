//===- TotalIntegers.h - division, shifts, float to integer ---------------===//

#ifndef TESELA_TARGET_CPU_TOTALINTEGERS_H
#define TESELA_TARGET_CPU_TOTALINTEGERS_H

#include "mlir/IR/Builders.h"

namespace tesela::cpu {

/// One of the integer ops of `tile` on operands of as many lanes each; null
/// where the op is none of them.
mlir::Value emitTotalInteger(mlir::OpBuilder &b, mlir::Operation *op,
                             llvm::ArrayRef<mlir::Value> operands);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_TOTALINTEGERS_H
