//===- Pointwise.h - one pointwise op on scalars or vectors ---------------===//

#ifndef TESELA_TARGET_CPU_POINTWISE_H
#define TESELA_TARGET_CPU_POINTWISE_H

#include "target/maths/Slices.h"

namespace tesela::cpu {

using maths::constant;
using maths::convertFloat;
using maths::floatConstant;
using maths::intConstant;
using maths::lanesOf;
using maths::registerType;
using maths::sliceType;

/// `value`, repeated in all lanes where it is a scalar.
mlir::Value spread(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                   int64_t lanes);

/// The zero of an integer, float or pointer type.
mlir::Value zeroConstant(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Type element, int64_t lanes);

/// `condition ? yes : no`, spread over the lanes of what has most.
mlir::Value selectValue(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value condition, mlir::Value yes, mlir::Value no);

/// A bf16 is only computed with as f32, and is moved as an i16: hosts without
/// bf16 instructions would call a library to move it. These change the type of
/// a value to what moves and back; other types stay as they are.
mlir::Type movedType(mlir::Type element);
mlir::Value toMoved(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value);
mlir::Value fromMoved(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                      mlir::Type element);

/// Repeats `op`, which works element by element, on `operands`: scalars, or
/// vectors that all have as many lanes, mixed with scalars. Null where the CPU
/// has nothing for it.
mlir::Value emitPointwise(mlir::OpBuilder &b, mlir::Operation *op,
                          llvm::ArrayRef<mlir::Value> operands);

/// Whether `emitPointwise` knows it.
bool isPointwise(mlir::Operation *op);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_POINTWISE_H
