//===- FuseDotAcc.cpp - let a dot start from what is added to it ----------===//
//
//   %d = tile.dot %a, %b, %zero
//   %r = arith.addf %x, %d             ==>   %r = tile.dot %a, %b, %x
//
//   %d = tile.dot %a, %b, %zero : i32        %w = arith.extsi %x : i8 to i32
//   %t = arith.trunci %d : i32 to i8   ==>   %d = tile.dot %a, %b, %w
//   %r = arith.addi %x, %t                   %r = arith.trunci %d
//
// Legal because a dot's additions come in any order, and because truncation of
// integers keeps sums modulo 2^n. Only where the dot has no other use, or the
// product would be computed twice. A float's cast rounds, and is left alone; so
// are products of 8-bit floats, which hardware adds to less than fp32: only who
// gives the accumulator to the dot asks for that.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "dialect/tile/Float8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tesela {
#define GEN_PASS_DEF_FUSEDOTACC
#include "passes/Passes.h.inc"

namespace {

template <typename AddOp>
struct FuseDotAccPattern : OpRewritePattern<AddOp> {
  FuseDotAccPattern(MLIRContext *context, Pass::Statistic &fused)
      : OpRewritePattern<AddOp>(context), fused(fused) {}

  LogicalResult matchAndRewrite(AddOp add,
                                PatternRewriter &rewriter) const override {
    for (auto [product, addend] : {std::pair(add.getRhs(), add.getLhs()),
                                   {add.getLhs(), add.getRhs()}}) {
      Value full = product;
      auto narrow = full.getDefiningOp<arith::TruncIOp>();
      if (narrow && narrow->hasOneUse())
        full = narrow.getIn();
      auto dot = full.getDefiningOp<tile::DotOp>();
      if (!dot || !dot->hasOneUse() || dot->getBlock() != add->getBlock())
        continue;
      if (!matchPattern(dot.getAcc(), m_AnyZeroFloat()) &&
          !matchPattern(dot.getAcc(), m_Zero()))
        continue;

      if (tile::isFloat8(dot.getA().getType()))
        continue;

      Value acc = addend;
      if (acc.getType() != dot.getType())
        acc =
            arith::ExtSIOp::create(rewriter, add.getLoc(), dot.getType(), acc);
      Value sum =
          tile::DotOp::create(rewriter, add.getLoc(), dot.getType(), dot.getA(),
                              dot.getB(), acc, dot.getPrecision());
      if (sum.getType() != add.getType())
        sum =
            arith::TruncIOp::create(rewriter, add.getLoc(), add.getType(), sum);
      rewriter.replaceOp(add, sum);
      ++fused;
      return success();
    }
    return rewriter.notifyMatchFailure(add, "no addend is a dot from zero");
  }

  Pass::Statistic &fused;
};

struct FuseDotAcc : impl::FuseDotAccBase<FuseDotAcc> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseDotAccPattern<arith::AddFOp>,
                 FuseDotAccPattern<arith::AddIOp>>(&getContext(), numFused);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tesela
