//===- Streaming.cpp - stores past the caches -----------------------------===//
//
//   llvm.store %x, %p : vector<32xf32>
//     ==>
//   %bytes = %instances * (bytes of the tile) * (turns of the loops around)
//   %much = %bytes >= (what caches keep)          in front of the nest
//   %streams = %much and %row is aligned          once a row
//   scf.if %streams { llvm.store nontemporal %x, %p } else { llvm.store %x, %p
//   }
//
// A store to memory that no cache holds reads the line first, unless it is told
// that nobody is going to look at it soon. Of a result that is larger than the
// caches that is so: a fifth of the time of a sum of large vectors. Results of
// twice the caches' size were faster through them. How large one is, only the
// launch knows. What is stored is the same.
//
// Not for memory that the kernel reads, too: it is in a cache already.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Streaming.h"

#include "analysis/MemoryDependence.h"
#include "target/cpu/Pointwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tesela::analysis;

namespace tesela::cpu {

/// Shorter rows leave cache lines half written.
static constexpr int64_t shortestRow = 256;

/// Rows of so many bytes that are read before they are written gain even where
/// the caches would keep a part of the result: memory is read for a while, and
/// then written for a while.
static constexpr int64_t longRow = 4096;

static bool isReadToo(tile::ViewStoreOp store) {
  BlockArgument root = accessRoot(store);
  auto kernel = store->getParentOfType<func::FuncOp>();
  auto reads = [&](Operation *op) {
    return isa<tile::LoadOp, tile::ViewLoadOp>(op) &&
           (!root || accessRoot(op) == root);
  };
  return kernel
      .walk([&](Operation *op) {
        return reads(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a row is read as a whole before any of it is written: what is
/// written depends on what is combined of it.
static bool comesAfterReduction(tile::ViewStoreOp store) {
  SmallVector<Value> work{store.getValue()};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(value).second)
      continue;
    if (isa<tile::ReduceOp>(op))
      return true;
    llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// How often a loop runs, about.
static Value turnsOf(LoweringState &state, scf::ForOp loop) {
  OpBuilder &b = state.b;
  Location loc = loop.getLoc();
  auto widen = [&](Value value) -> Value {
    value = state.scalars.lookup(value);
    if (value.getType().isIndex())
      return arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
    if (value.getType().isInteger(64))
      return value;
    return arith::ExtSIOp::create(b, loc, b.getI64Type(), value);
  };
  Value distance = b.createOrFold<arith::SubIOp>(
      loc, widen(loop.getUpperBound()), widen(loop.getLowerBound()));
  Value step = b.createOrFold<arith::MaxSIOp>(loc, widen(loop.getStep()),
                                              state.index(1));
  return b.createOrFold<arith::DivSIOp>(loc, distance, step);
}

Value writesMuch(LoweringState &state, tile::ViewStoreOp store) {
  ArrayRef<int64_t> shape = shapeOf(store.getValue());
  int64_t bytes =
      storedBytes(movedType(store.getBase().getType().getPointee()));
  bool isAffine = llvm::none_of(store.getOffsets(),
                                [](Value offset) { return isTile(offset); });
  if (shape.back() * bytes < shortestRow || !isAffine || isReadToo(store))
    return {};
  uint64_t kept = state.options.cacheBytes;
  if (shape.back() * bytes >= longRow && comesAfterReduction(store))
    kept = std::max<uint64_t>(kept / 4, 1);
  for (int64_t extent : shape)
    bytes *= extent;
  OpBuilder &b = state.b;
  Location loc = store.getLoc();
  Value tiles = state.instanceCount;
  int64_t fewest = llvm::divideCeil(kept, uint64_t(bytes));
  int64_t from = fewest;
  for (Operation *op = store->getParentOp(); !isa<func::FuncOp>(op);
       op = op->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      Value turns = turnsOf(state, loop);
      tiles = arith::MulIOp::create(b, loc, tiles, turns);
    }
    from = 0;
  }
  state.streamedFrom = std::min(state.streamedFrom.value_or(from), from);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, tiles,
                               state.index(fewest));
}

void storeOrStream(OpBuilder &b, Location loc, Value value, Value pointer,
                   unsigned alignment, Value streams) {
  auto branch = scf::IfOp::create(b, loc, streams, /*withElseRegion=*/true);
  OpBuilder past = branch.getThenBodyBuilder();
  LLVM::StoreOp::create(past, loc, value, pointer, unsigned(streamedAlignment),
                        /*isVolatile=*/false, /*isNonTemporal=*/true);
  OpBuilder plain = branch.getElseBodyBuilder();
  LLVM::StoreOp::create(plain, loc, value, pointer, alignment);
}

void fenceStreams(LoweringState &state) {
  if (!state.streamedFrom)
    return;
  OpBuilder &b = state.b;
  Location loc = state.instanceCount.getLoc();
  Value isLarge = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                        state.instanceCount,
                                        state.index(*state.streamedFrom));
  auto branch = scf::IfOp::create(b, loc, isLarge, /*withElseRegion=*/false);
  OpBuilder inside = branch.getThenBodyBuilder();
  LLVM::FenceOp::create(inside, loc, LLVM::AtomicOrdering::seq_cst,
                        StringRef());
}

} // namespace tesela::cpu
