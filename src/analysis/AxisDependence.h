//===- AxisDependence.h - along which axes the elements of a tile differ --===//

#ifndef TESELA_ANALYSIS_AXISDEPENDENCE_H
#define TESELA_ANALYSIS_AXISDEPENDENCE_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>

namespace mlir {
class Operation;
} // namespace mlir

namespace tesela::analysis {

/// Whether `op` computes each element of its result from the elements at the
/// same position, and from scalars, and does nothing else.
bool isElementwise(mlir::Operation *op);

/// The axes of `mlir::Value`s, found once each.
class AxisDependence {
public:
  /// Bit d is set where elements at different positions along axis d may
  /// differ. A scalar, like a splat, depends on no axis.
  uint64_t get(mlir::Value tile);

private:
  uint64_t compute(mlir::Value tile);

  llvm::DenseMap<mlir::Value, uint64_t> memo;
  unsigned depth = 0;
};

} // namespace tesela::analysis

#endif // TESELA_ANALYSIS_AXISDEPENDENCE_H
