//===- Pointwise.cpp - one pointwise op on scalars or vectors -------------===//
//
//   %r = arith.addf %a, %b : tensor<64xf16>
//     ==>                                          (of one slice)
//   %x = arith.extf %a', %y = arith.extf %b' : vector<16xf16> to vector<16xf32>
//   %s = arith.addf %x, %y : vector<16xf32>
//   %r' = arith.truncf %s : vector<16xf32> to vector<16xf16>
//
// Narrow floats are computed in f32 and rounded after each op, which for one
// addition, product, quotient or root is the same as computing them directly.
// The ops of `tile` become `arith` guarded by selects, so that nothing traps
// and no poison reaches a result.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Pointwise.h"

#include "dialect/tile/Float8.h"
#include "dialect/tile/Tile.h"
#include "target/maths/TotalIntegers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tesela::cpu {

Value spread(OpBuilder &b, Location loc, Value value, int64_t lanes) {
  if (lanes == 0 || lanesOf(value))
    return value;
  if (auto number = value.getDefiningOp<arith::ConstantOp>())
    return constant(b, loc, cast<TypedAttr>(number.getValue()), lanes);
  Type element = value.getType();
  value = toMoved(b, loc, value);
  value = vector::BroadcastOp::create(b, loc, sliceType(value.getType(), lanes),
                                      value);
  return fromMoved(b, loc, value, element);
}

Type movedType(Type element) {
  // LLVM has no vector code for bf16 on most processors, and no 8-bit floats.
  bool isMoved = element.isBF16() || tile::isFloat8(element);
  return isMoved ? IntegerType::get(element.getContext(),
                                    element.getIntOrFloatBitWidth())
                 : element;
}

Value toMoved(OpBuilder &b, Location loc, Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  if (movedType(element) == element)
    return value;
  return b.createOrFold<arith::BitcastOp>(
      loc, sliceType(movedType(element), lanesOf(value)), value);
}

Value fromMoved(OpBuilder &b, Location loc, Value value, Type element) {
  if (movedType(element) == element)
    return value;
  return arith::BitcastOp::create(b, loc, sliceType(element, lanesOf(value)),
                                  value);
}

Value selectValue(OpBuilder &b, Location loc, Value condition, Value yes,
                  Value no) {
  int64_t lanes = std::max({lanesOf(condition), lanesOf(yes), lanesOf(no)});
  Type element = getElementTypeOrSelf(yes.getType());
  yes = spread(b, loc, toMoved(b, loc, yes), lanes);
  no = spread(b, loc, toMoved(b, loc, no), lanes);
  Value result = arith::SelectOp::create(b, loc, condition, yes, no);
  return fromMoved(b, loc, result, element);
}

Value zeroConstant(OpBuilder &b, Location loc, Type element, int64_t lanes) {
  if (isa<tile::PtrType, LLVM::LLVMPointerType>(element)) {
    Value null = LLVM::ZeroOp::create(b, loc, registerType(element));
    return spread(b, loc, null, lanes);
  }
  return constant(b, loc, cast<TypedAttr>(b.getZeroAttr(element)), lanes);
}

namespace {

/// Emits one op on one slice.
struct PointwiseEmitter {
  OpBuilder &b;
  Operation *op;
  int64_t lanes = 0;
  SmallVector<Value> operands;

  Location loc() const { return op->getLoc(); }
  Type resultElement() const {
    return registerType(getElementTypeOrSelf(op->getResult(0).getType()));
  }

  /// The op again, on other operands, with results of `element`.
  Value repeat(ArrayRef<Value> values, Type element) {
    OperationState state(loc(), op->getName(), values,
                         {sliceType(element, lanes)}, op->getAttrs());
    return b.create(state)->getResult(0);
  }

  /// Whether some float in it is too narrow to compute with.
  bool isNarrow() const {
    auto narrow = [](Type type) {
      auto floatType = dyn_cast<FloatType>(getElementTypeOrSelf(type));
      return floatType && floatType.getWidth() < 32;
    };
    return llvm::any_of(op->getOperandTypes(), narrow) ||
           llvm::any_of(op->getResultTypes(), narrow);
  }

  Value wide() {
    SmallVector<Value> values;
    for (Value operand : operands) {
      auto type = dyn_cast<FloatType>(getElementTypeOrSelf(operand.getType()));
      values.push_back(type && type.getWidth() < 32
                           ? convertFloat(b, loc(), operand, b.getF32Type())
                           : operand);
    }
    auto type = dyn_cast<FloatType>(resultElement());
    if (!type || type.getWidth() >= 32)
      return repeat(values, resultElement());
    return convertFloat(b, loc(), repeat(values, b.getF32Type()), type);
  }

  /// The sign bit of a narrow float is cleared or flipped as an integer.
  Value signBit(bool flip) {
    Type element = resultElement();
    Type bits = b.getIntegerType(element.getIntOrFloatBitWidth());
    int64_t sign = int64_t(1) << (bits.getIntOrFloatBitWidth() - 1);
    Value value =
        arith::BitcastOp::create(b, loc(), sliceType(bits, lanes), operands[0]);
    Value mask = intConstant(b, loc(), bits, flip ? sign : sign - 1, lanes);
    if (flip)
      value = arith::XOrIOp::create(b, loc(), value, mask);
    else
      value = arith::AndIOp::create(b, loc(), value, mask);
    return arith::BitcastOp::create(b, loc(), sliceType(element, lanes), value);
  }

  /// Integer to a narrow float: exact in f64 up to 53 bits, then rounded once.
  template <typename ConvertOp>
  Value intToFloat() {
    Type element = resultElement();
    unsigned from =
        getElementTypeOrSelf(operands[0].getType()).getIntOrFloatBitWidth();
    if (element.getIntOrFloatBitWidth() >= 32)
      return repeat(operands, element);
    Type between = from <= 16 ? b.getF32Type() : Type(b.getF64Type());
    Value value =
        ConvertOp::create(b, loc(), sliceType(between, lanes), operands[0]);
    return convertFloat(b, loc(), value, element);
  }

  Value pointer() {
    if (auto add = dyn_cast<tile::AddPtrOp>(op)) {
      auto type =
          cast<tile::PtrType>(tile::elementType(add.getPtr().getType()));
      Value offset = operands[1];
      Type element = getElementTypeOrSelf(offset.getType());
      if (element.getIntOrFloatBitWidth() < 64)
        offset = arith::ExtSIOp::create(
            b, loc(), sliceType(b.getI64Type(), lanesOf(offset)), offset);
      return LLVM::GEPOp::create(b, loc(), sliceType(type, lanes),
                                 movedType(type.getPointee()), operands[0],
                                 ArrayRef<LLVM::GEPArg>{offset});
    }
    Type type = sliceType(resultElement(), lanes);
    if (isa<tile::PtrToIntOp>(op))
      return LLVM::PtrToIntOp::create(b, loc(), type, operands[0]);
    if (isa<tile::IntToPtrOp>(op))
      return LLVM::IntToPtrOp::create(b, loc(), type, operands[0]);
    return operands[0];
  }

  Value emit() {
    if (isa<tile::AddPtrOp, tile::PtrToIntOp, tile::IntToPtrOp,
            tile::PtrCastOp>(op))
      return pointer();
    for (Value &operand : operands)
      operand = spread(b, loc(), operand, lanes);
    if (Value total = maths::emitTotalInteger(b, op, operands,
                                              /*divideFloats=*/true))
      return total;
    return TypeSwitch<Operation *, Value>(op)
        .Case<arith::ExtFOp, arith::TruncFOp, tile::FpToFp8Op>([&](auto) {
          return convertFloat(b, loc(), operands[0], resultElement());
        })
        .Case<arith::SIToFPOp>(
            [&](auto) { return intToFloat<arith::SIToFPOp>(); })
        .Case<arith::UIToFPOp>(
            [&](auto) { return intToFloat<arith::UIToFPOp>(); })
        .Case<arith::NegFOp>([&](auto) {
          return isNarrow() ? signBit(/*flip=*/true)
                            : repeat(operands, resultElement());
        })
        .Case<math::AbsFOp>([&](auto) {
          return isNarrow() ? signBit(/*flip=*/false)
                            : repeat(operands, resultElement());
        })
        .Case<arith::SelectOp>([&](auto) {
          return selectValue(b, loc(), operands[0], operands[1], operands[2]);
        })
        .Case<arith::BitcastOp>(
            [&](auto) { return repeat(operands, resultElement()); })
        .Default([&](Operation *) {
          return isNarrow() ? wide() : repeat(operands, resultElement());
        });
  }
};

} // namespace

bool isPointwise(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return false;
  StringRef dialect = op->getDialect() ? op->getDialect()->getNamespace() : "";
  if (dialect == "tile")
    return op->hasTrait<OpTrait::Elementwise>();
  return (dialect == "arith" || dialect == "math") && op->getNumOperands() > 0;
}

Value emitPointwise(OpBuilder &b, Operation *op, ArrayRef<Value> operands) {
  PointwiseEmitter emitter{b, op, 0, SmallVector<Value>(operands)};
  for (Value operand : operands)
    emitter.lanes = std::max(emitter.lanes, lanesOf(operand));
  return emitter.emit();
}

} // namespace tesela::cpu
