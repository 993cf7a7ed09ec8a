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
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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
        target(state.plan.homeOf(dot.getResult())),
        compute(dotComputeType(dot.getType().getElementType())),
        isPaired(isPairedDot(state.options, dot)),
        element(isPaired ? Type(b.getIntegerType(16)) : movedType(compute)),
        left(operand(0)), right(operand(1)) {
    ArrayRef<int64_t> shape = shapeOf(dot.getResult());
    rows = shape[shape.size() - 2];
    columns = shape.back();
    int64_t ownDepth = shapeOf(dot.getA()).back();
    unroll = ownDepth % 4 == 0 ? 4 : ownDepth % 2 == 0 ? 2 : 1;
    this->depth = depth ? depth : state.index(ownDepth);
  }

  void run();

private:
  /// A matrix in memory.
  struct Operand {
    Value pointer;
    /// From row to row, from column to column or panel to panel, and from
    /// matrix to matrix.
    Value rowStride;
    int64_t columnStride = 1;
    int64_t batchStride = 0;
  };

  Operand operand(unsigned number);
  SmallVector<Chunk> columnChunks() const;
  SmallVector<Chunk> rowChunks(int64_t vectors) const;
  void forEach(const Chunk &chunk, function_ref<void(Value)> body);
  void block(Value row, const Chunk &height, Value column, const Chunk &width);
  Value multiplyAdd(Value lhs, Value rhs, Value sum);
  Value offset(Value pointer, Value elements);

  LoweringState &state;
  tile::DotOp dot;
  Slices slices;
  OpBuilder &b;
  Location loc;
  Home *target;
  Type compute;
  /// Two steps of K at a time, as vectors of i16.
  bool isPaired;
  /// Of the operands, in memory.
  Type element;
  Operand left, right;
  int64_t rows, columns, unroll;
  Value depth;
  Value batch;
};

SmallVector<Chunk> DotEmitter::columnChunks() const {
  int64_t most = dotVectors(state.options);
  int64_t lanes = dotPanel(state.options, compute) / most;
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
  if (isPaired) {
    int64_t bytes = 2 * cast<VectorType>(lhs.getType()).getNumElements();
    StringRef name = bytes == 64   ? "llvm.x86.avx512.pmaddw.d.512"
                     : bytes == 32 ? "llvm.x86.avx2.pmadd.wd"
                                   : "llvm.x86.sse2.pmadd.wd";
    Value products = LLVM::CallIntrinsicOp::create(b, loc, sum.getType(),
                                                   b.getStringAttr(name),
                                                   ValueRange{lhs, rhs})
                         .getResult(0);
    return arith::AddIOp::create(b, loc, products, sum);
  }
  if (isa<IntegerType>(compute)) {
    Value product = arith::MulIOp::create(b, loc, lhs, rhs);
    return arith::AddIOp::create(b, loc, product, sum);
  }
  return LLVM::FMulAddOp::create(b, loc, lhs, rhs, sum);
}

/// Where an operand is: in its home, or where the iterations found it.
DotEmitter::Operand DotEmitter::operand(unsigned number) {
  auto found = state.dotSources.find({dot, number});
  if (found != state.dotSources.end() && number == 0)
    return {found->second.pointer, found->second.stride};
  Home *home = state.plan.dotOperand(dot, number);
  Operand result;
  result.pointer = found != state.dotSources.end()
                       ? found->second.pointer
                       : state.scratch.addressOf(home);
  result.rowStride = state.index(*std::prev(home->strides.end(), 2));
  if (home->panel)
    result.columnStride = home->panelStride / home->panel;
  result.batchStride = home->strides.front();
  return result;
}

Value DotEmitter::offset(Value pointer, Value elements) {
  if (constantInt(elements) == 0)
    return pointer;
  return LLVM::GEPOp::create(b, loc, pointer.getType(), element, pointer,
                             ArrayRef<LLVM::GEPArg>{elements});
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

  slices.insertAt(slices.currentLevel());
  auto startOf = [&](const Operand &operand, Value position, Value stride) {
    Value pointer = operand.pointer;
    if (batch)
      pointer =
          offset(pointer,
                 slices.multiply(batch, state.index(operand.batchStride), loc));
    return offset(pointer, slices.multiply(position, stride, loc));
  };
  SmallVector<Value> leftRows{startOf(left, row, left.rowStride)};
  for (int64_t r = 1; r < height.size; ++r)
    leftRows.push_back(
        offset(leftRows.front(),
               slices.multiply(left.rowStride, state.index(r), loc)));
  Value panel = startOf(right, column, state.index(right.columnStride));

  // The few rows that are left over are not worth the code.
  int64_t steps =
      height.count * height.size * 8 <= rows ? (isPaired ? 2 : 1) : unroll;
  auto loop = scf::ForOp::create(b, loc, state.index(0), depth,
                                 state.index(steps), accumulators);
  b.setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> sums(loop.getRegionIterArgs());
  unsigned alignment = storedBytes(element);
  int64_t together = isPaired ? 2 : 1;
  Type vector = sliceType(isPaired ? element : compute, together * width.lanes);
  for (int64_t step = 0; step < steps; step += together) {
    Value k = slices.add(loop.getInductionVar(), state.index(step), loc);
    Value line = slices.multiply(k, right.rowStride, loc);
    SmallVector<Value> rightSlices;
    for (int64_t v = 0; v < width.vectors; ++v) {
      Value from =
          slices.add(line, state.index(v * together * width.lanes), loc);
      rightSlices.push_back(
          LLVM::LoadOp::create(b, loc, vector, offset(panel, from), alignment));
    }
    for (int64_t r = 0; r < height.size; ++r) {
      Value factor = LLVM::LoadOp::create(b, loc, compute,
                                          offset(leftRows[r], k), alignment);
      factor = spread(b, loc, factor, width.lanes);
      if (isPaired)
        factor =
            vector::BitCastOp::create(b, loc, cast<VectorType>(vector), factor);
      for (int64_t v = 0; v < width.vectors; ++v) {
        Value &sum = sums[r * width.vectors + v];
        sum = multiplyAdd(factor, rightSlices[v], sum);
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
