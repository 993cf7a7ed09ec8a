//===- LoopAhead.cpp - a loop's iterations ahead of their time ------------===//
//
// Iteration n of a loop from l to u in steps of s is at l + n * s, and there is
// one where l < u and n * s < u - l, which as an unsigned number does not wrap.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/LoopAhead.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tesela::nvidia {

bool LoopAhead::isPossible(scf::ForOp loop, int64_t most) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return !loop.getUnsignedCmp() && step && *step >= 1 &&
         *step <= INT32_MAX / most;
}

LoopAhead::LoopAhead(scf::ForOp loop)
    : loop(loop), loc(loop.getLoc()),
      step(*getConstantIntValue(loop.getStep())) {}

Value LoopAhead::constant(OpBuilder &b, int64_t value) {
  return arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(loop.getInductionVar().getType(), value));
}

Value LoopAhead::isWithin(OpBuilder &b, Value position, int64_t steps) {
  Value left =
      b.createOrFold<arith::SubIOp>(loc, loop.getUpperBound(), position);
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ugt, left,
                                       constant(b, steps * step));
}

LoopAhead::Iteration LoopAhead::before(OpBuilder &b, int64_t steps) {
  Value lower = loop.getLowerBound();
  if (!runs)
    runs = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lower,
                                 loop.getUpperBound());
  Value when =
      steps == 0
          ? runs
          : b.createOrFold<arith::AndIOp>(loc, runs, isWithin(b, lower, steps));
  return {b.createOrFold<arith::AddIOp>(loc, lower, constant(b, steps * step)),
          when};
}

LoopAhead::Iteration LoopAhead::within(OpBuilder &b, int64_t steps) {
  Value position = loop.getInductionVar();
  Value when = isWithin(b, position, steps);
  return {
      b.createOrFold<arith::AddIOp>(loc, position, constant(b, steps * step)),
      when};
}

} // namespace tesela::nvidia
