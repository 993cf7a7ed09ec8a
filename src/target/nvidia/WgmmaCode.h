//===- WgmmaCode.h - asynchronous products as instructions ----------------===//

#ifndef TESELA_TARGET_NVIDIA_WGMMACODE_H
#define TESELA_TARGET_NVIDIA_WGMMACODE_H

#include "target/nvidia/DeviceCode.h"
#include "target/nvidia/Threads.h"
#include "target/nvidia/WarpPlan.h"

namespace tesela::nvidia {

/// How a product becomes instructions of 64 rows, `columns` columns and 32
/// bytes of depth, for each warpgroup.
struct WgmmaTiling {
  WarpgroupGrid grid;
  int64_t rowBlocks = 1;
  int64_t columnBlocks = 1;
  int64_t columns = 8;
  int64_t steps = 1;
  /// Of a factor's element.
  int64_t elementBits = 16;

  /// Null where the accumulator has another layout.
  static std::optional<WgmmaTiling> of(mlir::RankedTensorType acc,
                                       int64_t depth, int64_t elementBits,
                                       unsigned numWarps);
  int64_t accRegisters() const { return columns / 2; }
};

/// Where a factor in shared memory lies, as the instructions want it told.
class FactorDescriptor {
public:
  /// `first` is the row (of the second factor: the column) with which the
  /// warpgroup's part begins, or null for 0.
  FactorDescriptor(DeviceCode &code, gpu::StagedType type, bool isFirst,
                   mlir::Value address, mlir::Value warpgroup,
                   int64_t perWarpgroup);

  /// Of an instruction's part: from row or column `across`, at depth step.
  mlir::Value at(int64_t across, int64_t step);
  /// Contiguous along the depth.
  bool isDepthMajor() const { return alongDepth; }

private:
  int64_t offset(int64_t across, int64_t step) const;

  DeviceCode &code;
  gpu::StagedType type;
  bool alongDepth;
  mlir::Value base;
};

/// `x, y, .. = text(x, y, ..)` for registers that an instruction changes in
/// place: `$0` .. are the registers, the others follow.
llvm::SmallVector<mlir::Value>
ptxInPlace(DeviceCode &code, llvm::StringRef text, mlir::ValueRange registers,
           llvm::StringRef constraints = "", mlir::ValueRange operands = {});

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_WGMMACODE_H
