//===- HoistSplat.cpp - compute on the scalar, then splat -----------------===//
//
//   %a = tile.splat %x                      %s = arith.addf %x, %y : f32
//   %b = tile.splat %y               ==>    %r = tile.splat %s
//   %r = arith.addf %a, %b : tensor
//
//   %b = tile.broadcast (tile.splat %x)  ==>  %b = tile.splat %x
//
// Legal because an elementwise op gives equal results for equal operands, and
// because the shape ops only repeat or move elements. Only pure ops move; the
// splats die later if nothing else uses them.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "analysis/AxisDependence.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tesela {
#define GEN_PASS_DEF_HOISTSPLAT
#include "passes/Passes.h.inc"

namespace {

struct HoistSplatPattern : OpTraitRewritePattern<OpTrait::Elementwise> {
  HoistSplatPattern(MLIRContext *context, Pass::Statistic &hoisted)
      : OpTraitRewritePattern(context), hoisted(hoisted) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!analysis::isElementwise(op) || op->getNumOperands() == 0)
      return rewriter.notifyMatchFailure(op, "not a pure op with one result");
    auto tileType = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!tileType)
      return rewriter.notifyMatchFailure(op, "result is not a tile");

    // Constants alone are left to folding.
    bool hasSplat = false;
    for (Value operand : op->getOperands()) {
      bool isSplat = operand.getDefiningOp<tile::SplatOp>();
      DenseElementsAttr constant;
      bool isConstant =
          matchPattern(operand, m_Constant(&constant)) && constant.isSplat();
      if (!isSplat && !isConstant && isa<ShapedType>(operand.getType()))
        return rewriter.notifyMatchFailure(op, "an operand is not a splat");
      hasSplat |= isSplat;
    }
    if (!hasSplat)
      return rewriter.notifyMatchFailure(op, "no operand is a splat");

    SmallVector<Value> scalars;
    for (Value operand : op->getOperands()) {
      DenseElementsAttr constant;
      if (auto splat = operand.getDefiningOp<tile::SplatOp>())
        scalars.push_back(splat.getValue());
      else if (matchPattern(operand, m_Constant(&constant)))
        scalars.push_back(arith::ConstantOp::create(
            rewriter, op->getLoc(),
            cast<TypedAttr>(constant.getSplatValue<Attribute>())));
      else
        scalars.push_back(operand);
    }
    OperationState scalarOp(op->getLoc(), op->getName(), scalars,
                            tileType.getElementType(), op->getAttrs());
    Value scalar = rewriter.create(scalarOp)->getResult(0);
    rewriter.replaceOpWithNewOp<tile::SplatOp>(op, tileType, scalar);
    ++hoisted;
    return success();
  }

  Pass::Statistic &hoisted;
};

template <typename ShapeOp>
struct SplatShapePattern : OpRewritePattern<ShapeOp> {
  using OpRewritePattern<ShapeOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto splat = op.getSource().template getDefiningOp<tile::SplatOp>();
    if (!splat)
      return rewriter.notifyMatchFailure(op, "the source is not a splat");
    rewriter.replaceOpWithNewOp<tile::SplatOp>(op, op.getType(),
                                               splat.getValue());
    return success();
  }
};

struct HoistSplat : impl::HoistSplatBase<HoistSplat> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<HoistSplatPattern>(&getContext(), numHoisted);
    patterns.add<SplatShapePattern<tile::BroadcastOp>,
                 SplatShapePattern<tile::ExpandDimsOp>,
                 SplatShapePattern<tile::ReshapeOp>,
                 SplatShapePattern<tile::PermuteOp>>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tesela
