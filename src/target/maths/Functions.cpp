//===- Functions.cpp - which op is which elementary function --------------===//

#include "target/maths/Functions.h"

#include <limits>

using namespace mlir;

namespace tesela::maths {

static const Function functions[] = {
    {"math.acos", "acos", acos, nullptr},
    {"math.acosh", "acosh", acosh, nullptr, true},
    {"math.asin", "asin", asin, nullptr},
    {"math.asinh", "asinh", asinh, nullptr, true},
    {"math.atan", "atan", atan, nullptr},
    {"math.atan2", "atan2", nullptr, atan2},
    {"math.atanh", "atanh", atanh, nullptr, true},
    {"math.cbrt", "cbrt", cbrt, nullptr},
    {"math.cos", "cos", cos, nullptr},
    {"math.cosh", "cosh", cosh, nullptr},
    {"math.erf", "erf", erf, nullptr},
    {"math.erfc", "erfc", erfc, nullptr, true},
    {"math.exp", "exp", exp, nullptr},
    {"math.exp2", "exp2", exp2, nullptr},
    {"math.expm1", "expm1", expm1, nullptr},
    {"math.log", "log", log, nullptr},
    {"math.log10", "log10", log10, nullptr},
    {"math.log1p", "log1p", log1p, nullptr},
    {"math.log2", "log2", log2, nullptr},
    {"math.powf", "pow", nullptr, pow},
    {"math.sin", "sin", sin, nullptr},
    {"math.sinh", "sinh", sinh, nullptr},
    {"math.tan", "tan", tan, nullptr},
    {"math.tanh", "tanh", tanh, nullptr},
    {"arith.remf", "fmod", nullptr, remainder},
};

const Function *findFunction(Operation *op) {
  StringRef name = op->getName().getStringRef();
  for (const Function &function : functions)
    if (function.op == name)
      return &function;
  return nullptr;
}

Value expandPredicate(LanesBuilder &where, Operation *op) {
  if (auto clampOp = dyn_cast<math::ClampFOp>(op)) {
    Value low = arith::MaximumFOp::create(where.builder, where.loc,
                                          clampOp.getValue(), clampOp.getMin());
    return arith::MinimumFOp::create(where.builder, where.loc, low,
                                     clampOp.getMax());
  }
  if (!isa<math::IsNaNOp, math::IsInfOp, math::IsFiniteOp, math::IsNormalOp>(
          op))
    return {};
  Lanes x(where, op->getOperand(0));
  double infinity = std::numeric_limits<double>::infinity();
  if (isa<math::IsNaNOp>(op))
    return differs(x, x).get();
  if (isa<math::IsInfOp>(op))
    return equal(abs(x), infinity).get();
  if (isa<math::IsFiniteOp>(op))
    return (abs(x) < infinity).get();
  const llvm::fltSemantics &semantics =
      cast<FloatType>(x.elementType()).getFloatSemantics();
  double smallest =
      llvm::APFloat::getSmallestNormalized(semantics).convertToDouble();
  return ((abs(x) >= smallest) & (abs(x) < infinity)).get();
}

std::pair<Operation *, Operation *> splitSincos(math::SincosOp op) {
  OpBuilder builder(op);
  auto sine = math::SinOp::create(builder, op.getLoc(), op.getOperand());
  auto cosine = math::CosOp::create(builder, op.getLoc(), op.getOperand());
  op->getResult(0).replaceAllUsesWith(sine);
  op->getResult(1).replaceAllUsesWith(cosine);
  op->erase();
  return {sine, cosine};
}

} // namespace tesela::maths
