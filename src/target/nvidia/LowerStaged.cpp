//===- LowerStaged.cpp - tiles in shared memory ---------------------------===//
//
//   %s = tgpu.stage %x      barrier: the last contents are read
//                     ==>   store each register where the swizzle has it
//                           fence: asynchronous products see it
//                           barrier
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/DeviceCode.h"
#include "target/nvidia/SharedTransfer.h"

#include "layout/SharedLayouts.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tesela::nvidia {

namespace {

/// From offsets, in elements, to coordinates.
layout::LinearLayout memoryOf(gpu::StagedType type) {
  unsigned axis = unsigned(type.getAxis());
  return layout::boxed(layout::Shape(type.getShape()), {axis, 1 - axis},
                       type.getElementType().getIntOrFloatBitWidth(),
                       layout::SwizzleSpan(unsigned(type.getSwizzle())));
}

struct LowerStage : ThreadPattern<gpu::StageOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult
  matchAndRewrite(gpu::StageOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    gpu::StagedType type = op.getStaged().getType();
    Value base =
        adaptor.getRing()
            ? DeviceCode(rewriter, loc)
                  .at(ringAddress(rewriter, loc, threads, adaptor.getRing()),
                      int64_t(op.getOffset()))
            : threads.keptAddress(rewriter, loc,
                                  threads.shared.keep(type.getBytes(), 1024));
    threads.barrier(rewriter, loc);
    storeShared(threads, rewriter, loc, adaptor.getSource(),
                layoutOf(cast<RankedTensorType>(op.getSource().getType())),
                memoryOf(type), base);
    NVVM::FenceProxyOp::create(
        rewriter, loc, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(op.getContext(),
                                   NVVM::SharedSpace::shared_cta));
    threads.barrier(rewriter, loc);
    rewriter.replaceOp(op, base);
    return success();
  }
};

struct LowerUnstage : ThreadPattern<gpu::UnstageOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult
  matchAndRewrite(gpu::UnstageOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    rewriter.replaceOp(
        op, loadShared(threads, rewriter, op.getLoc(),
                       cast<VectorType>(getTypeConverter()->convertType(type)),
                       layoutOf(type), memoryOf(op.getStaged().getType()),
                       adaptor.getStaged()));
    return success();
  }
};

} // namespace

void addStagedPatterns(RewritePatternSet &patterns, ThreadTypes &types,
                       ThreadLowering &threads) {
  patterns.add<LowerStage, LowerUnstage>(types, patterns.getContext(), threads);
}

} // namespace tesela::nvidia
