//===- FuseDotAcc.cpp - let a dot start from what is added to it ----------===//
//
//   %d = tile.dot %a, %b, %zero
//   %r = arith.addf %x, %d             ==>   %r = tile.dot %a, %b, %x
//
// Legal because a dot's additions come in any order. Only where the dot has no
// other use, or the product would be computed twice.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

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
    for (auto [product, addend] :
         {std::pair(add.getRhs(), add.getLhs()), {add.getLhs(), add.getRhs()}}) {
      auto dot = product.template getDefiningOp<tile::DotOp>();
      if (!dot || !dot->hasOneUse() || dot->getBlock() != add->getBlock())
        continue;
      if (!matchPattern(dot.getAcc(), m_AnyZeroFloat()) &&
          !matchPattern(dot.getAcc(), m_Zero()))
        continue;
      rewriter.replaceOpWithNewOp<tile::DotOp>(
          add, add.getType(), dot.getA(), dot.getB(), addend,
          dot.getPrecision());
      rewriter.eraseOp(dot);
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
