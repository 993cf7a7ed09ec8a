//===- Float8.cpp - floats of 8 bits in a thread's registers --------------===//
//
//   %y = tile.fptofp8 %x : vector<4xf32> to f8E4M3FN
//     ==>
//   %a = cvt.rn.satfinite.e4m3x2.f32 %x1, %x0
//   %b = cvt.rn.satfinite.e4m3x2.f32 %x3, %x2
//   %y = bitcast [%a, %b] : vector<4xi8>
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Float8.h"

#include "dialect/tile/Float8.h"
#include "dialect/tile/Tile.h"
#include "target/maths/Slices.h"
#include "target/maths/TotalIntegers.h"
#include "target/nvidia/DeviceCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tesela::nvidia {

/// From here on there are instructions.
static constexpr unsigned firstWithFloat8 = 89;

namespace {

class Float8Lowering {
public:
  Float8Lowering(OpBuilder &b, Operation *op, ValueRange operands,
                 unsigned capability)
      : b(b), loc(op->getLoc()), code(b, loc), op(op), operands(operands),
        hasInstructions(capability >= firstWithFloat8) {}

  Value run();

private:
  Value widen(Value bytes, Type format, Type element);
  Value narrow(Value value, Type format);
  Value computed();

  /// Scalars as vectors of one.
  SmallVector<Value> elementsOf(Value value) {
    if (!isa<VectorType>(value.getType()))
      return {value};
    return SmallVector<Value>(
        vector::ToElementsOp::create(b, loc, value).getResults());
  }
  Value converted(Value value, Type element);
  static StringRef suffix(Type format) {
    return isa<Float8E5M2Type>(format) ? "e5m2x2" : "e4m3x2";
  }

  OpBuilder &b;
  Location loc;
  DeviceCode code;
  Operation *op;
  ValueRange operands;
  bool hasInstructions;
};

} // namespace

static Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

/// Between f16, bf16, f32 and f64.
Value Float8Lowering::converted(Value value, Type element) {
  unsigned from = elementOf(value).getIntOrFloatBitWidth(),
           to = element.getIntOrFloatBitWidth();
  if (elementOf(value) == element)
    return value;
  if (from == to)
    return converted(converted(value, b.getF32Type()), element);
  Type type = maths::sliceType(element, maths::lanesOf(value));
  if (from < to)
    return arith::ExtFOp::create(b, loc, type, value);
  return arith::TruncFOp::create(b, loc, type, value);
}

Value Float8Lowering::widen(Value bytes, Type format, Type element) {
  if (!hasInstructions)
    return converted(maths::widenFloat8(b, loc, bytes, format), element);
  SmallVector<Value> parts = elementsOf(bytes), halves;
  size_t count = parts.size();
  if (count % 2)
    parts.push_back(parts.back());
  Type i8x2 = VectorType::get(2, b.getI8Type()),
       i16x1 = VectorType::get(1, b.getI16Type()),
       f16x2 = VectorType::get(2, b.getF16Type());
  std::string name = ("llvm.nvvm." + suffix(format) + ".to.f16x2.rn").str();
  for (size_t i = 0; i < count; i += 2) {
    Value pair = vector::FromElementsOp::create(
        b, loc, cast<VectorType>(i8x2), ValueRange{parts[i], parts[i + 1]});
    pair = vector::BitCastOp::create(b, loc, cast<VectorType>(i16x1), pair);
    pair = vector::ExtractOp::create(b, loc, pair, int64_t(0));
    llvm::append_range(halves, elementsOf(code.intrinsic(name, f16x2, pair)));
  }
  halves.resize(count);
  Value result =
      isa<VectorType>(bytes.getType())
          ? vector::FromElementsOp::create(
                b, loc, VectorType::get(int64_t(count), b.getF16Type()), halves)
                .getResult()
          : halves.front();
  return converted(result, element);
}

Value Float8Lowering::narrow(Value value, Type format) {
  // Twice rounded would be f64.
  if (!hasInstructions || elementOf(value).isF64())
    return maths::narrowToFloat8(b, loc, value, format);
  value = converted(value, b.getF32Type());
  SmallVector<Value> parts = elementsOf(value), bytes;
  size_t count = parts.size();
  if (count % 2)
    parts.push_back(parts.back());
  std::string name = ("llvm.nvvm.ff.to." + suffix(format) + ".rn").str();
  auto i16x1 = VectorType::get(1, b.getI16Type()),
       i8x2 = VectorType::get(2, b.getI8Type());
  for (size_t i = 0; i < count; i += 2) {
    // The first operand becomes the upper byte.
    Value pair = code.intrinsic(name, b.getI16Type(), {parts[i + 1], parts[i]});
    pair = vector::FromElementsOp::create(b, loc, i16x1, pair);
    pair = vector::BitCastOp::create(b, loc, i8x2, pair);
    llvm::append_range(bytes, elementsOf(pair));
  }
  bytes.resize(count);
  if (!isa<VectorType>(value.getType()))
    return bytes.front();
  return vector::FromElementsOp::create(
      b, loc, VectorType::get(int64_t(count), b.getI8Type()), bytes);
}

/// Any other op, in f32.
Value Float8Lowering::computed() {
  SmallVector<Value> values;
  for (auto [operand, given] : llvm::zip_equal(operands, op->getOperands())) {
    Type format = tile::elementType(given.getType());
    values.push_back(tile::isFloat8(format)
                         ? widen(operand, format, b.getF32Type())
                         : operand);
  }
  if (Value total = maths::emitTotalInteger(b, op, values,
                                            /*divideFloats=*/false))
    return total;
  Type format = tile::elementType(op->getResult(0).getType());
  bool isNarrowed = tile::isFloat8(format);
  Type element = isNarrowed ? b.getF32Type() : format;
  OperationState state(loc, op->getName(), values,
                       maths::sliceType(element, maths::lanesOf(values[0])),
                       llvm::to_vector(op->getDiscardableAttrs()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Value result = b.create(state)->getResult(0);
  return isNarrowed ? narrow(result, format) : result;
}

Value Float8Lowering::run() {
  auto isFloat8 = [](Type type) { return tile::isFloat8(type); };
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      (!isFloat8(op->getResult(0).getType()) &&
       llvm::none_of(op->getOperandTypes(), isFloat8)))
    return {};
  Type result = tile::elementType(op->getResult(0).getType());
  Type source = tile::elementType(op->getOperand(0).getType());
  if (isa<arith::BitcastOp>(op))
    return operands[0];
  if (isa<arith::SelectOp>(op))
    return arith::SelectOp::create(b, loc, operands[0], operands[1],
                                   operands[2]);
  if (isa<arith::ExtFOp>(op))
    return widen(operands[0], source, result);
  if (isa<tile::FpToFp8Op, arith::TruncFOp>(op))
    return narrow(operands[0], result);
  return computed();
}

Value emitFloat8(OpBuilder &b, Operation *op, ValueRange operands,
                 unsigned capability) {
  return Float8Lowering(b, op, operands, capability).run();
}

TypedAttr bytesOfFloat8(TypedAttr value) {
  if (!isa<FloatType>(getElementTypeOrSelf(value.getType())) ||
      !tile::isFloat8(getElementTypeOrSelf(value.getType())))
    return value;
  Type byte = IntegerType::get(value.getContext(), 8);
  if (auto elements = dyn_cast<DenseElementsAttr>(value))
    return cast<TypedAttr>(elements.bitcast(byte));
  return IntegerAttr::get(byte,
                          cast<FloatAttr>(value).getValue().bitcastToAPInt());
}

} // namespace tesela::nvidia
