//===- Nests.h - loops over an index space, slice by slice ----------------===//

#ifndef TESELA_TARGET_CPU_NESTS_H
#define TESELA_TARGET_CPU_NESTS_H

#include "target/cpu/Slices.h"

namespace tesela::cpu {

/// The order of loops and the width of slices for a nest.
struct NestShape {
  /// The axis that slices run along; it is the innermost loop.
  int axis = -1;
  /// Elements of a slice; 0 for one element at a time.
  int64_t lanes = 0;
  /// Those that fill one register: of slices that are partly masked, which a
  /// nest may take one register at a time.
  int64_t narrow = 0;
  /// Of a tile that is stored transposed: the axis along which it is contiguous
  /// where it comes from. Blocks of `lanes` by `lanes` are transposed.
  int transposed = -1;
};

/// The axis along which most accesses are contiguous.
NestShape chooseShape(const LoweringState &state, const Step &step);

/// Writes the loops of one nest at the insertion point.
void lowerNest(LoweringState &state, const Step &step);

/// Writes the loops that store one tile transposed.
void lowerTransposed(LoweringState &state, const Step &step,
                     const NestShape &shape);

/// Writes the loops of a dot; over the first `depth` of K where that is given,
/// a multiple of the operands' own.
void lowerDot(LoweringState &state, mlir::Operation *dot,
              mlir::Value depth = {});

/// Writes the loops of a dot that computes its right operand as it goes.
void lowerStreamedDot(LoweringState &state, mlir::Operation *dot);

/// Combines what two slices of each operand hold, as a reduction's or a scan's
/// region says.
llvm::SmallVector<mlir::Value> combine(LoweringState &state,
                                       mlir::Block &region,
                                       mlir::ValueRange lhs,
                                       mlir::ValueRange rhs);

/// The accumulators of a reduction along the axis of the slices.
class LaneReduction {
public:
  LaneReduction(LoweringState &state, tile::ReduceOp reduce, int64_t lanes);

  /// What the accumulators hold before the first slice.
  llvm::SmallVector<mlir::Value> initial();
  /// The accumulators after one more slice; `isFirst` says where nothing has
  /// been combined yet, for combinations without a neutral element.
  llvm::SmallVector<mlir::Value> step(mlir::ValueRange accumulators,
                                      mlir::ValueRange slices,
                                      mlir::Value isFirst);
  /// All lanes combined, in the types of the results' elements.
  llvm::SmallVector<mlir::Value> finish(mlir::ValueRange accumulators);

  bool hasNeutral() const { return bool(neutral); }

private:
  llvm::SmallVector<mlir::Value> combineWide(mlir::ValueRange lhs,
                                             mlir::ValueRange rhs);

  LoweringState &state;
  tile::ReduceOp reduce;
  int64_t lanes;
  /// Of the accumulators; narrow floats are added up in f32.
  llvm::SmallVector<mlir::Type> types;
  mlir::TypedAttr neutral;
};

/// A scan along the axis of the slices.
class LaneScan {
public:
  LaneScan(LoweringState &state, tile::ScanOp scan, int64_t lanes);

  /// What is carried before the first slice, in the types that move.
  llvm::SmallVector<mlir::Value> initial();
  /// The results' slices; `carried` becomes what the next slice needs.
  /// `isFirst` says where nothing is carried yet. Empty after a failure.
  llvm::SmallVector<mlir::Value>
  step(llvm::SmallVectorImpl<mlir::Value> &carried, mlir::ValueRange slices,
       mlir::Value isFirst);

private:
  LoweringState &state;
  tile::ScanOp scan;
  int64_t lanes;
};

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_NESTS_H
