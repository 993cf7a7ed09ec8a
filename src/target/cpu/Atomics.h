//===- Atomics.h - read, change and write in one step ---------------------===//

#ifndef TESELA_TARGET_CPU_ATOMICS_H
#define TESELA_TARGET_CPU_ATOMICS_H

#include "dialect/tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"

namespace tesela::cpu {

/// What an atomic op computes with: its value, its pointer, and then its mask,
/// if it has one, or what it expects.
llvm::SmallVector<mlir::Value> atomicOperands(mlir::Operation *op);

/// The op on scalars in place of its operands; gives what was there.
mlir::Value emitAtomic(mlir::OpBuilder &b, mlir::Operation *op,
                       mlir::ValueRange operands);

/// The same lane by lane; an operand may be a scalar for all lanes.
mlir::Value emitAtomicSlice(mlir::OpBuilder &b, mlir::Operation *op,
                            mlir::ValueRange operands, int64_t lanes);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_ATOMICS_H
