//===- Fusion.h - how tiles depend on each other, element by element ------===//
//
// A nest loops over an index space. A tile that it computes on the way is read
// at indices that follow from the nest's loops; an `AxisMap` says how.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_TARGET_CPU_FUSION_H
#define TESELA_TARGET_CPU_FUSION_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tesela::cpu {

/// For each axis of a tile the loop of the nest that runs along it, or -1:
/// constant there, or anything else.
using AxisMap = llvm::SmallVector<int, 4>;

/// Loop d runs along axis d.
AxisMap identityMap(int64_t rank);

/// Whether the tile is read at exactly the indices of the loops.
bool isIdentity(llvm::ArrayRef<int> axes, llvm::ArrayRef<int64_t> tileShape,
                llvm::ArrayRef<int64_t> nestShape);

bool isTile(mlir::Type type);
inline bool isTile(mlir::Value value) { return isTile(value.getType()); }
llvm::ArrayRef<int64_t> shapeOf(mlir::Value tile);

using OperandVisitor =
    llvm::function_ref<void(mlir::Value operand, llvm::ArrayRef<int> axes)>;

/// Visits the tiles that an element of `tile` is computed from, each with its
/// own map, where `tile` is read with `axes`.
void forEachTileOperand(mlir::Value tile, llvm::ArrayRef<int> axes,
                        OperandVisitor visit);

/// Whether elements of a reshape's result stay in rows of its source, so that
/// slices of some lanes need no buffer.
bool isRowReshape(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

/// Instructions, roughly, for one slice of what the op adds to its operands.
int pointwiseCost(mlir::Operation *op);

/// The constant that a scalar is, if it is one.
std::optional<int64_t> constantInt(mlir::Value value);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_FUSION_H
