//===- Threads.h - what patterns of lower-threads build with --------------===//
//
// A kernel's threads are those of its consumers, numbers 0 up to 32 times
// `num_warps`, and after them those of the producer, if there is one.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_TARGET_NVIDIA_THREADS_H
#define TESELA_TARGET_NVIDIA_THREADS_H

#include "dialect/gpu/Gpu.h"
#include "layout/LinearLayout.h"
#include "target/nvidia/AccessWidths.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tesela::nvidia {

/// The layout of a tile's type, and the attribute of a layout.
layout::LinearLayout layoutOf(mlir::RankedTensorType type);
gpu::LayoutAttr attributeOf(mlir::MLIRContext *context,
                            const layout::LinearLayout &layout);
mlir::RankedTensorType withLayout(mlir::RankedTensorType type,
                                  const layout::LinearLayout &layout);

/// Offsets into the block's dynamic shared memory, whose symbol is
/// `@shared_memory`. What is kept never moves; what is lent is used by one op
/// at a time, between barriers of its own.
class SharedMemory {
public:
  int64_t keep(int64_t bytes, int64_t alignment);
  /// Grows the region that ops lend in turn; its offset is known at the end.
  void lend(int64_t bytes, int64_t alignment = 128) {
    lent = std::max(lent, bytes);
    lentAlignment = std::max(lentAlignment, alignment);
  }
  /// What is kept here is not used any more when ops begin to lend.
  void offer(int64_t offset, int64_t bytes);
  /// Where the region that is lent begins.
  int64_t lentOffset() const;
  /// Of all.
  int64_t bytes() const;

private:
  int64_t kept = 0;
  int64_t lent = 0, lentAlignment = 1;
  int64_t offered = 0, offeredBytes = 0;
};

/// On a kernel: an i64, the bytes of dynamic shared memory of a block.
inline constexpr llvm::StringLiteral sharedBytesAttr = "tgpu.shared_bytes";
/// On a kernel: an i64, the same in launches of more blocks than run at one
/// time.
inline constexpr llvm::StringLiteral crowdedBytesAttr = "tgpu.crowded_bytes";
/// On a kernel: an i32, how many warps there are besides the consumers.
inline constexpr llvm::StringLiteral producerWarpsAttr = "tgpu.producer_warps";
/// On a `tile.dot` that is done by `mma.sync`.
inline constexpr llvm::StringLiteral mmaAttr = "tgpu.mma";

/// How the consumers of a kernel use a ring.
struct RingUse {
  /// Each slot is released in the block that takes it, before another is taken.
  bool isPaired = false;
  /// Which thread of a warpgroup speaks for it.
  unsigned speaker = 0;
  /// Not where slots are known by their numbers.
  bool hasBarriers = true;
};
llvm::DenseMap<mlir::Operation *, RingUse> findRingUses(mlir::func::FuncOp);

/// Lowering of one kernel.
class ThreadLowering {
public:
  ThreadLowering(mlir::func::FuncOp kernel, unsigned numWarps,
                 unsigned capability);

  mlir::func::FuncOp kernel;
  unsigned numWarps;
  /// 90 of sm_90a.
  unsigned capability;
  SharedMemory shared;
  /// Whether others than the consumers fill rings.
  bool hasProducer = true;
  /// Of a kernel that is tight on registers, the loads of what it never writes.
  llvm::DenseSet<mlir::Operation *> lateLoads;
  /// Whether ops lend memory only when all rings have been used.
  bool lendsRings = false;
  /// Of the kernel's accesses to views.
  llvm::DenseMap<mlir::Operation *, AccessWidth> accessWidths;
  /// By `tgpu.alloc_ring`.
  llvm::DenseMap<mlir::Operation *, RingUse> ringUses;

  /// i32: of the thread in the block, of the lane in the warp, and of the warp.
  mlir::Value thread() const { return threadNumber; }
  mlir::Value lane() const { return laneNumber; }
  mlir::Value warp() const { return warpNumber; }
  /// i32: of the warpgroup, known to be the same in all its threads.
  mlir::Value warpgroup(mlir::OpBuilder &b, mlir::Location loc) const;
  /// Waits for all threads of the consumers, or those of the warpgroup.
  void barrier(mlir::OpBuilder &b, mlir::Location loc) const;
  void warpgroupBarrier(mlir::OpBuilder &b, mlir::Location loc) const;
  /// `!llvm.ptr<3>` at an offset of what is kept, or of what is lent.
  mlir::Value keptAddress(mlir::OpBuilder &b, mlir::Location loc,
                          int64_t offset) const;
  mlir::Value lentAddress(mlir::OpBuilder &b, mlir::Location loc,
                          int64_t offset = 0) const;

  /// When all is lowered: gives lent memory its place, and the kernel the
  /// attributes that say how it is launched.
  void finish();

private:
  mlir::Value threadNumber, laneNumber, warpNumber;
};

/// Tiles with a layout as `vector<RxT>`, floats of 8 bits as bytes, pointers as
/// `!llvm.ptr<1>`, tiles of pointers as `vector<Rxi64>`, tensor maps as
/// `!llvm.ptr`, staged tiles as the address of their first byte,
/// `!llvm.ptr<3>`.
class ThreadTypes : public mlir::TypeConverter {
public:
  ThreadTypes();
};

/// A pattern that knows the threads it writes code for.
template <typename Op>
class ThreadPattern : public mlir::OpConversionPattern<Op> {
public:
  ThreadPattern(const ThreadTypes &types, mlir::MLIRContext *context,
                ThreadLowering &threads)
      : mlir::OpConversionPattern<Op>(types, context), threads(threads) {}

protected:
  ThreadLowering &threads;
};

// Patterns, a file each.
void addPointwisePatterns(mlir::RewritePatternSet &, ThreadTypes &,
                          ThreadLowering &);
void addShapePatterns(mlir::RewritePatternSet &, ThreadTypes &,
                      ThreadLowering &);
void addMemoryPatterns(mlir::RewritePatternSet &, ThreadTypes &,
                       ThreadLowering &);
void addAtomicPatterns(mlir::RewritePatternSet &, ThreadTypes &,
                       ThreadLowering &);
void addReducePatterns(mlir::RewritePatternSet &, ThreadTypes &,
                       ThreadLowering &);
void addScanPatterns(mlir::RewritePatternSet &, ThreadTypes &,
                     ThreadLowering &);
void addConvertPatterns(mlir::RewritePatternSet &, ThreadTypes &,
                        ThreadLowering &);
void addDotPatterns(mlir::RewritePatternSet &, ThreadTypes &, ThreadLowering &);
void addMmaPatterns(mlir::RewritePatternSet &, ThreadTypes &, ThreadLowering &);
void addCopyPatterns(mlir::RewritePatternSet &, ThreadTypes &,
                     ThreadLowering &);
void addRingPatterns(mlir::RewritePatternSet &, ThreadTypes &,
                     ThreadLowering &);
void addBulkStorePatterns(mlir::RewritePatternSet &, ThreadTypes &,
                          ThreadLowering &);
void addStagedPatterns(mlir::RewritePatternSet &, ThreadTypes &,
                       ThreadLowering &);
void addWgmmaPatterns(mlir::RewritePatternSet &, ThreadTypes &,
                      ThreadLowering &);

/// A scalar that thread 0 has, to all threads; with barriers.
mlir::Value fromFirstThread(mlir::OpBuilder &b, mlir::Location loc,
                            ThreadLowering &threads, mlir::Value value);

/// Where a part begins in a slot, in bytes; a slot has as many as one part more
/// would begin at.
int64_t partOffset(gpu::RingType ring, size_t part);
/// Where the memory of a ring begins.
mlir::Value ringAddress(mlir::OpBuilder &b, mlir::Location loc,
                        const ThreadLowering &, mlir::Value ring);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_THREADS_H
