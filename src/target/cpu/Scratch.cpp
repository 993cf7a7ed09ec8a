//===- Scratch.cpp - the memory that stored tiles share -------------------===//
//
// A buffer is needed from its first use to its last, taken in the innermost
// block that holds them all: what is only used within one iteration of a loop
// is dead between iterations, and what is used before a loop and in it lives
// through the whole loop. What an iteration reads first has come from the one
// before: the accumulators of a reduction, of whose results not all are used.
// What is kept for later instances is needed in all of the loop over them.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Scratch.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tesela::cpu {

Value Scratch::addressOf(Home *home) {
  if (home->pointer)
    return home->pointer;
  OpBuilder b(entry, entry->begin());
  auto address = LLVM::GEPOp::create(
      b, arena.getLoc(), arena.getType(), b.getI8Type(), arena,
      ArrayRef<LLVM::GEPArg>{int32_t(buffers.size())});
  buffers.push_back({home, address});
  home->pointer = address;
  return address;
}

/// The accesses through `address` or what is computed from it.
static SmallVector<Operation *> accessesThrough(Value address) {
  SmallVector<Operation *> accesses;
  SmallVector<Value> work{address};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    for (Operation *user : work.pop_back_val().getUsers()) {
      if (!seen.insert(user).second)
        continue;
      bool passesOn = user->getNumRegions() == 0 &&
                      user->getNumResults() == 1 && isMemoryEffectFree(user);
      if (passesOn)
        work.push_back(user->getResult(0));
      else
        accesses.push_back(user);
    }
  }
  return accesses;
}

/// The innermost block that holds all of them.
static Block *commonBlock(ArrayRef<Operation *> ops) {
  Block *block = ops.front()->getBlock();
  for (Operation *op : ops)
    while (!block->findAncestorOpInBlock(*op))
      block = block->getParentOp()->getBlock();
  return block;
}

int64_t Scratch::assignOffsets() {
  llvm::DenseMap<Operation *, std::pair<unsigned, unsigned>> spans;
  unsigned number = 0;
  entry->getParentOp()->walk([&](Operation *op, const WalkStage &stage) {
    if (stage.isBeforeAllRegions())
      spans[op].first = number++;
    if (stage.isAfterAllRegions())
      spans[op].second = number++;
  });

  for (Buffer &buffer : buffers) {
    SmallVector<Operation *> accesses = accessesThrough(buffer.address);
    if (accesses.empty())
      continue;
    Block *block = commonBlock(accesses);
    Operation *earliest =
        *llvm::min_element(accesses, [&](Operation *a, Operation *b) {
          return spans.lookup(a).first < spans.lookup(b).first;
        });
    if (buffer.home->isKept || (earliest->getBlock() == block &&
                                hasEffect<MemoryEffects::Read>(earliest)))
      block = entry;
    buffer.first = ~0u;
    for (Operation *access : accesses) {
      auto span = spans.lookup(block->findAncestorOpInBlock(*access));
      buffer.first = std::min(buffer.first, span.first);
      buffer.last = std::max(buffer.last, span.second);
    }
  }

  // Large ones first, each at the lowest offset where it meets no other that
  // is alive at the same time. A slack behind each large one keeps two of them
  // from agreeing modulo the 4096 bytes that loads and stores are compared by.
  SmallVector<Buffer *> order;
  for (Buffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::sort(order, [](Buffer *lhs, Buffer *rhs) {
    return std::pair(-lhs->home->bytes, lhs) <
           std::pair(-rhs->home->bytes, rhs);
  });
  auto sizeOf = [](Buffer *buffer) {
    int64_t slack = buffer->home->bytes >= 2048 ? 192 : 0;
    return int64_t(llvm::alignTo(buffer->home->bytes + slack, 64));
  };
  int64_t arenaBytes = 64;
  SmallVector<Buffer *> placed;
  for (Buffer *buffer : order) {
    SmallVector<Buffer *> rivals;
    for (Buffer *other : placed)
      if (other->first <= buffer->last && buffer->first <= other->last)
        rivals.push_back(other);
    llvm::sort(rivals, [](Buffer *lhs, Buffer *rhs) {
      return lhs->offset < rhs->offset;
    });
    for (Buffer *rival : rivals) {
      if (buffer->offset + sizeOf(buffer) <= rival->offset)
        break;
      buffer->offset = std::max(buffer->offset, rival->offset + sizeOf(rival));
    }
    placed.push_back(buffer);
    arenaBytes = std::max(arenaBytes, buffer->offset + sizeOf(buffer));
    buffer->address.setRawConstantIndices({int32_t(buffer->offset)});
  }
  return arenaBytes;
}

} // namespace tesela::cpu
