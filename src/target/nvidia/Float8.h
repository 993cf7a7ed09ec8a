//===- Float8.h - floats of 8 bits in a thread's registers ----------------===//
//
// LLVM has no such floats: registers hold them as bytes. They are converted by
// instructions from sm_89 on, by integer arithmetic before; whatever else is
// done with them is done in f32.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_TARGET_NVIDIA_FLOAT8_H
#define TESELA_TARGET_NVIDIA_FLOAT8_H

#include "mlir/IR/Builders.h"

namespace tesela::nvidia {

/// An elementwise op on floats of 8 bits, of tiles or scalars, done on the
/// registers (scalars or vectors) of its operands. Null for other ops.
mlir::Value emitFloat8(mlir::OpBuilder &b, mlir::Operation *op,
                       mlir::ValueRange operands, unsigned capability);

/// A constant's value with bytes for floats of 8 bits.
mlir::TypedAttr bytesOfFloat8(mlir::TypedAttr value);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_FLOAT8_H
