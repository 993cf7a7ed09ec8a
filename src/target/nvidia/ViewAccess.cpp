//===- ViewAccess.cpp - addresses and predicates of one view access -------===//
//
// An address is the thread's, which is the view's base and the offsets of the
// thread's first element, and what the register's position adds. A bound
// becomes a limit for the position in the tile, which fits 32 bits:
// position < min(max(bound - offset, 0), extent).
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/ViewAccess.h"

#include "dialect/tile/Float8.h"
#include "layout/SharedLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tesela::nvidia {

using layout::Shape;

Value conjunction(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AndIOp::create(b, loc, lhs, rhs);
}

static Type heldElement(Type element) {
  unsigned bits = isa<tile::PtrType>(element) ? 64
                  : tile::isFloat8(element)   ? 8
                                              : 0;
  return bits ? Type(IntegerType::get(element.getContext(), bits)) : element;
}

ViewAccess::ViewAccess(OpBuilder &b, Location loc,
                       const ThreadLowering &threads, const ViewOperands &view,
                       ValueRange offsets, RankedTensorType type,
                       const AccessWidth &width)
    : b(b), loc(loc), view(view), offsets(offsets), layout(layoutOf(type)),
      coordinates(threads, b, loc, layout), width(width) {
  Shape shape(type.getShape());
  element = heldElement(type.getElementType());
  vector = *layout::vectorAccess(layout, layout::dense(shape, width.order),
                                 width.maxVectorBits);
  findLimits();
  findStart();
}

bool ViewAccess::isTile(unsigned axis) {
  return isa<VectorType>(view.offsets[axis].getType());
}

Value ViewAccess::i64(int64_t value) {
  return arith::ConstantIntOp::create(b, loc, b.getI64Type(), value);
}

Value ViewAccess::wide(Value value) {
  return arith::ExtSIOp::create(b, loc, b.getI64Type(), value);
}

Value ViewAccess::plus(Value lhs, Value rhs) {
  return lhs ? b.createOrFold<arith::AddIOp>(loc, lhs, rhs) : rhs;
}

Value ViewAccess::times(Value value, unsigned axis) {
  Value stride = view.strides[axis];
  if (matchPattern(stride, m_One()))
    return value;
  return b.createOrFold<arith::MulIOp>(loc, value, stride);
}

Value ViewAccess::gep(Value pointer, LLVM::GEPArg offset) {
  return LLVM::GEPOp::create(b, loc, pointer.getType(), element, pointer,
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// The i64 coordinate along an axis whose offsets are a tile.
Value ViewAccess::coordinateOf(unsigned axis, unsigned reg) {
  std::optional<RegisterIndex> &index = offsetRegisters[axis];
  if (!index)
    index.emplace(layoutOf(cast<RankedTensorType>(offsets[axis].getType())));
  int64_t number = index->at({coordinates.ofRegister(axis, reg)});
  return vector::ExtractOp::create(b, loc, view.offsets[axis], number);
}

/// So many positions further along the axes that are no tiles.
Value ViewAccess::moved(Value pointer, ArrayRef<int64_t> positions) {
  int64_t constant = 0;
  Value sum;
  for (auto [number, more] : llvm::enumerate(positions)) {
    unsigned axis = unsigned(number);
    if (more == 0)
      continue;
    if (matchPattern(view.strides[axis], m_One()))
      constant += more;
    else
      sum = plus(sum, times(i64(more), axis));
  }
  if (sum)
    pointer = gep(pointer, sum);
  return constant ? gep(pointer, int32_t(constant)) : pointer;
}

Value ViewAccess::address(unsigned reg) {
  Value from = start, sum;
  SmallVector<int64_t> positions;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    positions.push_back(isTile(axis) ? 0 : coordinates.ofRegister(axis, reg));
    if (isTile(axis))
      sum = plus(sum, times(coordinateOf(axis, reg), axis));
  }
  return moved(sum ? gep(from, sum) : from, positions);
}

Value ViewAccess::nextAddress(unsigned reg) {
  bool hasTiles = false;
  SmallVector<int64_t> positions;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    hasTiles |= isTile(axis);
    positions.push_back(coordinates.ofRegister(axis, reg) -
                        coordinates.ofRegister(axis, lastRegister));
  }
  last = last && !hasTiles ? moved(last, positions) : address(reg);
  lastRegister = reg;
  return last;
}

Value ViewAccess::isInside(unsigned reg) {
  Value result;
  for (auto [number, axis] : llvm::enumerate(view.boundedAxes))
    result = conjunction(b, loc, result, isInside(unsigned(axis), number, reg));
  if (view.mask)
    result =
        conjunction(b, loc, result,
                    vector::ExtractOp::create(b, loc, view.mask, int64_t(reg)));
  return result;
}

void ViewAccess::findStart() {
  Value sum;
  for (unsigned axis = 0; axis < layout.rank(); ++axis)
    if (!isTile(axis))
      sum = plus(
          sum, times(plus(view.offsets[axis], wide(coordinates.ofThread(axis))),
                     axis));
  start = sum ? gep(view.base, sum) : view.base;
}

void ViewAccess::findLimits() {
  for (auto [axis, bound] : llvm::zip_equal(view.boundedAxes, view.bounds)) {
    Limit limit;
    if (!isTile(unsigned(axis))) {
      Value extent = i64(layout.shape()[axis]);
      auto clamp = [&](Value value) -> Value {
        value = arith::MaxSIOp::create(b, loc, value, i64(0));
        value = arith::MinSIOp::create(b, loc, value, extent);
        return arith::TruncIOp::create(b, loc, b.getI32Type(), value);
      };
      Value offset = view.offsets[axis];
      limit.end = clamp(b.createOrFold<arith::SubIOp>(loc, bound, offset));
      if (width.mayBeNegative[axis])
        limit.least = clamp(b.createOrFold<arith::SubIOp>(loc, i64(0), offset));
    }
    limits.push_back(limit);
  }
}

Value ViewAccess::isInside(unsigned axis, size_t number, unsigned reg) {
  if (isTile(axis)) {
    // Read as unsigned, negative coordinates are beyond every bound.
    Value coordinate = coordinateOf(axis, reg);
    Value bound = arith::MaxSIOp::create(b, loc, view.bounds[number], i64(0));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, coordinate,
                                 bound);
  }
  Value &known = inside[{axis, coordinates.ofRegister(axis, reg)}];
  if (known)
    return known;
  Value position = coordinates.of(axis, reg);
  known = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, position,
                                limits[number].end);
  if (limits[number].least)
    known = conjunction(b, loc, known,
                        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                              position, limits[number].least));
  return known;
}

} // namespace tesela::nvidia
