//===- LowerShapes.cpp - ops that move elements without computing ---------===//
//
// Layouts are chosen so that most of these move nothing: which register holds
// which element is then the same before and after.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Coordinates.h"
#include "target/nvidia/SharedTransfer.h"

#include "layout/SharedLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tesela::nvidia {

using layout::LinearLayout;
using layout::Place;

namespace {

LinearLayout layoutOfValue(Value tile) {
  return layoutOf(cast<RankedTensorType>(tile.getType()));
}

struct Iota : ThreadPattern<tile::IotaOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::IotaOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    Coordinates positions(threads, b, loc, layoutOfValue(op));
    SmallVector<int32_t> constants;
    for (int64_t reg = 0; reg < type.getNumElements(); ++reg)
      constants.push_back(int32_t(positions.ofRegister(0, unsigned(reg)) +
                                  int64_t(int32_t(op.getStart()))));
    Value thread =
        vector::BroadcastOp::create(b, loc, type, positions.ofThread(0));
    Value registers = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(constants)));
    b.replaceOpWithNewOp<arith::AddIOp>(op, thread, registers);
    return success();
  }
};

/// expand_dims, reshape, permute: the layouts are the same, read otherwise.
template <typename Op>
struct Unmoved : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op, adaptor.getSource());
    return success();
  }
};

struct Broadcast : OpConversionPattern<tile::BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::BroadcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    auto sourceType = cast<RankedTensorType>(op.getSource().getType());
    LinearLayout source = layoutOf(sourceType), target = layoutOfValue(op);
    RegisterIndex index(source);
    SmallVector<int64_t> registers;
    for (int64_t reg = 0; reg < type.getNumElements(); ++reg) {
      Place place;
      place.reg = uint64_t(reg);
      layout::Shape position = target.at(place);
      for (auto [axis, extent] : llvm::enumerate(sourceType.getShape()))
        if (extent == 1)
          position[axis] = 0;
      registers.push_back(index.at(position));
    }
    b.replaceOpWithNewOp<vector::ShuffleOp>(op, type, adaptor.getSource(),
                                            adaptor.getSource(), registers);
    return success();
  }
};

/// A register's number without one of its bits.
int64_t withoutBit(int64_t number, unsigned bit) {
  int64_t low = number & ((int64_t(1) << bit) - 1);
  return number >> (bit + 1) << bit | low;
}

struct Join : OpConversionPattern<tile::JoinOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::JoinOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    auto halves = layoutOfValue(op).split();
    if (!halves)
      return op.emitError("its last axis is not one bit of the register");
    unsigned bit = halves->registerBit;
    int64_t half = type.getNumElements() / 2;
    SmallVector<int64_t> registers;
    for (int64_t reg = 0; reg < type.getNumElements(); ++reg)
      registers.push_back(withoutBit(reg, bit) + (reg >> bit & 1) * half);
    b.replaceOpWithNewOp<vector::ShuffleOp>(op, type, adaptor.getLhs(),
                                            adaptor.getRhs(), registers);
    return success();
  }
};

struct Split : OpConversionPattern<tile::SplitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::SplitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto halves = layoutOfValue(op.getSource()).split();
    if (!halves)
      return op.emitError("its last axis is not one bit of the register");
    unsigned bit = halves->registerBit;
    auto type = cast<VectorType>(adaptor.getSource().getType());
    SmallVector<int64_t> sides[2];
    for (int64_t reg = 0; reg < type.getNumElements(); ++reg)
      sides[reg >> bit & 1].push_back(reg);
    SmallVector<Value> results;
    for (ArrayRef<int64_t> registers : sides)
      results.push_back(vector::ShuffleOp::create(
          b, loc, adaptor.getSource(), adaptor.getSource(), registers));
    b.replaceOp(op, results);
    return success();
  }
};

/// Through shared memory, where the two lie one after the other.
struct Cat : ThreadPattern<tile::CatOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::CatOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    int64_t bytes = sharedBytes(type.getElementType());
    LinearLayout target = layoutOfValue(op);
    threads.shared.lend(int64_t(target.shape()[0]) * bytes);
    threads.barrier(b, loc);
    int64_t offset = 0;
    for (auto [operand, value] :
         llvm::zip_equal(op->getOperands(), adaptor.getOperands())) {
      LinearLayout source = layoutOfValue(operand);
      Value base = threads.lentAddress(b, loc, offset);
      storeShared(threads, b, loc, value, source,
                  layout::dense(source.shape(), {0}), base);
      offset += int64_t(source.shape()[0]) * bytes;
    }
    threads.barrier(b, loc);
    b.replaceOp(op, loadShared(threads, b, loc, type, target,
                               layout::dense(target.shape(), {0}),
                               threads.lentAddress(b, loc)));
    return success();
  }
};

/// Through shared memory, where the source lies row by row.
struct Gather : ThreadPattern<tile::GatherOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::GatherOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    Type element = type.getElementType();
    Type held = element.isInteger(1) ? Type(b.getI8Type()) : element;
    LinearLayout source = layoutOfValue(op.getSource());
    LinearLayout target = layoutOfValue(op);
    unsigned axis = op.getAxis(), rank = source.rank();
    std::vector<unsigned> order(rank);
    for (unsigned i = 0; i < rank; ++i)
      order[i] = rank - 1 - i;
    int64_t elements = int64_t(1) << source.tileBits();
    threads.shared.lend(elements * sharedBytes(element));
    threads.barrier(b, loc);
    Value base = threads.lentAddress(b, loc);
    storeShared(threads, b, loc, adaptor.getSource(), source,
                layout::dense(source.shape(), order), base);
    threads.barrier(b, loc);

    auto constant = [&](int64_t number) -> Value {
      return arith::ConstantIntOp::create(b, loc, b.getI32Type(), number);
    };
    SmallVector<int64_t> strides(rank, 1);
    for (unsigned i = rank; i-- > 1;)
      strides[i - 1] = strides[i] * source.shape()[i];
    Coordinates positions(threads, b, loc, target);
    // Of the thread; what a register has more is a constant.
    Value start = constant(0);
    for (unsigned other = 0; other < rank; ++other)
      if (other != axis)
        start = arith::AddIOp::create(
            b, loc, start,
            arith::MulIOp::create(b, loc, positions.ofThread(other),
                                  constant(strides[other]))
                .getResult());
    unsigned width = cast<VectorType>(adaptor.getIndices().getType())
                         .getElementTypeBitWidth();
    SmallVector<Value> results;
    for (int64_t reg = 0; reg < type.getNumElements(); ++reg) {
      Value index =
          vector::ExtractOp::create(b, loc, adaptor.getIndices(), reg);
      if (width > 32)
        index = arith::TruncIOp::create(b, loc, b.getI32Type(), index);
      else if (width < 32)
        index = arith::ExtUIOp::create(b, loc, b.getI32Type(), index);
      index = arith::AndIOp::create(b, loc, index,
                                    constant(source.shape()[axis] - 1));
      int64_t more = 0;
      for (unsigned other = 0; other < rank; ++other)
        if (other != axis)
          more += positions.ofRegister(other, unsigned(reg)) * strides[other];
      Value at = arith::AddIOp::create(
          b, loc,
          arith::MulIOp::create(b, loc, index, constant(strides[axis]))
              .getResult(),
          arith::AddIOp::create(b, loc, start, constant(more)).getResult());
      Value pointer = LLVM::GEPOp::create(b, loc, base.getType(), held, base,
                                          ArrayRef<LLVM::GEPArg>{at});
      Value loaded = LLVM::LoadOp::create(b, loc, held, pointer,
                                          unsigned(sharedBytes(element)));
      if (held != element)
        loaded = arith::TruncIOp::create(b, loc, element, loaded);
      results.push_back(loaded);
    }
    b.replaceOpWithNewOp<vector::FromElementsOp>(op, type, results);
    return success();
  }
};

} // namespace

void addShapePatterns(RewritePatternSet &patterns, ThreadTypes &types,
                      ThreadLowering &threads) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Iota, Cat, Gather>(types, context, threads);
  patterns.add<Unmoved<tile::ExpandDimsOp>, Unmoved<tile::ReshapeOp>,
               Unmoved<tile::PermuteOp>, Broadcast, Join, Split>(types,
                                                                 context);
}

} // namespace tesela::nvidia
