//===- LowerReduce.cpp - combining slices ---------------------------------===//
//
// Along the axis of the slices, each lane has an accumulator; at the end the
// upper half of the lanes is combined with the lower half until one is left.
// The combining region is repeated on whole vectors.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Nests.h"
#include "target/cpu/Pointwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tesela::cpu {

SmallVector<Value> combine(LoweringState &state, Block &block, ValueRange lhs,
                           ValueRange rhs) {
  IRMapping mapping;
  for (auto [argument, value] : llvm::zip(
           block.getArguments(), llvm::concat<Value>(SmallVector<Value>(lhs),
                                                     SmallVector<Value>(rhs))))
    mapping.map(argument, value);
  auto lookup = [&](Value value) {
    return mapping.contains(value) ? mapping.lookup(value)
                                   : state.scalars.lookup(value);
  };
  for (Operation &op : block.without_terminator()) {
    if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
      mapping.map(constantOp.getResult(), state.b.clone(op)->getResult(0));
      continue;
    }
    Value value;
    if (isPointwise(&op))
      value = emitPointwise(state.b, &op,
                            llvm::map_to_vector(op.getOperands(), lookup));
    if (!value) {
      state.fail(&op, "combines elements in a way the CPU does not know");
      return {};
    }
    mapping.map(op.getResult(0), value);
  }
  return llvm::map_to_vector(block.getTerminator()->getOperands(), lookup);
}

/// The element that changes nothing: `x op neutral` is x, bit for bit.
static TypedAttr neutralElement(Operation *combiner, Type element) {
  OpBuilder b(combiner->getContext());
  if (auto floatType = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &format = floatType.getFloatSemantics();
    auto number = [&](const APFloat &value) {
      return TypedAttr(b.getFloatAttr(floatType, value));
    };
    return TypeSwitch<Operation *, TypedAttr>(combiner)
        .Case<arith::AddFOp>([&](auto) {
          return number(APFloat::getZero(format, /*Negative=*/true));
        })
        .Case<arith::MulFOp>(
            [&](auto) { return number(APFloat::getOne(format)); })
        .Case<arith::MaximumFOp>([&](auto) {
          return number(APFloat::getInf(format, /*Negative=*/true));
        })
        .Case<arith::MinimumFOp>(
            [&](auto) { return number(APFloat::getInf(format)); })
        .Case<arith::MaxNumFOp, arith::MinNumFOp>(
            [&](auto) { return number(APFloat::getNaN(format)); })
        .Default([](Operation *) { return TypedAttr(); });
  }
  if (!element.isIntOrIndex())
    return {};
  unsigned width = element.getIntOrFloatBitWidth();
  auto number = [&](const APInt &value) {
    return TypedAttr(b.getIntegerAttr(element, value));
  };
  return TypeSwitch<Operation *, TypedAttr>(combiner)
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return number(APInt::getZero(width)); })
      .Case<arith::MulIOp>([&](auto) { return number(APInt(width, 1)); })
      .Case<arith::AndIOp, arith::MinUIOp>(
          [&](auto) { return number(APInt::getAllOnes(width)); })
      .Case<arith::MaxSIOp>(
          [&](auto) { return number(APInt::getSignedMinValue(width)); })
      .Case<arith::MinSIOp>(
          [&](auto) { return number(APInt::getSignedMaxValue(width)); })
      .Default([](Operation *) { return TypedAttr(); });
}

LaneReduction::LaneReduction(LoweringState &state, tile::ReduceOp reduce,
                             int64_t lanes)
    : state(state), reduce(reduce), lanes(lanes) {
  Operation *combiner = reduce.getSingleCombiner();
  for (Value source : reduce.getSources()) {
    Type element = cast<RankedTensorType>(source.getType()).getElementType();
    if (combiner) {
      auto floatType = dyn_cast<FloatType>(element);
      if (floatType && floatType.getWidth() < 32)
        element = Float32Type::get(element.getContext());
      neutral = neutralElement(combiner, element);
      if (!neutral)
        element = cast<RankedTensorType>(source.getType()).getElementType();
    }
    types.push_back(registerType(element));
  }
}

SmallVector<Value> LaneReduction::initial() {
  SmallVector<Value> values;
  for (Type type : types)
    values.push_back(neutral
                         ? constant(state.b, reduce.getLoc(), neutral, lanes)
                         : zeroConstant(state.b, reduce.getLoc(), type, lanes));
  return values;
}

SmallVector<Value> LaneReduction::combineWide(ValueRange lhs, ValueRange rhs) {
  if (!neutral)
    return combine(state, reduce.getCombine().front(), lhs, rhs);
  Operation *combiner = reduce.getSingleCombiner();
  OperationState repeated(reduce.getLoc(), combiner->getName(),
                          {lhs.front(), rhs.front()}, {lhs.front().getType()},
                          combiner->getAttrs());
  return {state.b.create(repeated)->getResult(0)};
}

SmallVector<Value> LaneReduction::step(ValueRange accumulators,
                                       ValueRange slices, Value isFirst) {
  Location loc = reduce.getLoc();
  SmallVector<Value> values;
  for (auto [slice, type] : llvm::zip(slices, types)) {
    Value value = spread(state.b, loc, slice, lanes);
    if (isa<FloatType>(type))
      value = convertFloat(state.b, loc, value, type);
    values.push_back(value);
  }
  SmallVector<Value> combined = combineWide(accumulators, values);
  if (neutral)
    return combined;
  for (auto [value, slice] : llvm::zip(combined, values))
    value = selectValue(state.b, loc, isFirst, slice, value);
  return combined;
}

SmallVector<Value> LaneReduction::finish(ValueRange accumulators) {
  Location loc = reduce.getLoc();
  SmallVector<Value> values(accumulators);
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    SmallVector<Value> lower, upper;
    for (Value value : values) {
      Type element = getElementTypeOrSelf(value.getType());
      Value moved = toMoved(state.b, loc, value);
      auto part = [&](int64_t from) -> Value {
        if (half == 1)
          return fromMoved(state.b, loc,
                           vector::ExtractOp::create(state.b, loc, moved, from),
                           element);
        SmallVector<int64_t> positions(half);
        std::iota(positions.begin(), positions.end(), from);
        return fromMoved(
            state.b, loc,
            vector::ShuffleOp::create(state.b, loc, moved, moved, positions),
            element);
      };
      lower.push_back(part(0));
      upper.push_back(part(half));
    }
    values = combineWide(lower, upper);
    if (state.failed)
      return {};
  }
  if (lanes == 1)
    for (Value &value : values)
      value = vector::ExtractOp::create(state.b, loc, value, 0);
  for (auto [value, result] : llvm::zip(values, reduce.getResults())) {
    Type element = getElementTypeOrSelf(result.getType());
    if (isa<FloatType>(element))
      value = convertFloat(state.b, loc, value, element);
  }
  return values;
}

} // namespace tesela::cpu
