//===- LowerConvert.cpp - from one layout to another ----------------------===//
//
// Within a thread a permutation of its registers; else through shared memory,
// between two barriers: the first for those who still read what was there. What
// a tensor core has computed goes there by `stmatrix`.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/SharedTransfer.h"

#include "layout/Conversion.h"
#include "layout/Swizzle.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tesela::nvidia {

using layout::ConversionKind;
using layout::LinearLayout;
using layout::Place;

namespace {

struct Convert : ThreadPattern<gpu::ConvertOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(gpu::ConvertOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto from = cast<RankedTensorType>(op.getSource().getType());
    auto to = cast<RankedTensorType>(op.getType());
    LinearLayout source = layoutOf(from), target = layoutOf(to);
    auto type = cast<VectorType>(getTypeConverter()->convertType(to));
    auto conversion = layout::conversion(source, target);
    if (!conversion)
      return op.emitError("no thread holds an element that is wanted");
    if (conversion->kind == ConversionKind::None) {
      b.replaceOp(op, adaptor.getSource());
      return success();
    }
    if (conversion->kind == ConversionKind::Registers) {
      SmallVector<int64_t> registers;
      for (int64_t reg = 0; reg < type.getNumElements(); ++reg) {
        Place place;
        place.reg = uint64_t(reg);
        registers.push_back(int64_t(conversion->source(place).reg));
      }
      b.replaceOpWithNewOp<vector::ShuffleOp>(op, type, adaptor.getSource(),
                                              adaptor.getSource(), registers);
      return success();
    }
    Type element = type.getElementType();
    auto matrices = matrixBuffer(threads, source, target, element);
    LinearLayout memory =
        matrices ? *matrices
                 : layout::conversionBuffer(source, target,
                                            unsigned(sharedBytes(element)) * 8)
                       ->layout;
    threads.shared.lend(to.getNumElements() * sharedBytes(element));
    threads.barrier(b, loc);
    (matrices ? storeMatrices
              : storeShared)(threads, b, loc, adaptor.getSource(), source,
                             memory, threads.lentAddress(b, loc));
    threads.barrier(b, loc);
    b.replaceOp(op, loadShared(threads, b, loc, type, target, memory,
                               threads.lentAddress(b, loc)));
    return success();
  }
};

} // namespace

void addConvertPatterns(RewritePatternSet &patterns, ThreadTypes &types,
                        ThreadLowering &threads) {
  patterns.add<Convert>(types, patterns.getContext(), threads);
}

} // namespace tesela::nvidia
