//===- Transpose.cpp - a tile to scratch, transposed in registers ---------===//
//
//   %t = tile.permute (tile.view_load ...) [1, 0]     (a dot's right operand)
//     ==>
//   for %j, %i in steps of 8 {
//     %r0 .. %r7 = 8 rows of 8, contiguous in memory
//     %c0 .. %c7 = the same, with blocks of 1, 2 and 4 exchanged
//     store %c0 .. %c7 to 8 rows of scratch
//   }
//
// Where the whole tile is inside its bounds nothing is masked. For a dot that
// multiplies pairs, two rows that take turns are written in the same way.
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

/// Transposes as many vectors as each has lanes: for s = 1, 2, 4, .. blocks of
/// s x s change places across the diagonals of blocks twice as large.
static void transpose(OpBuilder &b, Location loc,
                      MutableArrayRef<Value> vectors) {
  int64_t size = vectors.size();
  Type element = getElementTypeOrSelf(vectors.front().getType());
  for (Value &vector : vectors)
    vector = toMoved(b, loc, vector);
  for (int64_t step = 1; step < size; step *= 2) {
    SmallVector<int64_t> lower, upper;
    for (int64_t i = 0; i < size; ++i) {
      bool isFirst = (i & step) == 0;
      lower.push_back(isFirst ? i : size + i - step);
      upper.push_back(isFirst ? i + step : size + i);
    }
    for (int64_t i = 0; i < size; ++i) {
      if (i & step)
        continue;
      Value first = vectors[i], second = vectors[i + step];
      vectors[i] = vector::ShuffleOp::create(b, loc, first, second, lower);
      vectors[i + step] =
          vector::ShuffleOp::create(b, loc, first, second, upper);
    }
  }
  for (Value &vector : vectors)
    vector = fromMoved(b, loc, vector, element);
}

namespace {

class TransposeEmitter {
public:
  TransposeEmitter(LoweringState &state, const Step &step, NestShape shape)
      : state(state), root(step.roots.front()), shape(shape), slices(state),
        b(state.b), loc(root.source.getLoc()), extents(step.shape),
        last(int(extents.size()) - 1) {}

  void run();

private:
  void findViews(Value tile);
  Value isWhole();
  Value loop(int64_t extent, int64_t step);
  void loops();
  void block();
  void pairRows();
  Value compute(const Slice &slice) {
    return root.target == state.plan.homeOf(root.source)
               ? slices.compute(root.source, slice)
               : slices.evaluate(root.source, slice);
  }

  LoweringState &state;
  const Root &root;
  NestShape shape;
  Slices slices;
  OpBuilder &b;
  Location loc;
  ArrayRef<int64_t> extents;
  int last;
  SmallVector<Value, 4> index;
  SmallVector<tile::ViewLoadOp> views;
};

/// The bounded views that the tile is computed from.
void TransposeEmitter::findViews(Value tile) {
  if (state.plan.homeOf(tile) && tile != root.source)
    return;
  auto load = tile.getDefiningOp<tile::ViewLoadOp>();
  if (load && !load.getBounds().empty())
    views.push_back(load);
  forEachTileOperand(tile, identityMap(shapeOf(tile).size()),
                     [&](Value operand, ArrayRef<int>) { findViews(operand); });
}

/// Whether every element exists; null where that is known.
Value TransposeEmitter::isWhole() {
  Value all;
  for (tile::ViewLoadOp view : views)
    for (int axis : view.getBoundedAxes()) {
      if (isTile(view.getOffsets()[axis]))
        continue;
      Slices::Range range = slices.rangeOf(view, axis);
      slices.insertAt(0);
      Value count = arith::SubIOp::create(b, loc, range.end, range.first);
      Value extent = state.index(shapeOf(view.getResult())[axis]);
      Value one = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, count,
                                        extent);
      all = all ? arith::AndIOp::create(b, loc, all, one).getResult() : one;
    }
  return all;
}

/// A loop even where it has one iteration: what is only read where the whole
/// tile exists must not leave it.
Value TransposeEmitter::loop(int64_t extent, int64_t step) {
  slices.insertAt(slices.currentLevel());
  auto loop = scf::ForOp::create(b, loc, state.index(0), state.index(extent),
                                 state.index(step));
  slices.enter(loop.getBody());
  return loop.getInductionVar();
}

void TransposeEmitter::block() {
  int64_t size = shape.lanes;
  SmallVector<Value> vectors;
  for (int64_t r = 0; r < size; ++r) {
    slices.insertAt(slices.currentLevel());
    Slice row{index, shape.transposed, size};
    row.index[last] = slices.add(index[last], state.index(r), loc);
    Value value = compute(row);
    if (!value)
      return;
    slices.insertAt(slices.currentLevel());
    value = spread(b, loc, value, size);
    if (isa<FloatType>(root.target->element))
      value = convertFloat(b, loc, value, root.target->element);
    vectors.push_back(value);
  }
  transpose(b, loc, vectors);
  for (int64_t r = 0; r < size; ++r) {
    Slice column{index, last, size};
    column.index[shape.transposed] =
        slices.add(index[shape.transposed], state.index(r), loc);
    slices.writeHome(root.target, column, vectors[r], loc);
  }
}

/// Elements of two rows in turns, as one vector.
void TransposeEmitter::pairRows() {
  Home *home = root.target;
  Value rows[2];
  for (int64_t r : {0, 1}) {
    Slice row{index, last, shape.lanes};
    if (shape.lanes == 1)
      row = row.element();
    row.index[0] = slices.add(index[0], state.index(r), loc);
    rows[r] = compute(row);
    if (!rows[r])
      return;
    slices.insertAt(slices.currentLevel());
    rows[r] = spread(b, loc, rows[r], shape.lanes);
    rows[r] = arith::ExtSIOp::create(
        b, loc, VectorType::get({shape.lanes}, home->element), rows[r]);
  }
  SmallVector<int64_t> turns;
  for (int64_t lane = 0; lane < shape.lanes; ++lane)
    turns.append({lane, shape.lanes + lane});
  Value pairs = vector::ShuffleOp::create(b, loc, rows[0], rows[1], turns);
  Value size = state.index(home->panel);
  Value number = b.createOrFold<arith::DivUIOp>(loc, index[last], size);
  Value column = b.createOrFold<arith::RemUIOp>(loc, index[last], size);
  Value offset = slices.multiply(number, state.index(home->panelStride), loc);
  offset = slices.add(offset, slices.multiply(index[0], size, loc), loc);
  offset = slices.add(offset, slices.add(column, column, loc), loc);
  Value address = LLVM::GEPOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), home->element,
      state.scratch.addressOf(home), ArrayRef<LLVM::GEPArg>{offset});
  LLVM::StoreOp::create(b, loc, pairs, address, storedBytes(home->element));
}

void TransposeEmitter::loops() {
  unsigned outside = slices.currentLevel();
  index.assign(extents.size(), Value());
  for (int axis = 0; axis < last; ++axis)
    index[axis] = loop(extents[axis], axis != shape.transposed ? 1
                                      : root.target->isPaired  ? 2
                                                               : shape.lanes);
  index[last] = loop(extents[last], std::max<int64_t>(shape.lanes, 1));
  if (root.target->isPaired)
    pairRows();
  else
    block();
  while (slices.currentLevel() > outside)
    slices.leave();
}

void TransposeEmitter::run() {
  OpBuilder::InsertionGuard guard(b);
  findViews(root.source);
  Value whole = isWhole();
  if (!whole)
    return loops();
  slices.insertAt(0);
  auto branch = scf::IfOp::create(b, loc, whole, /*withElseRegion=*/true);
  slices.enter(branch.thenBlock());
  for (tile::ViewLoadOp view : views)
    slices.wholeViews.insert(view);
  loops();
  slices.leave();
  if (state.failed)
    return;
  slices.wholeViews.clear();
  slices.enter(branch.elseBlock());
  loops();
  slices.leave();
}

} // namespace

void lowerTransposed(LoweringState &state, const Step &step,
                     const NestShape &shape) {
  TransposeEmitter(state, step, shape).run();
}

} // namespace tesela::cpu
