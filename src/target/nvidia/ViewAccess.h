//===- ViewAccess.h - addresses and predicates of one view access ---------===//

#ifndef TESELA_TARGET_NVIDIA_VIEWACCESS_H
#define TESELA_TARGET_NVIDIA_VIEWACCESS_H

#include "target/nvidia/AccessWidths.h"
#include "target/nvidia/Coordinates.h"

#include "layout/MemoryAccess.h"

namespace tesela::nvidia {

/// What an op that touches a view has converted its operands to.
struct ViewOperands {
  template <typename Adaptor>
  static ViewOperands of(Adaptor &adaptor) {
    return {adaptor.getBase(),    adaptor.getOffsets(),
            adaptor.getStrides(), adaptor.getBounds(),
            adaptor.getMask(),    adaptor.getBoundedAxes()};
  }

  mlir::Value base;
  mlir::ValueRange offsets, strides, bounds;
  mlir::Value mask;
  llvm::ArrayRef<int32_t> boundedAxes;
};

/// Both null where there is none.
mlir::Value conjunction(mlir::OpBuilder &b, mlir::Location loc, mlir::Value lhs,
                        mlir::Value rhs);

/// Where a thread's elements of a view are in global memory.
class ViewAccess {
public:
  /// `offsets` are those before the conversion, with types that have layouts.
  ViewAccess(mlir::OpBuilder &b, mlir::Location loc,
             const ThreadLowering &threads, const ViewOperands &view,
             mlir::ValueRange offsets, mlir::RankedTensorType type,
             const AccessWidth &width);

  const layout::VectorAccess &vectors() const { return vector; }
  Coordinates &positions() { return coordinates; }

  /// Of the element in a register.
  mlir::Value address(unsigned reg);
  /// The same, by a step from the last one that was asked for in this way:
  /// where there are many, a step is one register and they are several.
  mlir::Value nextAddress(unsigned reg);
  /// Null where all of it is inside.
  mlir::Value isInside(unsigned reg);

private:
  struct Limit {
    mlir::Value least, end;
  };

  bool isTile(unsigned axis);
  mlir::Value i64(int64_t value);
  mlir::Value wide(mlir::Value value);
  mlir::Value plus(mlir::Value lhs, mlir::Value rhs);
  mlir::Value times(mlir::Value value, unsigned axis);
  mlir::Value gep(mlir::Value pointer, mlir::LLVM::GEPArg offset);
  mlir::Value coordinateOf(unsigned axis, unsigned reg);
  mlir::Value moved(mlir::Value pointer, llvm::ArrayRef<int64_t> positions);
  void findStart();
  void findLimits();
  mlir::Value isInside(unsigned axis, size_t number, unsigned reg);

  mlir::OpBuilder &b;
  mlir::Location loc;
  ViewOperands view;
  mlir::ValueRange offsets;
  layout::LinearLayout layout;
  Coordinates coordinates;
  AccessWidth width;
  mlir::Type element;
  layout::VectorAccess vector;
  mlir::Value start;
  mlir::Value last;
  unsigned lastRegister = 0;
  llvm::SmallVector<Limit> limits;
  std::map<unsigned, std::optional<RegisterIndex>> offsetRegisters;
  llvm::DenseMap<std::pair<unsigned, int64_t>, mlir::Value> inside;
};

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_VIEWACCESS_H
