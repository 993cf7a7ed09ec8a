//===- LowerDot.cpp - matrix products in register blocks ------------------===//
//
//   %r = tile.dot %a, %b, %c
//     ==>                                    (6 rows of 2 vectors, say)
//   for %j = 0 to N step 16 {
//     for %i = 0 to M step 6 {
//       %acc:12 = slices of %c
//       %sum:12 = for %k = 0 to K step 4 iter_args(%acc) {
//         %b0, %b1 = load %b[%k, %j ..], load %b[%k, %j + 8 ..]
//         %a0 = broadcast (load %a[%i, %k]) ...
//         %acc00 = fma %a0, %b0, %acc00 ...
//       }
//       store %sum, %r[%i .., %j ..]
//     }
//   }
//
// The accumulators stay in registers over the whole of K; the column block of
// the right operand stays in the nearest cache over the rows.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Nests.h"
#include "target/cpu/Pointwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tesela::cpu {
namespace {

/// `count` blocks of `size` from `start` on.
struct Chunk {
  int64_t start;
  int64_t count;
  int64_t size;
  /// Of columns: how many elements a vector has; 0 for scalars.
  int64_t lanes = 0;
  int64_t vectors = 1;
};

class DotEmitter {
public:
  DotEmitter(LoweringState &state, tile::DotOp dot, Value depth)
      : state(state), dot(dot), slices(state), b(state.b), loc(dot.getLoc()),
        left(state.plan.dotOperand(dot, 0)),
        right(state.plan.dotOperand(dot, 1)),
        target(state.plan.homeOf(dot.getResult())),
        compute(dotComputeType(dot.getType().getElementType())) {
    ArrayRef<int64_t> shape = shapeOf(dot.getResult());
    rows = shape[shape.size() - 2];
    columns = shape.back();
    int64_t ownDepth = shapeOf(dot.getA()).back();
    unroll = ownDepth % 4 == 0 ? 4 : ownDepth % 2 == 0 ? 2 : 1;
    this->depth = depth ? depth : state.index(ownDepth);
  }

  void run();

private:
  SmallVector<Chunk> columnChunks() const;
  SmallVector<Chunk> rowChunks(int64_t vectors) const;
  void forEach(const Chunk &chunk, function_ref<void(Value)> body);
  void block(Value row, const Chunk &height, Value column, const Chunk &width);
  Value multiplyAdd(Value lhs, Value rhs, Value sum);
  Value at(Home *home, Value row, Value column);

  LoweringState &state;
  tile::DotOp dot;
  Slices slices;
  OpBuilder &b;
  Location loc;
  Home *left, *right, *target;
  Type compute;
  int64_t rows, columns, unroll;
  Value depth;
  Value batch;
};

SmallVector<Chunk> DotEmitter::columnChunks() const {
  int64_t lanes =
      std::max<int64_t>(state.options.vectorBytes / storedBytes(compute), 1);
  bool isLarge =
      state.options.vectorRegisters >= 32 && state.options.vectorBytes >= 64;
  int64_t most = isLarge ? 4 : 2;
  SmallVector<Chunk> chunks;
  int64_t start = 0;
  while (start < columns) {
    int64_t rest = columns - start;
    while (lanes > rest)
      lanes /= 2;
    int64_t vectors = std::min(most, rest / lanes);
    int64_t size = vectors * lanes;
    chunks.push_back(
        {start, rest / size, size, lanes == 1 ? 0 : lanes, vectors});
    start += rest / size * size;
  }
  return chunks;
}

/// As many rows as leave some registers free; at the end rather two blocks of
/// middle height than a full and a flat one.
SmallVector<Chunk> DotEmitter::rowChunks(int64_t vectors) const {
  bool isLarge = state.options.vectorRegisters >= 32;
  int64_t most = isLarge ? (vectors == 4 ? 4 : 8) : (vectors == 2 ? 6 : 8);
  int64_t full = rows / most, rest = rows % most;
  SmallVector<Chunk> chunks;
  auto push = [&](int64_t start, int64_t count, int64_t size) {
    if (count)
      chunks.push_back({start, count, size});
  };
  int64_t lower = most - 2;
  if (rest && rest < most / 2)
    for (int64_t count = full; count >= 0; --count)
      if ((rows - count * most) % lower == 0) {
        push(0, count, most);
        push(count * most, (rows - count * most) / lower, lower);
        return chunks;
      }
  push(0, full, most);
  push(full * most, rest ? 1 : 0, rest);
  return chunks;
}

/// Calls `body` with the start of each block, in a loop where there are
/// several.
void DotEmitter::forEach(const Chunk &chunk, function_ref<void(Value)> body) {
  slices.insertAt(slices.currentLevel());
  if (chunk.count == 1) {
    body(state.index(chunk.start));
    return;
  }
  auto loop =
      scf::ForOp::create(b, loc, state.index(chunk.start),
                         state.index(chunk.start + chunk.count * chunk.size),
                         state.index(chunk.size));
  slices.enter(loop.getBody());
  slices.insertAt(slices.currentLevel());
  body(loop.getInductionVar());
  slices.leave();
}

Value DotEmitter::multiplyAdd(Value lhs, Value rhs, Value sum) {
  if (isa<IntegerType>(compute)) {
    Value product = arith::MulIOp::create(b, loc, lhs, rhs);
    return arith::AddIOp::create(b, loc, product, sum);
  }
  return LLVM::FMulAddOp::create(b, loc, lhs, rhs, sum);
}

/// The address of an element of an operand.
Value DotEmitter::at(Home *home, Value row, Value column) {
  SmallVector<Value> index;
  if (batch)
    index.push_back(batch);
  index.push_back(row);
  index.push_back(column);
  Value offset = state.index(0);
  for (auto [position, stride] : llvm::zip(index, home->strides))
    offset = slices.add(
        offset, slices.multiply(position, state.index(stride), loc), loc);
  return LLVM::GEPOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()),
                             home->element, state.scratch.addressOf(home),
                             ArrayRef<LLVM::GEPArg>{offset});
}

void DotEmitter::block(Value row, const Chunk &height, Value column,
                       const Chunk &width) {
  auto sliceAt = [&](int64_t r, int64_t v) {
    Slice slice;
    if (batch)
      slice.index.push_back(batch);
    slice.index.push_back(slices.add(row, state.index(r), loc));
    slice.index.push_back(
        slices.add(column, state.index(v * width.lanes), loc));
    if (width.lanes) {
      slice.axis = int(slice.index.size()) - 1;
      slice.lanes = width.lanes;
    }
    return slice;
  };

  SmallVector<Slice> places;
  SmallVector<Value> accumulators;
  for (int64_t r = 0; r < height.size; ++r)
    for (int64_t v = 0; v < width.vectors; ++v) {
      slices.insertAt(slices.currentLevel());
      places.push_back(sliceAt(r, v));
      Value value = slices.evaluate(dot.getAcc(), places.back());
      if (!value)
        return;
      slices.insertAt(slices.currentLevel());
      value = spread(b, loc, value, width.lanes);
      if (isa<FloatType>(compute))
        value = convertFloat(b, loc, value, compute);
      accumulators.push_back(value);
    }

  // The few rows that are left over are not worth the code.
  int64_t steps = height.count * height.size * 8 <= rows ? 1 : unroll;
  auto loop = scf::ForOp::create(b, loc, state.index(0), depth,
                                 state.index(steps), accumulators);
  b.setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> sums(loop.getRegionIterArgs());
  unsigned alignment = storedBytes(compute);
  Type vector = sliceType(compute, width.lanes);
  for (int64_t step = 0; step < steps; ++step) {
    Value k = slices.add(loop.getInductionVar(), state.index(step), loc);
    SmallVector<Value> rightSlices;
    for (int64_t v = 0; v < width.vectors; ++v) {
      Value from = slices.add(column, state.index(v * width.lanes), loc);
      rightSlices.push_back(
          LLVM::LoadOp::create(b, loc, vector, at(right, k, from), alignment));
    }
    for (int64_t r = 0; r < height.size; ++r) {
      Value i = slices.add(row, state.index(r), loc);
      Value element =
          LLVM::LoadOp::create(b, loc, compute, at(left, i, k), alignment);
      element = spread(b, loc, element, width.lanes);
      for (int64_t v = 0; v < width.vectors; ++v) {
        Value &sum = sums[r * width.vectors + v];
        sum = multiplyAdd(element, rightSlices[v], sum);
      }
    }
  }
  scf::YieldOp::create(b, loc, sums);

  for (auto [slice, value] : llvm::zip(places, loop.getResults())) {
    slices.insertAt(slices.currentLevel());
    slices.writeHome(target, slice, value, loc);
  }
}

void DotEmitter::run() {
  OpBuilder::InsertionGuard guard(b);
  Chunk batches{
      0, dot.getType().getRank() == 3 ? dot.getType().getDimSize(0) : 1, 1};
  forEach(batches, [&](Value index) {
    if (dot.getType().getRank() == 3)
      batch = index;
    for (const Chunk &width : columnChunks())
      forEach(width, [&](Value column) {
        for (const Chunk &height : rowChunks(width.vectors))
          forEach(height,
                  [&](Value row) { block(row, height, column, width); });
      });
  });
}

} // namespace

void lowerDot(LoweringState &state, Operation *op, Value depth) {
  DotEmitter(state, cast<tile::DotOp>(op), depth).run();
}

} // namespace tesela::cpu
