//===- Combiner.cpp - combine what threads have ---------------------------===//

#include "target/nvidia/Combiner.h"

#include "analysis/AxisDependence.h"
#include "dialect/tile/Float8.h"
#include "target/maths/TotalIntegers.h"
#include "target/nvidia/Float8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tesela::nvidia {

static int64_t lanesOf(Value value) {
  return cast<VectorType>(value.getType()).getNumElements();
}

Combiner::Combiner(OpBuilder &b, Location loc, Block &region,
                   unsigned capability)
    : b(b), loc(loc), region(region), capability(capability) {
  for (Operation &op : region.without_terminator())
    isPointwise &=
        analysis::isElementwise(&op) || op.hasTrait<OpTrait::ConstantLike>();
}

Values Combiner::combine(ArrayRef<Value> left, ArrayRef<Value> right) {
  if (isPointwise)
    return inlineRegion(left, right, lanesOf(left[0]));
  // Control flow is run for one element at a time.
  int64_t lanes = lanesOf(left[0]);
  SmallVector<Values> results(left.size());
  for (int64_t lane = 0; lane < lanes; ++lane) {
    auto pick = [&](ArrayRef<Value> values) {
      return llvm::map_to_vector(values, [&](Value value) -> Value {
        return vector::ExtractOp::create(b, loc, value, lane);
      });
    };
    for (auto [column, value] :
         llvm::zip_equal(results, inlineRegion(pick(left), pick(right), 0)))
      column.push_back(value);
  }
  Values joined;
  for (auto [column, value] : llvm::zip_equal(results, left))
    joined.push_back(
        vector::FromElementsOp::create(b, loc, value.getType(), column));
  return joined;
}

Values Combiner::inlineRegion(ArrayRef<Value> left, ArrayRef<Value> right,
                              int64_t lanes) {
  IRMapping mapping;
  for (auto [index, argument] : llvm::enumerate(region.getArguments()))
    mapping.map(argument,
                index < left.size() ? left[index] : right[index - left.size()]);
  auto widened = [&](Type type) -> Type {
    return lanes ? VectorType::get(lanes, type) : type;
  };
  // Values from outside of the region are scalars.
  auto operandOf = [&](Value value) {
    Value mapped = mapping.lookupOrDefault(value);
    if (lanes && !isa<VectorType>(mapped.getType())) {
      mapped = vector::BroadcastOp::create(b, loc, widened(mapped.getType()),
                                           mapped);
      mapping.map(value, mapped);
    }
    return mapped;
  };
  for (Operation &op : region.without_terminator()) {
    if (op.getNumRegions()) {
      b.clone(op, mapping);
      continue;
    }
    Values operands;
    for (Value operand : op.getOperands())
      operands.push_back(operandOf(operand));
    if (Value converted = emitFloat8(b, &op, operands, capability)) {
      mapping.map(op.getResult(0), converted);
      continue;
    }
    if (Value total = maths::emitTotalInteger(b, &op, operands,
                                              /*divideFloats=*/false)) {
      mapping.map(op.getResult(0), total);
      continue;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      mapping.map(op.getResult(0),
                  arith::ConstantOp::create(
                      b, loc, bytesOfFloat8(constant.getValue())));
      continue;
    }
    auto types = llvm::map_to_vector(op.getResultTypes(), widened);
    OperationState state(op.getLoc(), op.getName(), operands, types,
                         llvm::to_vector(op.getDiscardableAttrs()));
    state.propertiesAttr = op.getPropertiesAsAttribute();
    mapping.map(op.getResults(), b.create(state)->getResults());
  }
  Values results;
  for (Value value : region.getTerminator()->getOperands())
    results.push_back(operandOf(value));
  return results;
}

LogicalResult checkCombination(Operation *op, Block &combine) {
  if (llvm::all_of(combine.without_terminator(),
                   [](Operation &each) { return each.getNumRegions() == 0; }))
    return success();
  auto isFloat8 = [](Type type) { return tile::isFloat8(type); };
  WalkResult found = combine.walk([&](Operation *each) {
    bool isFound = llvm::any_of(each->getOperandTypes(), isFloat8) ||
                   llvm::any_of(each->getResultTypes(), isFloat8);
    return isFound ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return success();
  return op->emitError("no code for 8-bit floats in a combination with control "
                       "flow on a GPU; combine them as float32");
}

Value exchangeLanes(OpBuilder &b, Location loc, Value value, int64_t mask) {
  auto type = cast<VectorType>(value.getType());
  Type element = type.getElementType();
  unsigned bits = element.getIntOrFloatBitWidth();
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), number);
  };
  auto exchange = [&](Value word) -> Value {
    return NVVM::ShflOp::create(b, loc, b.getI32Type(), constant(-1), word,
                                constant(mask), constant(31),
                                NVVM::ShflKind::bfly, UnitAttr());
  };
  Values results;
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
    Value part = vector::ExtractOp::create(b, loc, value, lane);
    Type whole = b.getIntegerType(bits);
    if (element != whole)
      part = arith::BitcastOp::create(b, loc, whole, part);
    if (bits < 32)
      part = arith::ExtUIOp::create(b, loc, b.getI32Type(), part);
    if (bits <= 32) {
      part = exchange(part);
    } else {
      Value shift = arith::ConstantIntOp::create(b, loc, whole, 32);
      Value low = arith::TruncIOp::create(b, loc, b.getI32Type(), part);
      Value high = arith::TruncIOp::create(
          b, loc, b.getI32Type(),
          arith::ShRUIOp::create(b, loc, part, shift).getResult());
      low = arith::ExtUIOp::create(b, loc, whole, exchange(low));
      high = arith::ExtUIOp::create(b, loc, whole, exchange(high));
      part = arith::OrIOp::create(
          b, loc, low, arith::ShLIOp::create(b, loc, high, shift).getResult());
    }
    if (bits < 32)
      part = arith::TruncIOp::create(b, loc, whole, part);
    if (element != whole)
      part = arith::BitcastOp::create(b, loc, element, part);
    results.push_back(part);
  }
  return vector::FromElementsOp::create(b, loc, type, results);
}

} // namespace tesela::nvidia
