//===- LowerStaged.cpp - tiles in shared memory ---------------------------===//
//
//   %s = tgpu.stage %x      barrier: the last contents are read
//                     ==>   store each register where the swizzle has it
//                           fence: asynchronous products see it (sm_90)
//                           barrier
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/DeviceCode.h"
#include "target/nvidia/SharedTransfer.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tesela::nvidia {

namespace {

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
            : threads.keptAddress(
                  rewriter, loc,
                  threads.shared.keep(type.getBytes(), stagedAlignment));
    threads.barrier(rewriter, loc);
    storeShared(threads, rewriter, loc, adaptor.getSource(),
                layoutOf(cast<RankedTensorType>(op.getSource().getType())),
                memoryOf(type), base);
    bool isForWgmma =
        llvm::any_of(op.getStaged().getUsers(),
                     [](Operation *user) { return !isa<gpu::MmaOp>(user); });
    if (threads.capability >= 90 && isForWgmma)
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
