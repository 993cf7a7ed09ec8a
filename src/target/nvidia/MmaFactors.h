//===- MmaFactors.h - the factors of mma.sync as 32-bit registers ---------===//

#ifndef TESELA_TARGET_NVIDIA_MMAFACTORS_H
#define TESELA_TARGET_NVIDIA_MMAFACTORS_H

#include "target/nvidia/Threads.h"

#include "layout/Fragments.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <memory>

namespace tesela::nvidia {

/// One instruction: 16 rows, 8 columns and 32 bytes of depth.
struct MmaInstruction {
  explicit MmaInstruction(mlir::Type element);

  /// Elements along the depth, and in a register.
  int64_t depth, packed;
  mlir::NVVM::MMATypes type;
  /// Of a register.
  mlir::Type word;
};

/// A factor of a product, as the registers that instructions take.
class MmaFactor {
public:
  virtual ~MmaFactor() = default;
  /// The register with the element at a position, in the thread whose number
  /// adds nothing, and its neighbours along the depth. What is asked for first
  /// is read first.
  virtual mlir::Value word(const layout::Shape &position) = 0;

  static std::unique_ptr<MmaFactor> inRegisters(mlir::OpBuilder &b,
                                                mlir::Location loc,
                                                const layout::LinearLayout &,
                                                mlir::Value registers,
                                                unsigned depthAxis);
  /// `fragment` is the layout that the factor would have in registers.
  static std::unique_ptr<MmaFactor>
  inShared(const ThreadLowering &threads, mlir::OpBuilder &b,
           mlir::Location loc, const layout::LinearLayout &fragment,
           gpu::StagedType type, mlir::Value address, unsigned depthAxis);
};

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_MMAFACTORS_H
