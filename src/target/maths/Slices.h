//===- Slices.h - values of some lanes ------------------------------------===//

#ifndef TESELA_TARGET_MATHS_SLICES_H
#define TESELA_TARGET_MATHS_SLICES_H

#include "mlir/IR/Builders.h"

namespace tesela::maths {

/// `!tile.ptr` -> `!llvm.ptr`; other element types stay.
mlir::Type registerType(mlir::Type element);

/// `element` itself for one lane of a scalar (`lanes` is 0), else a vector.
mlir::Type sliceType(mlir::Type element, int64_t lanes);

/// How many lanes a value has; 0 for a scalar.
int64_t lanesOf(mlir::Value value);

/// An integer or float constant, spread over `lanes`.
mlir::Value constant(mlir::OpBuilder &b, mlir::Location loc,
                     mlir::TypedAttr value, int64_t lanes);
mlir::Value intConstant(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Type element, int64_t value, int64_t lanes);
mlir::Value floatConstant(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Type element, double value, int64_t lanes);

/// Float to float of any widths, rounded to nearest even once.
mlir::Value convertFloat(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value value, mlir::Type element);

/// The f32 numbers that bytes are in `format`, a float of 8 bits.
mlir::Value widenFloat8(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value bytes, mlir::Type format);

/// The bytes of floats of any width in `format`, rounded as `tile.fptofp8`
/// says.
mlir::Value narrowToFloat8(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value value, mlir::Type format);

} // namespace tesela::maths

#endif // TESELA_TARGET_MATHS_SLICES_H
