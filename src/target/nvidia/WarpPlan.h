//===- WarpPlan.h - what the producer copies and which dots eat it --------===//

#ifndef TESELA_TARGET_NVIDIA_WARPPLAN_H
#define TESELA_TARGET_NVIDIA_WARPPLAN_H

#include "dialect/gpu/Gpu.h"
#include "target/nvidia/BulkCopies.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <vector>

namespace tesela::nvidia {

/// How the warpgroups share a product.
struct WarpgroupGrid {
  unsigned rows = 1;
  unsigned columns = 1;
};

/// Rows first, while each has 64 of them.
WarpgroupGrid warpgroupGrid(llvm::ArrayRef<int64_t> acc, unsigned numWarps);

/// Loads of one block that live equally long: a slot of one ring has them all.
struct SlotGroup {
  llvm::SmallVector<tile::ViewLoadOp> loads;
  llvm::SmallVector<BulkCopy> copies;
  llvm::SmallVector<mlir::Type> parts;
  llvm::SetVector<mlir::Operation *> dots;
  unsigned ring = 0;

  mlir::Block *block() const { return first()->getBlock(); }
  mlir::Operation *first() const {
    tile::ViewLoadOp load = loads.front();
    return load;
  }
};

struct RingPlan {
  llvm::SmallVector<mlir::Type> parts;
  int64_t slots = 1;
};

/// How the factors of a dot are put into shared memory that no copy brings;
/// null for those that are there, or stay in registers.
struct StagedFactors {
  gpu::StagedType a, b;
  /// Whose memory they may have, since it is not used where the dot is run.
  std::optional<unsigned> ring;

  int64_t offsetOfB() const;
  int64_t bytes() const;
};

struct WarpPlan {
  std::vector<SlotGroup> groups;
  std::vector<RingPlan> rings;
  /// The dots that become asynchronous products.
  llvm::SetVector<mlir::Operation *> dots;
  llvm::DenseMap<mlir::Operation *, StagedFactors> staged;
  /// Of the producer.
  unsigned warps = 1;
  /// Of a thread of the producer and of the consumers; empty where all have
  /// equally many.
  llvm::SmallVector<int32_t> registers;

  const SlotGroup *groupOf(tile::ViewLoadOp load) const;
};

/// The load behind a factor of a dot, and whether the dot takes it transposed.
struct FactorSource {
  tile::ViewLoadOp load;
  bool isTransposed = false;
};
FactorSource factorSource(mlir::Value factor);
/// The uses of a load by dots, through transpositions; false where there are
/// others.
bool collectUses(mlir::Value tile,
                 llvm::SmallVectorImpl<mlir::OpOperand *> &uses);
/// The contiguous axis of what a factor is loaded from, if it is loaded.
std::optional<unsigned> loadedAlong(mlir::Value factor);
/// Of the parts, with what aligns them.
int64_t slotBytes(llvm::ArrayRef<mlir::Type> parts);
/// Of shared memory that reductions borrow, and beside these the largest tile
/// that the kernel stores.
inline constexpr int64_t reductionBytes = 4096;
int64_t largestStoredBytes(mlir::func::FuncOp kernel);
/// Whether all ops of the block from its first to `last`, and those inside
/// them, are such.
bool areAllUntil(mlir::Operation *last,
                 llvm::function_ref<bool(mlir::Operation *)> isSuch);

/// Loops whose products stay under way into the next iteration: all that is
/// done with their results is to add to them.
bool keepsProductsUnderWay(mlir::scf::ForOp loop, const WarpPlan &plan);

struct WarpOptions {
  unsigned numWarps = 4;
  unsigned numStages = 3;
  /// Remark on loads and dots that are left alone.
  bool explain = false;
};

class WarpPlanner {
public:
  WarpPlanner(mlir::func::FuncOp kernel, const WarpOptions &options,
              Preconditions &preconditions)
      : kernel(kernel), options(options), preconditions(preconditions) {}

  /// Without groups where the kernel stays as it is.
  WarpPlan plan();

private:
  struct Part {
    BulkCopy copy;
    int64_t swizzle;
  };
  bool isProduct(tile::DotOp dot);
  bool mayFeed(tile::ViewLoadOp load, const BulkCopy &copy, int64_t &swizzle);
  bool refuse(mlir::Operation *op, llvm::StringRef reason);
  void findDots();
  void findLoads();
  void stageOthers(llvm::ArrayRef<mlir::Operation *> products);
  gpu::StagedType stagedType(tile::DotOp dot, unsigned factor);
  void group();
  void assignRings();
  void shareMemory();
  int64_t wantedRegisters();
  int64_t residentsByRegisters();
  mlir::scf::ForOp loopOfProducts();
  bool chooseSlots();
  void shareRegisters();

  mlir::func::FuncOp kernel;
  WarpOptions options;
  Preconditions &preconditions;
  analysis::Congruences congruences;
  llvm::MapVector<mlir::Operation *, Part> parts;
  WarpPlan result;
};

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_WARPPLAN_H
