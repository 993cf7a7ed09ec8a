//===- ExpandMath.cpp - elementary functions as straight-line code --------===//
//
//   %y = math.exp %x : vector<8xf32>  ==>  %s = math.fma %x, %log2e, %magic …
//
// Only what the processor has as an instruction is left of the math dialect.
// f16 and bf16 are computed in f32. Three things call the C library instead,
// lane by lane: functions that few kernels use in f64, large arguments of
// circular functions in f64, and everything where there are no fused
// operations, which the formulas' errors depend on. docs/maths.md has the list.
//
// LLVM has no vector code for narrowing to bf16 on most processors; so
// arithmetic on bf16 becomes arithmetic on f32 here, and narrowing integer
// code. What is left only moves bf16 numbers, which are integers from here on
// (to-llvm): LLVM would widen one of two to choose it, and call to narrow it.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Machine.h"
#include "target/cpu/Passes.h"
#include "target/maths/Functions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/TargetParser/Triple.h"

using namespace mlir;

namespace tesela::cpu {

using namespace maths;

#define GEN_PASS_DEF_CPUEXPANDMATH
#include "target/cpu/Passes.h.inc"

static Lanes rsqrt(Lanes x) { return 1.0 / sqrt(x); }

namespace {

class Expander {
public:
  Expander(ModuleOp module, bool hasFma, bool hasScale)
      : module(module), hasFma(hasFma), hasScale(hasScale) {}

  /// Replaces an op where it is one of those above. False after an error.
  bool expand(Operation *op);

private:
  bool isNarrowed(Operation *op);
  void computeInFloat(Operation *op);
  bool compute(Operation *op, const Function &function);
  Lanes evaluate(const Function &function, ArrayRef<Lanes> operands);
  Lanes callLibrary(const Function &function, ArrayRef<Lanes> operands);
  Value callScalar(LanesBuilder &where, StringRef name, ValueRange operands);

  ModuleOp module;
  bool hasFma;
  bool hasScale;
  bool failed = false;
};

} // namespace

static bool isElement(Type type, llvm::function_ref<bool(Type)> test) {
  return test(getElementTypeOrSelf(type));
}

//===----------------------------------------------------------------------===//
// Calls of the C library
//===----------------------------------------------------------------------===//

Value Expander::callScalar(LanesBuilder &where, StringRef name,
                           ValueRange operands) {
  Type result = operands.front().getType();
  auto type = LLVM::LLVMFunctionType::get(
      result, SmallVector<Type>(operands.size(), result));
  Operation *known = module.lookupSymbol(name);
  auto callee = dyn_cast_or_null<LLVM::LLVMFuncOp>(known);
  if (known &&
      (!callee || !callee.isExternal() || callee.getFunctionType() != type)) {
    emitError(where.loc) << "`" << name << "` is needed of the C library here, "
                         << "but the kernel has that name; rename the kernel";
    failed = true;
    return operands.front();
  }
  if (!callee) {
    OpBuilder atEnd(module.getBodyRegion());
    callee = LLVM::LLVMFuncOp::create(atEnd, module.getLoc(), name, type);
  }
  return LLVM::CallOp::create(where.builder, where.loc, callee, operands)
      .getResult();
}

Lanes Expander::callLibrary(const Function &function,
                            ArrayRef<Lanes> operands) {
  LanesBuilder &where = operands.front().builder();
  OpBuilder &builder = where.builder;
  std::string name = function.libraryName.str();
  if (!operands.front().isDouble())
    name += 'f';
  SmallVector<Value> values;
  for (const Lanes &operand : operands)
    values.push_back(operand.get());
  auto type = dyn_cast<VectorType>(values.front().getType());
  if (!type)
    return {where, callScalar(where, name, values)};

  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, where.loc, value);
  };
  auto loop = scf::ForOp::create(
      builder, where.loc, constant(0), constant(type.getNumElements()),
      constant(1), values.front(),
      [&](OpBuilder &nested, Location loc, Value lane, ValueRange carried) {
        LanesBuilder inside = where.inside(nested, loc);
        SmallVector<Value> scalars;
        for (Value value : values)
          scalars.push_back(vector::ExtractOp::create(
              nested, loc, value, ArrayRef<OpFoldResult>{lane}));
        Value result = callScalar(inside, name, scalars);
        Value inserted = vector::InsertOp::create(
            nested, loc, result, carried[0], ArrayRef<OpFoldResult>{lane});
        scf::YieldOp::create(nested, loc, inserted);
      });
  return {where, loop.getResult(0)};
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Lanes Expander::evaluate(const Function &function, ArrayRef<Lanes> operands) {
  Lanes x = operands.front();
  LanesBuilder &where = x.builder();
  auto apply = [&](ArrayRef<Lanes> values) {
    return function.unary ? function.unary(values[0])
                          : function.binary(values[0], values[1]);
  };
  if (!x.isDouble() && function.floatInDouble) {
    Lanes wide = convert(x, where.builder.getF64Type());
    Lanes result = hasFma ? apply(wide) : callLibrary(function, wide);
    return convert(result, where.builder.getF32Type());
  }
  return hasFma ? apply(operands) : callLibrary(function, operands);
}

bool Expander::compute(Operation *op, const Function &function) {
  OpBuilder builder(op);
  LanesBuilder where{builder, op->getLoc(), hasScale};
  Type type = op->getResult(0).getType();
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  if (element.getWidth() != 16 && !element.isF32() && !element.isF64()) {
    op->emitOpError("has no code for elements of ") << element;
    return false;
  }

  // One dimension of lanes, 32 or 64 bits each.
  auto vectorType = dyn_cast<VectorType>(type);
  bool isFlattened = vectorType && vectorType.getRank() != 1;
  SmallVector<Lanes> operands;
  for (Value value : op->getOperands()) {
    if (isFlattened)
      value = vector::ShapeCastOp::create(
          builder, op->getLoc(),
          VectorType::get(vectorType.getNumElements(), element), value);
    Lanes operand(where, value);
    operands.push_back(element.getWidth() == 16
                           ? widen(operand, builder.getF32Type())
                           : operand);
  }
  Lanes result = evaluate(function, operands);
  if (failed)
    return false;
  if (element.getWidth() == 16)
    result = narrow(result, element);
  Value value = result.get();
  if (isFlattened)
    value = vector::ShapeCastOp::create(builder, op->getLoc(), type, value);
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return true;
}

//===----------------------------------------------------------------------===//
// bf16
//===----------------------------------------------------------------------===//

static bool isBFloat16(Type type) {
  return isElement(type, [](Type element) { return element.isBF16(); });
}

/// Arithmetic on bf16 that LLVM would narrow after by a call.
bool Expander::isNarrowed(Operation *op) {
  if (isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp, arith::ExtFOp,
          arith::NegFOp, arith::TruncFOp>(op) ||
      op->getNumRegions() || op->getNumResults() != 1)
    return false;
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
      !isa<vector::FMAOp, vector::ReductionOp>(op))
    return false;
  return isBFloat16(op->getResult(0).getType()) ||
         llvm::any_of(op->getOperandTypes(), isBFloat16);
}

void Expander::computeInFloat(Operation *op) {
  OpBuilder builder(op);
  LanesBuilder where{builder, op->getLoc(), hasScale};
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (isBFloat16(operand.getType()) && !mapping.contains(operand))
      mapping.map(operand, widen({where, operand}, builder.getF32Type()).get());
  Operation *wide = builder.clone(*op, mapping);
  Value result = wide->getResult(0);
  if (isBFloat16(result.getType())) {
    result.setType(withElements(result.getType(), builder.getF32Type()));
    result = narrow({where, result}, builder.getBF16Type()).get();
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  if (wide->getDialect()->getNamespace() == "math" || isa<arith::RemFOp>(wide))
    expand(wide);
}

/// The other sign, as integers.
static Value negateBits(OpBuilder &builder, arith::NegFOp negation) {
  Location loc = negation.getLoc();
  Type type = negation.getType();
  Type bits = withElements(type, builder.getI16Type());
  Value number =
      arith::BitcastOp::create(builder, loc, bits, negation.getOperand());
  TypedAttr sign = builder.getI16IntegerAttr(INT16_MIN);
  if (auto vector = dyn_cast<VectorType>(bits))
    sign = DenseElementsAttr::get(vector, Attribute(sign));
  number = arith::XOrIOp::create(builder, loc, number,
                                 arith::ConstantOp::create(builder, loc, sign));
  return arith::BitcastOp::create(builder, loc, type, number);
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

bool Expander::expand(Operation *op) {
  OpBuilder builder(op);
  LanesBuilder where{builder, op->getLoc(), hasScale};
  auto replace = [&](Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return true;
  };

  // Divisions and roots are exact here, whatever the kernel allows.
  if (isa<arith::DivFOp, math::SqrtOp>(op)) {
    auto fast = cast<arith::ArithFastMathInterface>(op);
    op->setAttr(fast.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(op->getContext(),
                                              arith::FastMathFlags::none));
  }
  if (isNarrowed(op)) {
    computeInFloat(op);
    return !failed;
  }
  if (auto negation = dyn_cast<arith::NegFOp>(op);
      negation && isBFloat16(negation.getType()))
    return replace(negateBits(builder, negation));
  if (auto truncation = dyn_cast<arith::TruncFOp>(op)) {
    auto to = cast<FloatType>(getElementTypeOrSelf(truncation.getType()));
    auto from = cast<FloatType>(getElementTypeOrSelf(truncation.getIn()));
    bool isShort = to.isBF16() || (to.isF16() && from.isF64());
    if (!isShort || !(from.isF32() || from.isF64()))
      return true;
    return replace(narrow({where, truncation.getIn()}, to).get());
  }
  if (auto extension = dyn_cast<arith::ExtFOp>(op)) {
    auto to = cast<FloatType>(getElementTypeOrSelf(extension.getType()));
    if (!isBFloat16(extension.getIn().getType()))
      return true;
    return replace(widen({where, extension.getIn()}, to).get());
  }
  if (Value result = expandPredicate(where, op))
    return replace(result);
  if (auto root = dyn_cast<math::RsqrtOp>(op)) {
    Lanes x(where, root.getOperand());
    auto element = cast<FloatType>(x.elementType());
    if (element.getWidth() != 16)
      return replace(rsqrt(x).get());
    return replace(
        narrow(rsqrt(widen(x, builder.getF32Type())), element).get());
  }
  if (auto both = dyn_cast<math::SincosOp>(op)) {
    auto [sine, cosine] = splitSincos(both);
    return expand(sine) && expand(cosine);
  }
  if (const Function *function = findFunction(op))
    return compute(op, *function);
  return true;
}

namespace {

struct CpuExpandMath : impl::CpuExpandMathBase<CpuExpandMath> {
  using CpuExpandMathBase::CpuExpandMathBase;

  void runOnOperation() override {
    Expander expander(getOperation(), hasFma, hasScale);
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                          vector::VectorDialect>(op->getDialect()))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (!expander.expand(op))
        return signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createCpuExpandMath(const TargetFacts &facts) {
  CpuExpandMathOptions options;
  bool isX86 = llvm::Triple(facts.triple).isX86_64();
  options.hasFma = !isX86 || hasFeature(facts, "fma");
  options.hasScale = isX86 && hasFeature(facts, "avx512vl");
  return createCpuExpandMath(options);
}

} // namespace tesela::cpu
