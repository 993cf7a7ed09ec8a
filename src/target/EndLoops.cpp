//===- EndLoops.cpp - loops end before their variable wraps ---------------===//
//
//   scf.for %i = 0 to %b step 5       scf.if 0 < %b
//                                 ==>   scf.for unsigned %i = 0 to %b step 5
//   scf.for %i = %a to %b step 5      scf.for unsigned %k = 0 to %count step 1
//                                       %i = %a + %k * 5
//
// One step past the last value may be more than the type holds, and a test of
// that sum against the end would start the loop all over. From a natural number
// the sum holds without a sign; elsewhere the iterations are counted before.
// Loops that end well as they are, such as those with a step of 1, stay.
//
//===----------------------------------------------------------------------===//

#include "target/Passes.h"

#include "analysis/IntegerRanges.h"
#include "analysis/IntegerWidth.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tesela {
#define GEN_PASS_DEF_ENDLOOPS
#include "target/Passes.h.inc"

namespace {

/// Whether a step past any value below the end is a number of the type.
bool endsWell(scf::ForOp loop, analysis::IntegerRanges &ranges) {
  APInt step;
  if (matchPattern(loop.getStep(), m_ConstantInt(&step)) && step.isOne())
    return true;
  if (loop.getUnsignedCmp())
    return false;
  unsigned width = analysis::integerWidth(loop.getStep().getType());
  if (width == 0)
    return false;
  __int128 most = (__int128(1) << (width - 1)) - 1;
  return __int128(ranges.get(loop.getUpperBound()).most) - 1 +
             ranges.get(loop.getStep()).most <=
         most;
}

/// From a natural number, no sum of a value below the end and a step is more
/// than the type holds without a sign.
/// (A greater one of end and zero would take a register of the loop's.)
void compareUnsigned(scf::ForOp loop) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  auto runs = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                    loop.getLowerBound(), loop.getUpperBound());
  bool hasResults = loop.getNumResults() != 0;
  auto guard = scf::IfOp::create(b, loc, loop.getResultTypes(), runs,
                                 /*withElseRegion=*/hasResults);
  loop.replaceAllUsesWith(guard.getResults());
  loop.setUnsignedCmp(true);
  if (!hasResults) {
    loop->moveBefore(guard.thenBlock()->getTerminator());
    return;
  }
  b.setInsertionPointToEnd(guard.elseBlock());
  scf::YieldOp::create(b, loc, loop.getInitArgs());
  b.setInsertionPointToEnd(guard.thenBlock());
  loop->moveBefore(guard.thenBlock(), guard.thenBlock()->end());
  scf::YieldOp::create(b, loc, loop.getResults());
}

void countIterations(scf::ForOp loop) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  Value step = loop.getStep();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc,
                                     b.getIntegerAttr(step.getType(), value));
  };
  Value zero = number(0), one = number(1);
  Value runs =
      arith::CmpIOp::create(b, loc,
                            loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                                  : arith::CmpIPredicate::slt,
                            lower, upper);
  Value farthest = arith::SubIOp::create(
      b, loc, arith::SubIOp::create(b, loc, upper, lower), one);
  // Without an iteration nothing is known of the step.
  Value by = matchPattern(step, m_Constant())
                 ? step
                 : arith::MaxUIOp::create(b, loc, step, one).getResult();
  Value count = arith::DivUIOp::create(b, loc, farthest, by);
  count = arith::AddIOp::create(b, loc, count, one);
  count = arith::SelectOp::create(b, loc, runs, count, zero);

  loop.setLowerBound(zero);
  loop.setUpperBound(count);
  loop.setStep(one);
  loop.setUnsignedCmp(true);
  b.setInsertionPointToStart(loop.getBody());
  Value iteration = loop.getInductionVar();
  auto covered = arith::MulIOp::create(b, loc, iteration, step);
  Value variable = arith::AddIOp::create(b, loc, lower, covered);
  iteration.replaceUsesWithIf(
      variable, [&](OpOperand &use) { return use.getOwner() != covered; });
}

struct EndLoops : impl::EndLoopsBase<EndLoops> {
  void runOnOperation() override {
    analysis::IntegerRanges ranges;
    SmallVector<scf::ForOp> fromNatural, others;
    // Asked before anything changes, since the analysis remembers values.
    getOperation()->walk([&](scf::ForOp loop) {
      if (endsWell(loop, ranges))
        return;
      bool isNatural =
          !loop.getUnsignedCmp() && ranges.get(loop.getLowerBound()).least >= 0;
      (isNatural ? fromNatural : others).push_back(loop);
    });
    llvm::for_each(fromNatural, compareUnsigned);
    llvm::for_each(others, countIterations);
  }
};

} // namespace
} // namespace tesela
