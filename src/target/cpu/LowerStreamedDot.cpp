//===- LowerStreamedDot.cpp - products of few rows ------------------------===//
//
//   %r = tile.dot %a, %b, %c                          (of 2 rows, say)
//     ==>
//   %r = %c
//   for %k = 0 to K step 8 {
//     %a00 .. %a17 = %a[0 .. 2, %k .. %k + 8], each in all lanes
//     for %j = 0 to N step 16 {
//       %b0 .. %b7 = slices of %b[%k .. %k + 8, %j .. %j + 16]
//       %r[0, %j ..] += %a00 * %b0 + .. + %a07 * %b7
//       %r[1, %j ..] += %a10 * %b0 + .. + %a17 * %b7
//     }
//   }
//
// The right operand is all that matters: it is read once, in its own type, some
// of its rows at a time from left to right. The result stays in the nearest
// cache. Where some of the right operand does not exist, the same is done row
// by row with masks.
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

class StreamedDotEmitter {
public:
  StreamedDotEmitter(LoweringState &state, tile::DotOp dot)
      : state(state), dot(dot), slices(state), b(state.b), loc(dot.getLoc()),
        left(state.plan.dotOperand(dot, 0)),
        target(state.plan.homeOf(dot.getResult())),
        compute(dotComputeType(dot.getType().getElementType())) {
    rows = shapeOf(dot.getResult())[0];
    columns = shapeOf(dot.getResult())[1];
    depth = shapeOf(dot.getA())[1];
    int64_t registerLanes =
        std::max<int64_t>(state.options.vectorBytes / storedBytes(compute), 1);
    // Twice that where there are registers for it.
    int64_t most = rows <= 2 ? 2 * registerLanes : registerLanes;
    lanes = std::min(most, columns & -columns);
  }

  void run();

private:
  Value loop(int64_t extent, int64_t step);
  Slice sliceAt(Value row, Value column) const {
    Slice slice{{row, column}, -1, 0};
    if (lanes > 1) {
      slice.axis = 1;
      slice.lanes = lanes;
    }
    return slice;
  }
  /// In all lanes, in the type that is computed with.
  Value vector(Value value) {
    int64_t count = lanes > 1 ? lanes : 0;
    value = spread(b, loc, value, count);
    if (isa<FloatType>(compute))
      return convertFloat(b, loc, value, compute);
    if (getElementTypeOrSelf(value.getType()) == compute)
      return value;
    return arith::ExtSIOp::create(b, loc, sliceType(compute, count), value);
  }
  Value leftAt(Value row, Value k);
  Value isWhole(tile::ViewLoadOp view);
  void start();
  void loops(int64_t together);
  void add(Value k, ArrayRef<SmallVector<Value>> elements, Value column);

  LoweringState &state;
  tile::DotOp dot;
  Slices slices;
  OpBuilder &b;
  Location loc;
  Home *left, *target;
  Type compute;
  int64_t rows, columns, depth, lanes;
};

Value StreamedDotEmitter::loop(int64_t extent, int64_t step) {
  slices.insertAt(slices.currentLevel());
  auto loop = scf::ForOp::create(b, loc, state.index(0), state.index(extent),
                                 state.index(step));
  slices.enter(loop.getBody());
  slices.insertAt(slices.currentLevel());
  return loop.getInductionVar();
}

/// The result begins with what is added to, unless that is where it lies.
void StreamedDotEmitter::start() {
  if (state.plan.homeOf(dot.getAcc()) == target)
    return;
  Value row = loop(rows, 1);
  Value column = loop(columns, lanes);
  Slice slice = sliceAt(row, column);
  if (Value value = slices.evaluate(dot.getAcc(), slice)) {
    slices.insertAt(slices.currentLevel());
    slices.writeHome(target, slice, value, loc);
  }
  slices.leave();
  slices.leave();
}

/// What the left operand has in row and column, in all lanes.
Value StreamedDotEmitter::leftAt(Value row, Value k) {
  Value element =
      slices.readHome(left, left->element, Slice{{row, k}, -1, 0}, loc);
  slices.insertAt(slices.currentLevel());
  return vector(element);
}

Value StreamedDotEmitter::isWhole(tile::ViewLoadOp view) {
  Value all;
  for (int axis : view.getBoundedAxes()) {
    Slices::Range range = slices.rangeOf(view, axis);
    slices.insertAt(0);
    Value count = arith::SubIOp::create(b, loc, range.end, range.first);
    Value extent = state.index(shapeOf(view.getResult())[axis]);
    Value one =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, count, extent);
    all = all ? arith::AndIOp::create(b, loc, all, one).getResult() : one;
  }
  return all;
}

/// Adds the products of some rows of the right operand to one vector of each
/// row of the result.
void StreamedDotEmitter::add(Value k, ArrayRef<SmallVector<Value>> elements,
                             Value column) {
  SmallVector<Value> right;
  for (size_t step = 0; step < elements.front().size(); ++step) {
    Value row = slices.add(k, state.index(step), loc);
    Value value = slices.evaluate(dot.getB(), sliceAt(row, column));
    if (!value)
      return;
    slices.insertAt(slices.currentLevel());
    right.push_back(vector(value));
  }
  Type element = dot.getType().getElementType();
  for (int64_t row = 0; row < rows; ++row) {
    Slice place = sliceAt(state.index(row), column);
    Value sum = slices.readHome(target, element, place, loc, /*isFixed=*/false);
    slices.insertAt(slices.currentLevel());
    sum = vector(sum);
    for (auto [lhs, rhs] : llvm::zip(elements[row], right)) {
      if (isa<FloatType>(compute)) {
        sum = LLVM::FMulAddOp::create(b, loc, lhs, rhs, sum);
      } else {
        Value product = arith::MulIOp::create(b, loc, lhs, rhs);
        sum = arith::AddIOp::create(b, loc, product, sum);
      }
    }
    slices.writeHome(target, place, sum, loc);
  }
}

void StreamedDotEmitter::loops(int64_t together) {
  Value k = loop(depth, together);
  SmallVector<SmallVector<Value>> elements(rows);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t step = 0; step < together; ++step)
      elements[row].push_back(
          leftAt(state.index(row), slices.add(k, state.index(step), loc)));
  Value column = loop(columns, lanes);
  add(k, elements, column);
  slices.leave();
  slices.leave();
}

void StreamedDotEmitter::run() {
  OpBuilder::InsertionGuard guard(b);
  start();
  if (state.failed)
    return;
  int64_t together = std::min<int64_t>(rows <= 2 ? 8 : 4, depth & -depth);
  tile::ViewLoadOp view;
  for (Value tile = dot.getB(); !view;
       tile = tile.getDefiningOp()->getOperand(0))
    view = tile.getDefiningOp<tile::ViewLoadOp>();
  Value whole = isWhole(view);
  if (!whole)
    return loops(together);
  slices.insertAt(0);
  auto branch = scf::IfOp::create(b, loc, whole, /*withElseRegion=*/true);
  slices.enter(branch.thenBlock());
  slices.wholeViews.insert(view);
  loops(together);
  slices.leave();
  slices.wholeViews.clear();
  if (state.failed)
    return;
  slices.enter(branch.elseBlock());
  loops(1);
  slices.leave();
}

} // namespace

void lowerStreamedDot(LoweringState &state, Operation *op) {
  StreamedDotEmitter(state, cast<tile::DotOp>(op)).run();
}

} // namespace tesela::cpu
