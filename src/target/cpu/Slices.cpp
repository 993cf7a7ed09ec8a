//===- Slices.cpp - computes any slice of any tile in registers -----------===//
//
//   %x = tile.view_load ..., %y = arith.mulf %x, %x : tensor<64x64xf32>
//     ==>                                        (of %y, [%i, %j .. %j + 16])
//   %p = llvm.getelementptr %row[%j]
//   %x' = llvm.load %p : vector<16xf32>
//   %y' = arith.mulf %x', %x' : vector<16xf32>
//
// Slices that were computed are remembered, so that roots of one nest share
// them. A value that is the same in all lanes stays scalar.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Slices.h"

#include "dialect/tile/Float8.h"
#include "target/cpu/Pointwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tesela::cpu {

Value LoweringState::fail(Operation *op, const Twine &reason) {
  if (!failed)
    op->emitOpError(reason);
  failed = true;
  return {};
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

void Slices::insertAt(unsigned level) {
  if (level < levels.size()) {
    b.setInsertionPoint(levels[level]->getParentOp());
  } else if (level == 0) {
    b.restoreInsertionPoint(base);
  } else {
    Block *body = levels.back();
    if (!body->empty() && body->back().hasTrait<OpTrait::IsTerminator>())
      b.setInsertionPoint(&body->back());
    else
      b.setInsertionPointToEnd(body);
  }
}

unsigned Slices::levelOf(Value value) const {
  for (unsigned level = levels.size(); level > 0; --level)
    if (value.getParentBlock() == levels[level - 1])
      return level;
  return 0;
}

unsigned Slices::levelOf(const Slice &slice) const {
  unsigned level = 0;
  for (Value index : slice.index)
    level = std::max(level, levelOf(index));
  return level;
}

Value LoweringState::index(int64_t value) {
  Value &constant = indices[value];
  if (!constant) {
    Block *entry = scratch.entryBlock();
    OpBuilder atStart(entry, entry->begin());
    constant = arith::ConstantOp::create(atStart, scratch.anyAddress().getLoc(),
                                         b.getI64IntegerAttr(value));
  }
  return constant;
}

Value Slices::add(Value lhs, Value rhs, Location loc) {
  std::optional<int64_t> left = constantInt(lhs), right = constantInt(rhs);
  if (left == 0)
    return rhs;
  if (right == 0)
    return lhs;
  if (left && right && lhs.getType().isInteger(64))
    return state.index(int64_t(uint64_t(*left) + uint64_t(*right)));
  return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
}

Value Slices::multiply(Value lhs, Value rhs, Location loc) {
  std::optional<int64_t> left = constantInt(lhs), right = constantInt(rhs);
  if (left == 1)
    return rhs;
  if (right == 1)
    return lhs;
  if (left && right)
    return state.index(int64_t(uint64_t(*left) * uint64_t(*right)));
  return b.createOrFold<arith::MulIOp>(loc, lhs, rhs);
}

Value Slices::scalar(Value value) { return state.scalars.lookup(value); }

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

Value Slices::evaluate(Value tile, const Slice &slice) {
  for (auto &[where, value] : known[tile])
    if (where == slice)
      return value;
  Home *home = state.plan.homeOf(tile);
  if (!home)
    return compute(tile, slice);
  Value value =
      readHome(home, cast<RankedTensorType>(tile.getType()).getElementType(),
               slice, tile.getLoc());
  known[tile].emplace_back(slice, value);
  return value;
}

Value Slices::compute(Value tile, const Slice &slice) {
  for (auto &[where, value] : known[tile])
    if (where == slice)
      return value;
  OpBuilder::InsertionGuard guard(b);
  insertAt(levelOf(slice));
  Value value = computeHere(tile, slice);
  if (value)
    known[tile].emplace_back(slice, value);
  return value;
}

Value Slices::computeHere(Value tile, const Slice &slice) {
  Operation *op = tile.getDefiningOp();
  assert(op && "a block argument has a home");
  return TypeSwitch<Operation *, Value>(op)
      .Case<arith::ConstantOp>([&](auto) { return fromConstant(op, slice); })
      .Case<tile::SplatOp>([&](auto splat) { return scalar(splat.getValue()); })
      .Case<tile::IotaOp>([&](auto) { return fromIota(op, slice); })
      .Case<tile::ExpandDimsOp>([&](auto expand) {
        int axis = expand.getAxis();
        Slice inner = slice.axis == axis ? slice.element() : slice;
        inner.index.erase(inner.index.begin() + axis);
        if (inner.axis > axis)
          --inner.axis;
        return evaluate(expand.getSource(), inner);
      })
      .Case<tile::BroadcastOp>([&](auto broadcast) {
        Slice inner = slice;
        for (auto [axis, extent] :
             llvm::enumerate(shapeOf(broadcast.getSource()))) {
          if (extent != 1)
            continue;
          inner.index[axis] = state.index(0);
          if (inner.axis == int(axis))
            inner = inner.element();
        }
        return evaluate(broadcast.getSource(), inner);
      })
      .Case<tile::PermuteOp>([&](auto permute) {
        Slice inner = slice;
        for (auto [axis, source] : llvm::enumerate(permute.getOrder())) {
          inner.index[source] = slice.index[axis];
          if (slice.axis == int(axis))
            inner.axis = source;
        }
        return evaluate(permute.getSource(), inner);
      })
      .Case<tile::ReshapeOp>([&](auto) { return fromReshape(op, slice); })
      .Case<tile::JoinOp>([&](auto) { return fromJoin(op, slice); })
      .Case<tile::SplitOp>([&](auto split) {
        Slice inner = slice;
        bool isRight = tile == split.getRhs();
        inner.index.push_back(state.index(isRight));
        return evaluate(split.getSource(), inner);
      })
      .Case<tile::CatOp>([&](auto) { return fromCat(op, slice); })
      .Case<tile::GatherOp>([&](auto) { return fromGather(op, slice); })
      .Case<tile::ViewLoadOp>([&](auto) { return fromView(op, slice); })
      .Case<tile::LoadOp>([&](auto) { return fromPointers(op, slice); })
      .Default([&](Operation *) {
        if (isPointwise(op))
          return fromPointwise(op, slice);
        return state.fail(op, "has no form on the CPU");
      });
}

Value Slices::fromPointwise(Operation *op, const Slice &slice) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(isTile(operand) ? evaluate(operand, slice)
                                       : scalar(operand));
    if (!operands.back())
      return {};
  }
  Value value = emitPointwise(b, op, operands);
  if (!value)
    return state.fail(op, "has no form on the CPU");
  return value;
}

Value Slices::fromIota(Operation *op, const Slice &slice) {
  Location loc = op->getLoc();
  Type i32 = b.getI32Type();
  Value first = b.createOrFold<arith::TruncIOp>(loc, i32, slice.index.front());
  first =
      add(first, intConstant(b, loc, i32, cast<tile::IotaOp>(op).getStart(), 0),
          loc);
  if (slice.lanes == 0)
    return first;
  SmallVector<int32_t> steps(slice.lanes);
  std::iota(steps.begin(), steps.end(), 0);
  auto type = cast<VectorType>(sliceType(i32, slice.lanes));
  Value lanes = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(steps)));
  return arith::AddIOp::create(b, loc, spread(b, loc, first, slice.lanes),
                               lanes);
}

/// Elements that are not all the same lie in the object file.
Value Slices::fromConstant(Operation *op, const Slice &slice) {
  Location loc = op->getLoc();
  auto elements =
      dyn_cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  if (!elements)
    return state.fail(op, "is a constant of a kind the CPU does not know");
  if (elements.isSplat())
    return constant(b, loc, elements.getSplatValue<TypedAttr>(), 0);

  Type element = elements.getElementType();
  Home home;
  home.shape.assign(elements.getType().getShape().begin(),
                    elements.getType().getShape().end());
  home.strides.assign(home.shape.size(), 1);
  for (size_t axis = home.shape.size() - 1; axis > 0; --axis)
    home.strides[axis - 1] = home.strides[axis] * home.shape[axis];
  home.element = element;
  if (element.isInteger(1)) {
    home.element = b.getI8Type();
    elements = elements.mapValues(home.element,
                                  [](const APInt &bit) { return bit.zext(8); });
  }
  if (tile::isFloat8(element)) {
    home.element = movedType(element);
    elements = elements.bitcast(home.element);
  }
  elements = elements.reshape(
      RankedTensorType::get({elements.getNumElements()}, home.element));
  auto module =
      b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    std::string name =
        "elements_" + std::to_string(std::distance(module.getBody()->begin(),
                                                   module.getBody()->end()));
    auto type =
        LLVM::LLVMArrayType::get(home.element, elements.getNumElements());
    global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                    LLVM::Linkage::Internal, name, elements,
                                    /*alignment=*/64);
  }
  home.pointer = LLVM::AddressOfOp::create(b, loc, global);
  Value value = readHome(&home, element, slice, loc);
  return tile::isFloat8(element) ? fromMoved(b, loc, value, element) : value;
}

Value Slices::laneByLane(Value tile, const Slice &slice) {
  Location loc = tile.getLoc();
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < slice.lanes; ++lane) {
    Slice element = slice.element();
    Value &index = element.index[slice.axis];
    index = add(index, state.index(lane), loc);
    // Never from its home, which this may be about to fill.
    Value value = compute(tile, element);
    if (!value)
      return {};
    elements.push_back(toMoved(b, loc, value));
  }
  Type type = sliceType(elements.front().getType(), slice.lanes);
  Value whole = vector::FromElementsOp::create(b, loc, type, elements);
  return fromMoved(b, loc, whole,
                   cast<RankedTensorType>(tile.getType()).getElementType());
}

static SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis > 1; --axis)
    strides[axis - 2] = strides[axis - 1] * shape[axis - 1];
  return strides;
}

/// The last axis with more than one element; -1 where there is none.
static int lastLongAxis(ArrayRef<int64_t> shape) {
  for (int axis = int(shape.size()) - 1; axis >= 0; --axis)
    if (shape[axis] != 1)
      return axis;
  return -1;
}

Value Slices::fromReshape(Operation *op, const Slice &slice) {
  Location loc = op->getLoc();
  Value source = cast<tile::ReshapeOp>(op).getSource();
  ArrayRef<int64_t> from = shapeOf(source), to = shapeOf(op->getResult(0));

  int sourceAxis = lastLongAxis(from), resultAxis = lastLongAxis(to);
  Slice inner;
  inner.index.assign(from.size(), Value());
  bool staysInRow = slice.lanes == 0 || (slice.axis == resultAxis &&
                                         from[sourceAxis] % slice.lanes == 0);
  auto isLong = [](int64_t extent) { return extent != 1; };
  bool sameLongAxes = llvm::equal(llvm::make_filter_range(from, isLong),
                                  llvm::make_filter_range(to, isLong));
  if (sameLongAxes) {
    size_t next = 0;
    for (auto [axis, extent] : llvm::enumerate(from)) {
      if (extent == 1) {
        inner.index[axis] = state.index(0);
        continue;
      }
      while (to[next] == 1)
        ++next;
      if (slice.axis == int(next))
        inner.axis = axis;
      inner.index[axis] = slice.index[next++];
    }
    inner.lanes = inner.axis < 0 ? 0 : slice.lanes;
    return evaluate(source, inner);
  }
  // A buffer without padding is read under the other shape.
  Home *home = state.plan.homeOf(source);
  if (home && ArrayRef<int64_t>(home->strides) ==
                  ArrayRef<int64_t>(rowMajorStrides(from))) {
    state.scratch.addressOf(home);
    Home other = *home;
    other.shape.assign(to.begin(), to.end());
    other.strides = rowMajorStrides(to);
    Type element = cast<RankedTensorType>(source.getType()).getElementType();
    return readHome(&other, element, slice, loc);
  }

  if (!staysInRow)
    return laneByLane(op->getResult(0), slice);

  SmallVector<int64_t> toStrides = rowMajorStrides(to);
  SmallVector<int64_t> fromStrides = rowMajorStrides(from);
  Value linear = state.index(0);
  for (auto [position, stride] : llvm::zip(slice.index, toStrides))
    linear = add(linear, multiply(position, state.index(stride), loc), loc);
  for (auto [axis, extent] : llvm::enumerate(from)) {
    Value position = b.createOrFold<arith::DivUIOp>(
        loc, linear, state.index(fromStrides[axis]));
    inner.index[axis] = axis == 0 ? position
                                  : b.createOrFold<arith::RemUIOp>(
                                        loc, position, state.index(extent));
  }
  if (slice.lanes) {
    inner.axis = sourceAxis;
    inner.lanes = slice.lanes;
  }
  return evaluate(source, inner);
}

Value Slices::fromJoin(Operation *op, const Slice &slice) {
  auto join = cast<tile::JoinOp>(op);
  Location loc = op->getLoc();
  Slice inner = slice;
  Value last = inner.index.pop_back_val();
  bool isPair = slice.axis == int(slice.index.size()) - 1;
  if (isPair)
    inner = inner.element();
  std::optional<int64_t> which = constantInt(last);
  if (which && !isPair)
    return evaluate(*which == 0 ? join.getLhs() : join.getRhs(), inner);
  Value lhs = evaluate(join.getLhs(), inner);
  Value rhs = evaluate(join.getRhs(), inner);
  if (!lhs || !rhs)
    return {};
  if (isPair) {
    Value left = toMoved(b, loc, lhs), right = toMoved(b, loc, rhs);
    Value pair = vector::FromElementsOp::create(
        b, loc, sliceType(left.getType(), 2), ValueRange{left, right});
    return fromMoved(b, loc, pair, lhs.getType());
  }
  Value isLeft = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, last,
                                       state.index(0));
  return selectValue(b, loc, isLeft, lhs, rhs);
}

/// Both sides are read, each at an index that it has.
Value Slices::fromCat(Operation *op, const Slice &slice) {
  auto cat = cast<tile::CatOp>(op);
  Location loc = op->getLoc();
  int64_t left = shapeOf(cat.getLhs()).front();
  int64_t right = shapeOf(cat.getRhs()).front();
  int64_t lanes = std::max<int64_t>(slice.lanes, 1);
  if (left % lanes || right % lanes)
    return laneByLane(op->getResult(0), slice);
  Value position = slice.index.front();
  Value split = state.index(left);
  Slice inner = slice;
  inner.index[0] =
      arith::MinSIOp::create(b, loc, position, state.index(left - lanes));
  Value lhs = evaluate(cat.getLhs(), inner);
  inner.index[0] = arith::MaxSIOp::create(
      b, loc, arith::SubIOp::create(b, loc, position, split).getResult(),
      state.index(0));
  Value rhs = evaluate(cat.getRhs(), inner);
  if (!lhs || !rhs)
    return {};
  Value isLeft =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, position, split);
  return selectValue(b, loc, isLeft, lhs, rhs);
}

int64_t laneLimit(const Plan &plan, Value tile, int axis) {
  int64_t limit = shapeOf(tile)[axis];
  limit &= -limit;
  if (plan.homeOf(tile))
    return limit;
  if (auto cat = tile.getDefiningOp<tile::CatOp>()) {
    int64_t left = shapeOf(cat.getLhs()).front();
    limit = std::min(limit, left & -left);
  } else if (auto reshape = tile.getDefiningOp<tile::ReshapeOp>()) {
    ArrayRef<int64_t> from = shapeOf(reshape.getSource());
    int last = lastLongAxis(from);
    if (!plan.homeOf(reshape.getSource()) && last >= 0 &&
        axis == lastLongAxis(shapeOf(tile)))
      return std::min(limit, laneLimit(plan, reshape.getSource(), last));
    return limit;
  }
  AxisMap marked(shapeOf(tile).size(), -1);
  marked[axis] = 0;
  forEachTileOperand(tile, marked, [&](Value operand, ArrayRef<int> map) {
    for (auto [inner, mark] : llvm::enumerate(map))
      if (mark == 0 && shapeOf(operand)[inner] != 1)
        limit = std::min(limit, laneLimit(plan, operand, inner));
  });
  return limit;
}

} // namespace tesela::cpu
