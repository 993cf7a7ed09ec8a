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

#include "target/nvidia/Coordinates.h"
#include "target/nvidia/Float8.h"
#include "target/nvidia/SharedTransfer.h"

#include "analysis/AxisDependence.h"

#include "dialect/tile/Float8.h"
#include "layout/SharedLayouts.h"
#include "target/maths/TotalIntegers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tesela::nvidia {

using layout::Dim;
using layout::LinearLayout;
using layout::Place;
using layout::Shape;

namespace {

using Values = SmallVector<Value>;

/// Combines vectors of equally many elements with the region of a reduction.
class Combiner {
public:
  Combiner(OpBuilder &b, tile::ReduceOp reduce, unsigned capability)
      : b(b), reduce(reduce), capability(capability) {
    for (Operation &op : reduce.getCombine().front().without_terminator())
      isPointwiseRegion &=
          analysis::isElementwise(&op) || op.hasTrait<OpTrait::ConstantLike>();
  }

  Values combine(ArrayRef<Value> left, ArrayRef<Value> right) {
    if (isPointwiseRegion)
      return inlineRegion(left, right, lanesOf(left[0]));
    // Control flow is run for one element at a time.
    int64_t lanes = lanesOf(left[0]);
    SmallVector<Values> results(left.size());
    for (int64_t lane = 0; lane < lanes; ++lane) {
      auto pick = [&](ArrayRef<Value> values) {
        return llvm::map_to_vector(values, [&](Value value) -> Value {
          return vector::ExtractOp::create(b, loc(), value, lane);
        });
      };
      for (auto [column, value] :
           llvm::zip_equal(results, inlineRegion(pick(left), pick(right), 0)))
        column.push_back(value);
    }
    Values joined;
    for (auto [column, value] : llvm::zip_equal(results, left))
      joined.push_back(
          vector::FromElementsOp::create(b, loc(), value.getType(), column));
    return joined;
  }

private:
  Location loc() { return reduce.getLoc(); }
  static int64_t lanesOf(Value value) {
    return cast<VectorType>(value.getType()).getNumElements();
  }

  /// Scalars where `lanes` is 0.
  Values inlineRegion(ArrayRef<Value> left, ArrayRef<Value> right,
                      int64_t lanes) {
    Block &block = reduce.getCombine().front();
    IRMapping mapping;
    for (auto [index, argument] : llvm::enumerate(block.getArguments()))
      mapping.map(argument, index < left.size() ? left[index]
                                                : right[index - left.size()]);
    auto widened = [&](Type type) -> Type {
      return lanes ? VectorType::get(lanes, type) : type;
    };
    // Values from outside of the region are scalars.
    auto operandOf = [&](Value value) {
      Value mapped = mapping.lookupOrDefault(value);
      if (lanes && !isa<VectorType>(mapped.getType())) {
        mapped = vector::BroadcastOp::create(b, loc(),
                                             widened(mapped.getType()), mapped);
        mapping.map(value, mapped);
      }
      return mapped;
    };
    for (Operation &op : block.without_terminator()) {
      if (op.getNumRegions()) {
        b.clone(op, mapping);
        continue;
      }
      Values operands;
      for (Value operand : op.getOperands())
        operands.push_back(operandOf(operand));
      if (Value converted = emitFloat8(b, &op, operands, capability)) {
        mapping.map(op.getResult(0), converted);
        continue;
      }
      if (Value total = maths::emitTotalInteger(b, &op, operands,
                                                /*divideFloats=*/false)) {
        mapping.map(op.getResult(0), total);
        continue;
      }
      if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
        mapping.map(op.getResult(0),
                    arith::ConstantOp::create(
                        b, loc(), bytesOfFloat8(constant.getValue())));
        continue;
      }
      auto types = llvm::map_to_vector(op.getResultTypes(), widened);
      OperationState state(op.getLoc(), op.getName(), operands, types,
                           llvm::to_vector(op.getDiscardableAttrs()));
      state.propertiesAttr = op.getPropertiesAsAttribute();
      mapping.map(op.getResults(), b.create(state)->getResults());
    }
    Values results;
    for (Value value : block.getTerminator()->getOperands())
      results.push_back(operandOf(value));
    return results;
  }

  OpBuilder &b;
  tile::ReduceOp reduce;
  unsigned capability;
  bool isPointwiseRegion = true;
};

/// `value`, a vector, from the lane whose number differs in `mask`.
Value shuffle(OpBuilder &b, Location loc, Value value, int64_t mask) {
  auto type = cast<VectorType>(value.getType());
  Type element = type.getElementType();
  unsigned bits = element.getIntOrFloatBitWidth();
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), number);
  };
  auto exchange = [&](Value word) -> Value {
    return NVVM::ShflOp::create(b, loc, b.getI32Type(), constant(-1), word,
                                constant(mask), constant(31),
                                NVVM::ShflKind::bfly, UnitAttr());
  };
  Values results;
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
    Value part = vector::ExtractOp::create(b, loc, value, lane);
    Type whole = b.getIntegerType(bits);
    if (element != whole)
      part = arith::BitcastOp::create(b, loc, whole, part);
    if (bits < 32)
      part = arith::ExtUIOp::create(b, loc, b.getI32Type(), part);
    if (bits <= 32) {
      part = exchange(part);
    } else {
      Value shift = arith::ConstantIntOp::create(b, loc, whole, 32);
      Value low = arith::TruncIOp::create(b, loc, b.getI32Type(), part);
      Value high = arith::TruncIOp::create(
          b, loc, b.getI32Type(),
          arith::ShRUIOp::create(b, loc, part, shift).getResult());
      low = arith::ExtUIOp::create(b, loc, whole, exchange(low));
      high = arith::ExtUIOp::create(b, loc, whole, exchange(high));
      part = arith::OrIOp::create(
          b, loc, low, arith::ShLIOp::create(b, loc, high, shift).getResult());
    }
    if (bits < 32)
      part = arith::TruncIOp::create(b, loc, whole, part);
    if (element != whole)
      part = arith::BitcastOp::create(b, loc, element, part);
    results.push_back(part);
  }
  return vector::FromElementsOp::create(b, loc, type, results);
}

class Reduction {
public:
  Reduction(OpBuilder &b, tile::ReduceOp reduce, ThreadLowering &threads)
      : b(b), loc(reduce.getLoc()), combiner(b, reduce, threads.capability),
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
          other.push_back(shuffle(b, loc, value, int64_t(1) << bit));
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

/// Registers hold 8-bit floats as bytes, which code inside of branches would
/// have to know.
bool combinesFloat8ByBranches(tile::ReduceOp reduce) {
  auto isFloat8 = [](Type type) { return tile::isFloat8(type); };
  Block &block = reduce.getCombine().front();
  if (llvm::all_of(block.without_terminator(),
                   [](Operation &op) { return op.getNumRegions() == 0; }))
    return false;
  return reduce.getCombine()
      .walk([&](Operation *op) {
        bool isFound = llvm::any_of(op->getOperandTypes(), isFloat8) ||
                       llvm::any_of(op->getResultTypes(), isFloat8);
        return isFound ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

struct Reduce : ThreadPattern<tile::ReduceOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::ReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (combinesFloat8ByBranches(op))
      return op.emitError("no code for 8-bit floats in a combination with "
                          "control flow on a GPU; reduce them as float32");
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
