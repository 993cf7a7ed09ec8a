//===- ExpandMath.cpp - elementary functions on a GPU ---------------------===//
//
//   %y = math.exp %x : vector<8xf32>
//     ==>
//   %t = arith.mulf %x, %log2e
//   %y = math.exp2 %t fastmath<afn>                     (ex2.approx.ftz.f32)
//
// exp, exp2, rsqrt and, where the kernel allows it, sqrt and division of f32
// are instructions with an error of a few ulp; everything else is our own
// straight-line code. There is no library to call.
//
//===----------------------------------------------------------------------===//

#include "target/maths/Functions.h"
#include "target/nvidia/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tesela::nvidia {

using namespace maths;

#define GEN_PASS_DEF_NVIDIAEXPANDMATH
#include "target/nvidia/Passes.h.inc"

static bool isHalf(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() == 16;
}

static bool isBFloat16(Type type) {
  return getElementTypeOrSelf(type).isBF16();
}

static bool isFloat32(Type type) { return getElementTypeOrSelf(type).isF32(); }

static bool isFloat64(Type type) { return getElementTypeOrSelf(type).isF64(); }

/// Whether an op on halves has no instruction, so that f32 computes it.
static bool isWidened(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      op->getNumOperands() == 0 || !isHalf(op->getOperand(0).getType()))
    return false;
  if (isa<arith::DivFOp, arith::RemFOp, arith::FPToSIOp, arith::FPToUIOp>(op))
    return true;
  return isa<math::MathDialect>(op->getDialect()) &&
         !isa<math::AbsFOp, math::CopySignOp, math::FmaOp>(op);
}

static Operation *computeInFloat(LanesBuilder &where, Operation *op) {
  OpBuilder &builder = where.builder;
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (isHalf(operand.getType()) && !mapping.contains(operand))
      mapping.map(operand,
                  convert(Lanes(where, operand), builder.getF32Type()).get());
  Operation *wide = builder.clone(*op, mapping);
  Value result = wide->getResult(0);
  Type type = result.getType();
  if (isHalf(type)) {
    result.setType(withElements(type, builder.getF32Type()));
    result = convert(Lanes(where, result),
                     cast<FloatType>(getElementTypeOrSelf(type)))
                 .get();
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return wide;
}

/// 2^x of f32, by the instruction.
static Lanes fastExp2(Lanes x) {
  LanesBuilder &where = x.builder();
  return {where, math::Exp2Op::create(where.builder, where.loc, x.get(),
                                      arith::FastMathFlags::afn)};
}

/// An integer as bf16, rounded once.
template <typename ConvertOp>
static Value integerToBFloat16(LanesBuilder &where, ConvertOp op) {
  OpBuilder &builder = where.builder;
  unsigned width = getElementTypeOrSelf(op.getIn()).getIntOrFloatBitWidth();
  FloatType between = width <= 16 ? builder.getF32Type() : builder.getF64Type();
  Value exact = ConvertOp::create(
      builder, where.loc, withElements(op.getType(), between), op.getIn());
  return narrow(Lanes(where, exact), builder.getBF16Type()).get();
}

namespace {

struct NvidiaExpandMath : impl::NvidiaExpandMathBase<NvidiaExpandMath> {
  bool expand(Operation *op);
  bool compute(LanesBuilder &where, Operation *op, const Function &function);

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
              op->getDialect()))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (!expand(op))
        return signalPassFailure();
  }
};

} // namespace

bool NvidiaExpandMath::compute(LanesBuilder &where, Operation *op,
                               const Function &function) {
  Type type = op->getResult(0).getType();
  bool isDouble = isFloat64(type);
  auto vector = dyn_cast<VectorType>(type);
  if ((!isDouble && !isFloat32(type)) || (vector && vector.getRank() != 1)) {
    op->emitOpError("has no code for ") << type;
    return false;
  }
  bool inDouble = !isDouble && function.floatInDouble;
  SmallVector<Lanes> operands;
  for (Value value : op->getOperands()) {
    Lanes operand(where, value);
    operands.push_back(inDouble ? convert(operand, where.builder.getF64Type())
                                : operand);
  }
  Lanes result = function.unary ? function.unary(operands[0])
                                : function.binary(operands[0], operands[1]);
  if (inDouble)
    result = convert(result, where.builder.getF32Type());
  op->getResult(0).replaceAllUsesWith(result.get());
  op->erase();
  return true;
}

bool NvidiaExpandMath::expand(Operation *op) {
  OpBuilder builder(op);
  LanesBuilder where{builder, op->getLoc()};
  where.hasReciprocal = true;
  auto replace = [&](Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return true;
  };

  if (Value result = expandPredicate(where, op))
    return replace(result);
  if (isWidened(op))
    return expand(computeInFloat(where, op));
  if (auto truncation = dyn_cast<arith::TruncFOp>(op)) {
    if (!isFloat64(truncation.getIn().getType()) ||
        !isBFloat16(truncation.getType()))
      return true;
    return replace(
        narrow(Lanes(where, truncation.getIn()), builder.getBF16Type()).get());
  }
  if (auto fromSigned = dyn_cast<arith::SIToFPOp>(op))
    return !isBFloat16(fromSigned.getType()) ||
           replace(integerToBFloat16(where, fromSigned));
  if (auto fromUnsigned = dyn_cast<arith::UIToFPOp>(op))
    return !isBFloat16(fromUnsigned.getType()) ||
           replace(integerToBFloat16(where, fromUnsigned));
  if (auto both = dyn_cast<math::SincosOp>(op)) {
    auto [sine, cosine] = splitSincos(both);
    return expand(sine) && expand(cosine);
  }
  if (auto root = dyn_cast<math::RsqrtOp>(op)) {
    Lanes x(where, root.getOperand());
    return replace((x.isDouble() ? 1.0 / sqrt(x) : nearRsqrt(x)).get());
  }
  if (isa<math::ExpOp, math::Exp2Op>(op) &&
      isFloat32(op->getResult(0).getType())) {
    Lanes x(where, op->getOperand(0));
    return replace(fastExp2(isa<math::ExpOp>(op) ? x * 0x1.715476p0 : x).get());
  }
  if (const Function *function = findFunction(op))
    return compute(where, op, *function);
  return true;
}

} // namespace tesela::nvidia
