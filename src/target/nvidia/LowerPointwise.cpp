//===- LowerPointwise.cpp - pointwise ops on a thread's registers ---------===//
//
//   %y = arith.addf %x, %z : tensor<128xf32, #layout>
//     ==>
//   %y = arith.addf %x, %z : vector<4xf32>
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Float8.h"
#include "target/nvidia/Threads.h"

#include "analysis/AxisDependence.h"

#include "target/maths/TotalIntegers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tesela::nvidia {

namespace {

/// Registers of pointers are addresses.
Value toAddress(OpBuilder &b, Location loc, Value pointer) {
  if (!isa<LLVM::LLVMPointerType>(pointer.getType()))
    return pointer;
  return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), pointer);
}

class Pointwise : public ConversionPattern {
public:
  Pointwise(const ThreadTypes &types, MLIRContext *context,
            ThreadLowering &threads)
      : ConversionPattern(types, MatchAnyOpTypeTag(), 1, context),
        capability(threads.capability) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!analysis::isElementwise(op))
      return failure();
    Location loc = op->getLoc();
    Type type = getTypeConverter()->convertType(op->getResult(0).getType());
    if (!type)
      return failure();
    if (Value result = emitFloat8(rewriter, op, operands, capability)) {
      rewriter.replaceOp(op, result);
      return success();
    }
    Value result =
        llvm::TypeSwitch<Operation *, Value>(op)
            .Case([&](tile::AddPtrOp add) {
              return movePointer(rewriter, add, operands, type);
            })
            .Case([&](tile::PtrToIntOp) {
              return toAddress(rewriter, loc, operands[0]);
            })
            .Case([&](tile::IntToPtrOp) -> Value {
              if (isa<VectorType>(type))
                return operands[0];
              return LLVM::IntToPtrOp::create(rewriter, loc, type, operands[0]);
            })
            .Case([&](tile::PtrCastOp) { return operands[0]; })
            .Default([&](Operation *) -> Value {
              if (Value usual = divideByUsual(rewriter, op, operands))
                return usual;
              if (Value total = maths::emitTotalInteger(rewriter, op, operands,
                                                        /*divideFloats=*/false))
                return total;
              return sameOp(rewriter, op, operands, type);
            });
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// A scalar divided by `min(x, 8)`, as blocks find their place in a group:
  /// mostly that is 8, which takes a shift, and not the hundred cycles that the
  /// first copy would wait.
  static Value divideByUsual(OpBuilder &b, Operation *op,
                             ArrayRef<Value> operands) {
    if (!isa<tile::DivSIOp, tile::RemSIOp>(op) ||
        isa<VectorType>(operands[0].getType()))
      return {};
    auto least = op->getOperand(1).getDefiningOp<arith::MinSIOp>();
    llvm::APInt usual;
    if (!least || !matchPattern(least.getRhs(), m_ConstantInt(&usual)) ||
        !usual.sgt(1) || !usual.isPowerOf2())
      return {};
    Location loc = op->getLoc();
    Value isUsual = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          operands[1], least.getRhs());
    auto whole = [&](OpBuilder &inner, Location at) {
      scf::YieldOp::create(
          inner, at,
          divideByPower(inner, at, operands[0], usual, isa<tile::RemSIOp>(op)));
    };
    auto other = [&](OpBuilder &inner, Location at) {
      scf::YieldOp::create(inner, at,
                           maths::emitTotalInteger(inner, op, operands,
                                                   /*divideFloats=*/false));
    };
    return scf::IfOp::create(b, loc, isUsual, whole, other).getResult(0);
  }

  /// By a power of two, towards zero: negative numbers are made larger first.
  /// As shifts, since LLVM would make one division of both branches'
  /// remainders.
  static Value divideByPower(OpBuilder &b, Location loc, Value number,
                             const llvm::APInt &divisor, bool isRemainder) {
    Type type = number.getType();
    unsigned width = divisor.getBitWidth(), bits = divisor.logBase2();
    auto constant = [&](int64_t value) {
      return arith::ConstantIntOp::create(b, loc, type, value);
    };
    Value sign =
        arith::ShRSIOp::create(b, loc, number, constant(int64_t(width) - 1));
    Value bias =
        arith::ShRUIOp::create(b, loc, sign, constant(int64_t(width - bits)));
    Value moved = arith::AddIOp::create(b, loc, number, bias);
    if (!isRemainder)
      return arith::ShRSIOp::create(b, loc, moved, constant(int64_t(bits)));
    Value low = arith::AndIOp::create(b, loc, moved,
                                      constant((int64_t(1) << bits) - 1));
    return arith::SubIOp::create(b, loc, low, bias);
  }

  static Value sameOp(OpBuilder &b, Operation *op, ArrayRef<Value> operands,
                      Type type) {
    OperationState state(op->getLoc(), op->getName(), operands, type,
                         llvm::to_vector(op->getDiscardableAttrs()));
    state.propertiesAttr = op->getPropertiesAsAttribute();
    return b.create(state)->getResult(0);
  }

  static Value movePointer(OpBuilder &b, tile::AddPtrOp add,
                           ArrayRef<Value> operands, Type type) {
    Location loc = add.getLoc();
    Type pointee =
        cast<tile::PtrType>(tile::elementType(add.getType())).getPointee();
    Type wide =
        isa<VectorType>(type)
            ? VectorType::get(cast<VectorType>(type).getShape(), b.getI64Type())
            : Type(b.getI64Type());
    Value offset = operands[1];
    if (getElementTypeOrSelf(offset).getIntOrFloatBitWidth() < 64)
      offset = arith::ExtSIOp::create(b, loc, wide, offset);
    int64_t bytes =
        isa<tile::PtrType>(pointee) ? 8 : pointee.getIntOrFloatBitWidth() / 8;
    if (!isa<VectorType>(type)) {
      return LLVM::GEPOp::create(b, loc, type,
                                 b.getIntegerType(unsigned(bytes) * 8),
                                 operands[0], ArrayRef<LLVM::GEPArg>{offset});
    }
    auto scale = SplatElementsAttr::get(cast<VectorType>(wide),
                                        b.getI64IntegerAttr(bytes));
    Value moved = arith::MulIOp::create(
        b, loc, offset, arith::ConstantOp::create(b, loc, scale));
    return arith::AddIOp::create(b, loc, operands[0], moved);
  }

  unsigned capability;
};

struct Constant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TypedAttr value = bytesOfFloat8(op.getValue());
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    if (!tile && value.getType() == op.getType())
      return failure();
    if (!tile) {
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
      return success();
    }
    auto type = cast<VectorType>(getTypeConverter()->convertType(tile));
    auto elements = cast<DenseElementsAttr>(value);
    if (elements.isSplat()) {
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(
          op,
          SplatElementsAttr::get(type, elements.getSplatValue<Attribute>()));
      return success();
    }
    op.emitError("a constant tile whose elements differ has no place in "
                 "registers");
    return failure();
  }
};

struct Splat : OpConversionPattern<tile::SplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tile::SplatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(
        op, type, toAddress(rewriter, op.getLoc(), adaptor.getValue()));
    return success();
  }
};

struct ProgramId : OpConversionPattern<tile::ProgramIdOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tile::ProgramIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = rewriter.getI32Type();
    if (op.getAxis() == 0)
      rewriter.replaceOpWithNewOp<NVVM::BlockIdXOp>(op, type);
    else if (op.getAxis() == 1)
      rewriter.replaceOpWithNewOp<NVVM::BlockIdYOp>(op, type);
    else
      rewriter.replaceOpWithNewOp<NVVM::BlockIdZOp>(op, type);
    return success();
  }
};

struct NumPrograms : OpConversionPattern<tile::NumProgramsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tile::NumProgramsOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = rewriter.getI32Type();
    if (op.getAxis() == 0)
      rewriter.replaceOpWithNewOp<NVVM::GridDimXOp>(op, type);
    else if (op.getAxis() == 1)
      rewriter.replaceOpWithNewOp<NVVM::GridDimYOp>(op, type);
    else
      rewriter.replaceOpWithNewOp<NVVM::GridDimZOp>(op, type);
    return success();
  }
};

} // namespace

void addPointwisePatterns(RewritePatternSet &patterns, ThreadTypes &types,
                          ThreadLowering &threads) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Pointwise>(types, context, threads);
  patterns.add<Constant, Splat, ProgramId, NumPrograms>(types, context);
}

} // namespace tesela::nvidia
