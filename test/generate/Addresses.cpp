//===- Addresses.cpp - pointers, masks and views of random kernels --------===//
//
// The same addresses in the several forms that users write.
//
//===----------------------------------------------------------------------===//

#include "generate/KernelBuilder.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tesela::test {

/// One pointer for each element, at `base + sum of coordinate * stride`.
Value KernelBuilder::addresses(Value base, Shape shape,
                               ArrayRef<Coordinate> coordinates,
                               ArrayRef<Value> strides) {
  bool isWide = chance(25), isChained = chance(35), isEarly = chance(60);
  auto widen = [&](Value value) { return isWide ? toI64(value) : value; };

  SmallVector<Value> terms;
  for (auto [axis, coordinate] : llvm::enumerate(coordinates)) {
    Value values = coordinate.values, stride = widen(strides[axis]);
    if (coordinate.start && chance(20)) {
      // The block's start moves the scalar pointer.
      Value first =
          arith::MulIOp::create(builder, widen(coordinate.start), stride);
      base = tile::AddPtrOp::create(builder, base, first);
      values = iota(shape[axis]);
    }
    values = widen(values);
    bool isOne = matchPattern(stride, m_One());
    if (isEarly && !isOne)
      values =
          arith::MulIOp::create(builder, values, splatTo(stride, shape[axis]));
    Value term = alongAxis(values, axis, shape);
    if (!isEarly && !isOne)
      term = arith::MulIOp::create(builder, term, splatTo(stride, shape));
    terms.push_back(term);
  }

  Value ptrs = splatTo(base, shape);
  if (isChained) {
    for (Value term : terms)
      ptrs = tile::AddPtrOp::create(builder, ptrs, term);
    return ptrs;
  }
  Value offset = terms[0];
  for (Value term : ArrayRef(terms).drop_front())
    offset = arith::AddIOp::create(builder, offset, term);
  return tile::AddPtrOp::create(builder, ptrs, offset);
}

/// Where an element exists; null where all do.
Value KernelBuilder::boundMask(Shape shape, ArrayRef<Coordinate> coordinates) {
  Value mask;
  auto require = [&](arith::CmpIPredicate predicate, size_t axis, Value limit) {
    Value values = coordinates[axis].values, condition;
    if (chance(70)) {
      condition = arith::CmpIOp::create(builder, predicate, values,
                                        splatTo(limit, shape[axis]));
      condition = alongAxis(condition, axis, shape);
    } else {
      condition = arith::CmpIOp::create(builder, predicate,
                                        alongAxis(values, axis, shape),
                                        splatTo(limit, shape));
    }
    mask = mask ? Value(arith::AndIOp::create(builder, mask, condition))
                : condition;
  };
  for (size_t axis = 0; axis != shape.size(); ++axis) {
    if (coordinates[axis].bound)
      require(arith::CmpIPredicate::slt, axis, coordinates[axis].bound);
    if (coordinates[axis].mayBeNegative)
      require(arith::CmpIPredicate::sge, axis, intConstant(i32, 0));
  }
  return mask;
}

KernelBuilder::ViewParts
KernelBuilder::viewParts(ArrayRef<Coordinate> coordinates,
                         ArrayRef<Value> strides) {
  ViewParts parts;
  for (auto [axis, coordinate] : llvm::enumerate(coordinates)) {
    bool isAffine = coordinate.start && chance(85);
    parts.offsets.push_back(
        toI64(isAffine ? coordinate.start : coordinate.values));
    parts.strides.push_back(toI64(strides[axis]));
    if (!coordinate.bound && !coordinate.mayBeNegative)
      continue;
    parts.axes.push_back(int32_t(axis));
    parts.bounds.push_back(coordinate.bound
                               ? toI64(coordinate.bound)
                               : intConstant(i64, coordinate.extent));
  }
  return parts;
}

} // namespace tesela::test
