//===- LowerReduce.cpp - reductions over registers, lanes and warps -------===//
//
//   registers that differ along the axis    halves of the vector, combined
//   lanes that do                           shfl.sync.bfly, combined
//   warps that do                           shared memory: each warp leaves its
//                                           result, everybody combines them all
//
// Afterwards every thread that took part has the result.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Combiner.h"
#include "target/nvidia/Coordinates.h"
#include "target/nvidia/SharedTransfer.h"

#include "layout/SharedLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tesela::nvidia {

using layout::Dim;
using layout::LinearLayout;
using layout::Place;
using layout::Shape;

namespace {

class Reduction {
public:
  Reduction(OpBuilder &b, tile::ReduceOp reduce, ThreadLowering &threads)
      : b(b), loc(reduce.getLoc()),
        combiner(b, reduce.getLoc(), reduce.getCombine().front(),
                 threads.capability),
        threads(threads),
        source(
            layoutOf(cast<RankedTensorType>(reduce.getSources()[0].getType()))),
        axis(reduce.getAxis()), result(source.slice(axis)) {}

  /// One vector for each operand, in the layout of the results.
  Values run(Values values) {
    values = overRegisters(std::move(values));
    for (unsigned bit = 0; bit < source.bits(Dim::Lane); ++bit)
      if (isAlongAxis(Dim::Lane, bit)) {
        Values other;
        for (Value value : values)
          other.push_back(exchangeLanes(b, loc, value, int64_t(1) << bit));
        values = combiner.combine(values, other);
      }
    return overWarps(std::move(values));
  }

private:
  bool isAlongAxis(Dim dim, unsigned bit) const {
    return source.coordinates(source.bases(dim)[bit])[axis] != 0;
  }

  Values overRegisters(Values values) {
    // What register bits stand for, as far as they are left: those along the
    // axis go, and so do those that repeat elements.
    SmallVector<unsigned> bits;
    for (unsigned bit = 0; bit < source.bits(Dim::Register); ++bit)
      bits.push_back(bit);
    auto halves = [&](ArrayRef<Value> whole, size_t position, bool high) {
      Values parts;
      for (Value value : whole) {
        int64_t lanes = cast<VectorType>(value.getType()).getNumElements();
        SmallVector<int64_t> registers;
        for (int64_t reg = 0; reg < lanes; ++reg)
          if ((reg >> position & 1) == int64_t(high))
            registers.push_back(reg);
        parts.push_back(
            vector::ShuffleOp::create(b, loc, value, value, registers));
      }
      return parts;
    };
    for (size_t position = bits.size(); position-- > 0;) {
      uint64_t base = source.bases(Dim::Register)[bits[position]];
      if (base == 0) {
        values = halves(values, position, false);
      } else if (isAlongAxis(Dim::Register, bits[position])) {
        Values low = halves(values, position, false);
        values = combiner.combine(low, halves(values, position, true));
      } else {
        continue;
      }
      bits.erase(bits.begin() + long(position));
    }
    return values;
  }

  /// Lent memory holds, for each operand, element e of the result from warp w
  /// at e * warps + w.
  Values overWarps(Values values) {
    SmallVector<unsigned> along;
    for (unsigned bit = 0; bit < source.bits(Dim::Warp); ++bit)
      if (isAlongAxis(Dim::Warp, bit))
        along.push_back(bit);
    if (along.empty())
      return values;
    int64_t warps = int64_t(1) << along.size();
    LinearLayout kept = result.withoutRepeatedRegisters();
    Value lane = threads.lane(), warp = threads.warp();
    int64_t elements = int64_t(1) << kept.tileBits();
    Value element = emitLinear(
        b, loc, lane, kept.bits(Dim::Lane), warp, kept.bits(Dim::Warp),
        [&](Dim dim, unsigned bit) { return kept.bases(dim)[bit]; });
    Value own = emitLinear(b, loc, lane, 0, warp, source.bits(Dim::Warp),
                           [&](Dim, unsigned bit) -> uint64_t {
                             auto found = llvm::find(along, bit);
                             return found == along.end()
                                        ? 0
                                        : uint64_t(1)
                                              << (found - along.begin());
                           });
    auto constant = [&](int64_t number) -> Value {
      return arith::ConstantIntOp::create(b, loc, b.getI32Type(), number);
    };
    Value first = arith::MulIOp::create(b, loc, element, constant(warps));

    int64_t offset = 0;
    SmallVector<int64_t> bases;
    for (Value value : values) {
      bases.push_back(offset);
      offset += llvm::alignTo(
          elements * warps *
              sharedBytes(cast<VectorType>(value.getType()).getElementType()),
          16);
    }
    threads.shared.lend(offset);
    auto address = [&](Type type, int64_t base, Value index) -> Value {
      auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 3);
      Value start = threads.lentAddress(b, loc, base);
      return LLVM::GEPOp::create(b, loc, pointer, type, start,
                                 ArrayRef<LLVM::GEPArg>{index});
    };
    auto elementOf = [&](int64_t reg) {
      Place place;
      place.reg = uint64_t(reg);
      return int64_t(kept(place));
    };

    threads.barrier(b, loc);
    for (auto [value, base] : llvm::zip_equal(values, bases)) {
      Value stored = widened(value);
      auto type = cast<VectorType>(stored.getType());
      Value mine = arith::AddIOp::create(b, loc, first, own);
      for (int64_t reg = 0; reg < type.getNumElements(); ++reg) {
        Value index = arith::AddIOp::create(b, loc, mine,
                                            constant(elementOf(reg) * warps));
        LLVM::StoreOp::create(b, loc,
                              vector::ExtractOp::create(b, loc, stored, reg),
                              address(type.getElementType(), base, index));
      }
    }
    threads.barrier(b, loc);
    Values total;
    for (int64_t other = 0; other < warps; ++other) {
      Values parts;
      for (auto [value, base] : llvm::zip_equal(values, bases)) {
        auto type = cast<VectorType>(value.getType());
        Type held = heldType(type.getElementType());
        Values loaded;
        for (int64_t reg = 0; reg < type.getNumElements(); ++reg) {
          Value index = arith::AddIOp::create(
              b, loc, first, constant(elementOf(reg) * warps + other));
          Value part =
              LLVM::LoadOp::create(b, loc, held, address(held, base, index));
          if (held != type.getElementType())
            part = arith::TruncIOp::create(b, loc, type.getElementType(), part);
          loaded.push_back(part);
        }
        parts.push_back(vector::FromElementsOp::create(b, loc, type, loaded));
      }
      total = other == 0 ? parts : combiner.combine(total, parts);
    }
    return total;
  }

  Type heldType(Type element) {
    return element.isInteger(1) ? Type(b.getI8Type()) : element;
  }
  Value widened(Value value) {
    auto type = cast<VectorType>(value.getType());
    Type held = heldType(type.getElementType());
    if (held == type.getElementType())
      return value;
    return arith::ExtUIOp::create(
        b, loc, VectorType::get(type.getShape(), held), value);
  }

  OpBuilder &b;
  Location loc;
  Combiner combiner;
  ThreadLowering &threads;
  LinearLayout source;
  unsigned axis;
  LinearLayout result;
};

struct Reduce : ThreadPattern<tile::ReduceOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::ReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (failed(checkCombination(op, op.getCombine().front())))
      return failure();
    Values results =
        Reduction(b, op, threads).run(Values(adaptor.getSources()));
    for (auto [value, result] : llvm::zip_equal(results, op.getResults()))
      if (!isa<RankedTensorType>(result.getType()))
        value = vector::ExtractOp::create(b, op.getLoc(), value, int64_t(0));
    b.replaceOp(op, results);
    return success();
  }
};

} // namespace

void addReducePatterns(RewritePatternSet &patterns, ThreadTypes &types,
                       ThreadLowering &threads) {
  patterns.add<Reduce>(types, patterns.getContext(), threads);
}

} // namespace tesela::nvidia
