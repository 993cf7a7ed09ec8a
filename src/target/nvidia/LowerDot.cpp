//===- LowerDot.cpp - products of matrices by plain operations ------------===//
//
// For multiplications and additions both operands go to shared memory:
//
//   for %k = 0 to K
//     %a = A[rows of the thread, %k]; %b = B[%k, columns of the thread]
//     acc[r, c] += %a[r] * %b[c]
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Coordinates.h"
#include "target/nvidia/SharedTransfer.h"

#include "layout/SharedLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

using namespace mlir;

namespace tesela::nvidia {

using layout::Dim;
using layout::LinearLayout;
using layout::Shape;

namespace {

LinearLayout layoutOfValue(Value tile) {
  return layoutOf(cast<RankedTensorType>(tile.getType()));
}

class FmaLowering {
public:
  FmaLowering(OpBuilder &b, tile::DotOp dot, ThreadLowering &threads)
      : b(b), loc(dot.getLoc()), dot(dot), threads(threads),
        layout(layoutOfValue(dot.getAcc())),
        positions(threads, b, loc, layout) {}

  Value run(Value a, Value bb, Value acc) {
    int64_t aOffset = 0, bOffset = share(dot.getA());
    threads.shared.lend(bOffset + share(dot.getB()));
    threads.barrier(b, loc);
    put(a, dot.getA(), aOffset);
    put(bb, dot.getB(), bOffset);
    threads.barrier(b, loc);

    int64_t depth = tileOf(dot.getA()).getShape().back();
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
    };
    // Where threads are is the same in each step.
    for (unsigned axis = 0; axis < layout.rank(); ++axis)
      positions.ofThread(axis);
    auto loop = scf::ForOp::create(b, loc, number(0), number(depth), number(1),
                                   ValueRange{acc});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      scf::YieldOp::create(b, loc,
                           step(loop.getInductionVar(),
                                loop.getRegionIterArg(0), aOffset, bOffset));
    }
    return loop.getResult(0);
  }

private:
  static RankedTensorType tileOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }
  int64_t share(Value operand) {
    RankedTensorType type = tileOf(operand);
    return llvm::alignTo(
        type.getNumElements() * sharedBytes(type.getElementType()), 16);
  }

  void put(Value registers, Value operand, int64_t offset) {
    LinearLayout from = layoutOfValue(operand);
    storeShared(threads, b, loc, registers, from,
                layout::dense(from.shape(), layout::rowMajor(from.rank())),
                threads.lentAddress(b, loc, offset));
  }

  /// Element [batch.., row, column] of an operand; nulls stand for the step.
  Value element(Value operand, int64_t offset, ArrayRef<Value> position) {
    RankedTensorType type = tileOf(operand);
    Value index;
    for (auto [axis, value] : llvm::enumerate(position)) {
      if (index)
        index = arith::MulIOp::create(
            b, loc, index,
            arith::ConstantIntOp::create(b, loc, b.getI32Type(),
                                         type.getShape()[axis]));
      index = index ? arith::AddIOp::create(b, loc, index, value).getResult()
                    : value;
    }
    Type held = type.getElementType();
    Value address = LLVM::GEPOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext(), 3), held,
        threads.lentAddress(b, loc, offset), ArrayRef<LLVM::GEPArg>{index});
    return widen(LLVM::LoadOp::create(b, loc, held, address));
  }

  Value widen(Value value) {
    Type to = tileOf(dot.getAcc()).getElementType();
    if (value.getType() == to)
      return value;
    if (isa<FloatType>(to))
      return arith::ExtFOp::create(b, loc, to, value);
    return arith::ExtSIOp::create(b, loc, to, value);
  }

  Value step(Value k, Value acc, int64_t aOffset, int64_t bOffset) {
    unsigned rank = layout.rank(), m = rank - 2, n = rank - 1;
    std::map<Shape, Value> as, bs;
    SmallVector<Value> results;
    bool isFloat = isa<FloatType>(tileOf(dot.getAcc()).getElementType());
    for (unsigned reg = 0; reg < layout.size(Dim::Register); ++reg) {
      Shape aKey, bKey;
      SmallVector<Value> aAt, bAt;
      for (unsigned axis = 0; axis < m; ++axis) {
        aKey.push_back(positions.ofRegister(axis, reg));
        aAt.push_back(positions.of(axis, reg));
      }
      bKey = aKey;
      bAt = aAt;
      aKey.push_back(positions.ofRegister(m, reg));
      bKey.push_back(positions.ofRegister(n, reg));
      Value &x = as[aKey], &y = bs[bKey];
      if (!x) {
        aAt.append({positions.of(m, reg), k});
        x = element(dot.getA(), aOffset, aAt);
      }
      if (!y) {
        bAt.append({k, positions.of(n, reg)});
        y = element(dot.getB(), bOffset, bAt);
      }
      Value sum = vector::ExtractOp::create(b, loc, acc, int64_t(reg));
      if (isFloat)
        sum = LLVM::FMAOp::create(b, loc, x, y, sum);
      else
        sum = arith::AddIOp::create(
            b, loc, sum, arith::MulIOp::create(b, loc, x, y).getResult());
      results.push_back(sum);
    }
    return vector::FromElementsOp::create(b, loc, acc.getType(), results);
  }

  OpBuilder &b;
  Location loc;
  tile::DotOp dot;
  ThreadLowering &threads;
  LinearLayout layout;
  Coordinates positions;
};

struct Dot : ThreadPattern<tile::DotOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::DotOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (op->hasAttr(mmaAttr))
      return b.notifyMatchFailure(op, "tensor cores do it");
    b.replaceOp(op, FmaLowering(b, op, threads)
                        .run(adaptor.getA(), adaptor.getB(), adaptor.getAcc()));
    return success();
  }
};

} // namespace

void addDotPatterns(RewritePatternSet &patterns, ThreadTypes &types,
                    ThreadLowering &threads) {
  patterns.add<Dot>(types, patterns.getContext(), threads);
}

} // namespace tesela::nvidia
