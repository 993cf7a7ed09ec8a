//===- Scratch.h - the memory that stored tiles share ---------------------===//

#ifndef TESELA_TARGET_CPU_SCRATCH_H
#define TESELA_TARGET_CPU_SCRATCH_H

#include "target/cpu/Plan.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tesela::cpu {

/// One arena. Buffers are named while code is written and get their offsets
/// when all of it is there.
class Scratch {
public:
  /// Addresses are computed at the start of `entry`, from `arena`.
  Scratch(mlir::Block *entry, mlir::Value arena) : entry(entry), arena(arena) {}

  /// The address of a home.
  mlir::Value addressOf(Home *home);

  /// The arena itself: readable wherever nothing in particular is read.
  mlir::Value anyAddress() const { return arena; }

  /// Where addresses are computed.
  mlir::Block *entryBlock() const { return entry; }

  /// Lets homes whose contents are never needed at the same time share bytes.
  /// Gives the size of the arena.
  int64_t assignOffsets();

private:
  struct Buffer {
    Home *home;
    mlir::LLVM::GEPOp address;
    unsigned first = 0;
    unsigned last = 0;
    int64_t offset = 0;
  };

  mlir::Block *entry;
  mlir::Value arena;
  std::vector<Buffer> buffers;
};

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_SCRATCH_H
