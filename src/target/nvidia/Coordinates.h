//===- Coordinates.h - which elements of a tile a thread holds ------------===//

#ifndef TESELA_TARGET_NVIDIA_COORDINATES_H
#define TESELA_TARGET_NVIDIA_COORDINATES_H

#include "target/nvidia/Threads.h"

#include <map>

namespace tesela::nvidia {

/// The number, along one axis or flat, of each element that the current thread
/// holds: the sum of a part that the thread's number gives and of one that the
/// register's gives. i32.
class Coordinates {
public:
  Coordinates(const ThreadLowering &lowering, mlir::OpBuilder &b,
              mlir::Location loc, const layout::LinearLayout &layout);

  /// Of register 0.
  mlir::Value ofThread(unsigned axis);
  /// What register `reg` has more.
  int64_t ofRegister(unsigned axis, unsigned reg) const;
  mlir::Value of(unsigned axis, unsigned reg);

  /// i1: whether this thread is the one, among those that hold the same
  /// elements, that is to write them; null where there are no others.
  mlir::Value isWriter();

private:
  const ThreadLowering &lowering;
  mlir::OpBuilder &b;
  mlir::Location loc;
  layout::LinearLayout layout;
  llvm::SmallVector<mlir::Value> threadParts;
};

/// From coordinates to the register that has them, in the thread whose number
/// adds nothing.
class RegisterIndex {
public:
  explicit RegisterIndex(const layout::LinearLayout &layout);
  int64_t at(const layout::Shape &coordinates) const {
    return registers.at(coordinates);
  }
  const std::map<layout::Shape, int64_t> &all() const { return registers; }

private:
  std::map<layout::Shape, int64_t> registers;
};

/// The value of a linear map at bits of `lane` and `warp`: `image(dim, bit)` is
/// what a bit stands for, and results add by XOR.
mlir::Value
emitLinear(mlir::OpBuilder &b, mlir::Location loc, mlir::Value lane,
           unsigned laneBits, mlir::Value warp, unsigned warpBits,
           llvm::function_ref<uint64_t(layout::Dim, unsigned)> image);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_COORDINATES_H
