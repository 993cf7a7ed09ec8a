//===- LowerCopies.cpp - copies into shared memory as cp.async ------------===//
//
//   tgpu.copy_view %p[%i, %j] .. bounds [%n] axes [1] to %s when %c
//     ==>
//   @%c cp.async.cg.shared.global [%s + %swizzled], [%at], 16, %size;
//
// one for each 16 bytes of a thread, or 8 or 4 where alignment or bounds want
// it; `%size` is 0 outside of the bounds, which fills zeros. What is narrower
// goes through a register.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/DeviceCode.h"
#include "target/nvidia/GlobalMemory.h"
#include "target/nvidia/SharedTransfer.h"
#include "target/nvidia/ViewAccess.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tesela::nvidia {

using layout::Dim;
using layout::LinearLayout;
using layout::Place;
using layout::PlaceMap;
using layout::VectorAccess;

namespace {

/// Nothing is read where `inside` is given and false: zeros come then.
void copyAsync(DeviceCode &code, Value to, Value from, int64_t bytes,
               Value inside, Value when) {
  std::string size = std::to_string(bytes);
  std::string text = "cp.async." + std::string(bytes == 16 ? "cg" : "ca") +
                     ".shared.global [$0], [$1], " + size;
  std::string constraints = "r,l,b";
  SmallVector<Value> operands = {to, from, when};
  if (inside) {
    text += ", $3";
    constraints += ",r";
    operands.push_back(arith::SelectOp::create(code.builder, code.loc, inside,
                                               code.i32(bytes), code.i32(0)));
  }
  code.ptx("@$2 " + text + ";", constraints + ",~{memory}", {}, operands);
}

struct LowerCopyView : ThreadPattern<gpu::CopyViewOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(gpu::CopyViewOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    DeviceCode code(b, loc);
    RankedTensorType type = op.getTileType();
    LinearLayout layout = layoutOf(type),
                 memory = memoryOf(op.getStaged().getType());
    ViewAccess access(b, loc, threads, ViewOperands::of(adaptor),
                      op.getOffsets(), type, threads.accessWidths.at(op));
    const VectorAccess &vectors = access.vectors();
    auto element = cast<VectorType>(getTypeConverter()->convertType(type))
                       .getElementType();
    auto moved = VectorType::get(int64_t(1) << vectors.vectorBits, element);
    int64_t elementBytes = sharedBytes(element),
            bytes = elementBytes << vectors.vectorBits;
    PlaceMap offsets = *layout::locate(layout, memory);
    SharedAddress target(
        threads, b, loc, adaptor.getStaged(), layout,
        [&](Dim dim, unsigned bit) {
          return offsets.column(dim, bit).offset * uint64_t(elementBytes);
        },
        stagedAlignment);
    Value when =
        conjunction(b, loc, adaptor.getWhen(), access.positions().isWriter());
    uint64_t copies = layout.freeBits().reg;
    for (unsigned number = 0; number < vectors.accesses(); ++number) {
      unsigned reg = unsigned(vectors.registerOf(number, 0));
      if (reg & copies)
        continue;
      Place place;
      place.reg = reg;
      Value to = target.at(offsets(place).offset * uint64_t(elementBytes));
      Value from = access.nextAddress(reg), inside = access.isInside(reg);
      if (bytes >= 4) {
        copyAsync(code, to, from, bytes, inside, when);
        continue;
      }
      // Zeros in a slot that nobody is going to read do no harm.
      Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(moved));
      Value loaded =
          loadGlobal(b, loc, moved, from,
                     conjunction(b, loc, adaptor.getWhen(), inside), zero, {});
      LLVM::StoreOp::create(b, loc, loaded, to, unsigned(bytes));
    }
    b.eraseOp(op);
    return success();
  }
};

struct LowerCopyCommit : OpConversionPattern<gpu::CopyCommitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(gpu::CopyCommitOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
    return success();
  }
};

struct LowerCopyWait : ThreadPattern<gpu::CopyWaitOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(gpu::CopyWaitOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    NVVM::CpAsyncWaitGroupOp::create(b, op.getLoc(), op.getPending());
    threads.barrier(b, op.getLoc());
    b.eraseOp(op);
    return success();
  }
};

} // namespace

void addCopyPatterns(RewritePatternSet &patterns, ThreadTypes &types,
                     ThreadLowering &threads) {
  patterns.add<LowerCopyView, LowerCopyWait>(types, patterns.getContext(),
                                             threads);
  patterns.add<LowerCopyCommit>(types, patterns.getContext());
}

} // namespace tesela::nvidia
