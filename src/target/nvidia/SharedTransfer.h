//===- SharedTransfer.h - registers to and from shared memory -------------===//

#ifndef TESELA_TARGET_NVIDIA_SHAREDTRANSFER_H
#define TESELA_TARGET_NVIDIA_SHAREDTRANSFER_H

#include "layout/MemoryAccess.h"
#include "target/nvidia/Threads.h"

namespace tesela::nvidia {

/// Moves a tile between a thread's registers, in `layout`, and shared memory,
/// in `memory` (from offsets to coordinates, one for each element), whose first
/// byte is at `base`. Elements take whole bytes there: an i1 takes one.
void storeShared(const ThreadLowering &lowering, mlir::OpBuilder &b,
                 mlir::Location loc, mlir::Value registers,
                 const layout::LinearLayout &layout,
                 const layout::LinearLayout &memory, mlir::Value base);
mlir::Value loadShared(const ThreadLowering &lowering, mlir::OpBuilder &b,
                       mlir::Location loc, mlir::VectorType type,
                       const layout::LinearLayout &layout,
                       const layout::LinearLayout &memory, mlir::Value base);

/// A buffer into which `storeMatrices` puts what `source` has in registers, and
/// from which `target` reads 16 bytes at a time; nothing where there is none.
std::optional<layout::LinearLayout>
matrixBuffer(const ThreadLowering &lowering, const layout::LinearLayout &source,
             const layout::LinearLayout &target, mlir::Type element);
/// As `storeShared`, for memory that `matrixBuffer` has found.
void storeMatrices(const ThreadLowering &lowering, mlir::OpBuilder &b,
                   mlir::Location loc, mlir::Value registers,
                   const layout::LinearLayout &layout,
                   const layout::LinearLayout &memory, mlir::Value base);

/// Bytes of one element in shared memory.
int64_t sharedBytes(mlir::Type element);

/// Of a staged tile's first byte.
inline constexpr int64_t stagedAlignment = 1024;

/// How a staged tile lies in its memory.
layout::LinearLayout memoryOf(gpu::StagedType type);

/// Addresses whose distance from `base`, in bytes, is what the thread's number
/// gives, linearly, xor a constant.
class SharedAddress {
public:
  /// `image` is what a bit of the lane's or warp's number gives; `layout` says
  /// how many there are. Bits that `base` is known not to have are those below
  /// `alignment`.
  SharedAddress(const ThreadLowering &lowering, mlir::OpBuilder &b,
                mlir::Location loc, mlir::Value base,
                const layout::LinearLayout &layout,
                llvm::function_ref<uint64_t(layout::Dim, unsigned)> image,
                uint64_t alignment = 1);

  mlir::Value at(uint64_t constant);

private:
  mlir::Value gep(mlir::Value pointer, mlir::LLVM::GEPArg offset);
  mlir::Value mixed(uint64_t constant);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value base, thread, threadAddress;
  uint64_t alignment, threadBits = 0;
};

/// What `storeMatrices` does, one instruction after the other.
class MatrixStores {
public:
  MatrixStores(const ThreadLowering &lowering, mlir::OpBuilder &b,
               mlir::Location loc, mlir::Value registers,
               const layout::LinearLayout &layout,
               const layout::LinearLayout &memory, mlir::Value base);

  unsigned count() const;
  /// What the number of an instruction adds (xor) to where a thread's rows go,
  /// in elements.
  uint64_t offset(unsigned number) const;
  void emit(unsigned number);
  /// With another offset, and so many bytes beyond it.
  void emit(unsigned number, uint64_t offset, int64_t beyond);

private:
  static constexpr uint64_t elementBytes = 2;

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value registers;
  layout::MatrixAccess access;
  SharedAddress addresses;
};

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_SHAREDTRANSFER_H
