//===- Tile.h - the tile dialect ------------------------------------------===//

#ifndef TESELA_DIALECT_TILE_TILE_H
#define TESELA_DIALECT_TILE_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/tile/Dialect.h.inc"
#include "dialect/tile/Enums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/tile/Types.h.inc"

#define GET_OP_CLASSES
#include "dialect/tile/ProgramOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/tile/PointwiseOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/tile/ShapeOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/tile/MemoryOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/tile/AtomicOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/tile/ReduceOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/tile/DotOps.h.inc"

namespace tesela::tile {

/// Of a tile its element type, of a scalar the type itself.
mlir::Type elementType(mlir::Type type);

/// `type` with another element type: a tile of the same shape, or a scalar.
mlir::Type withElementType(mlir::Type type, mlir::Type element);

/// Whether it is an op that changes memory in one step, and how it is ordered.
bool isAtomic(mlir::Operation *op);
MemoryOrder atomicOrder(mlir::Operation *atomic);

/// Marks a `func.func` as a kernel.
inline constexpr llvm::StringLiteral kernelAttr = "tile.kernel";

/// On a kernel's argument: an i64, its value (or, of a pointer, its address) is
/// a multiple of that.
inline constexpr llvm::StringLiteral divisibilityAttr = "tile.divisibility";

/// On a kernel's argument: the name of the parameter.
inline constexpr llvm::StringLiteral nameAttr = "tile.name";

} // namespace tesela::tile

#endif // TESELA_DIALECT_TILE_TILE_H
