//===- LowerScan.cpp - scans over registers, lanes and warps --------------===//
//
// The bits of the position along the axis are taken from the lowest up. Before
// bit j each element has the combination of those of its stretch of 2^j up to
// itself, and for each stretch there is its *total*. Two stretches that differ
// in bit j become one: the elements of the second are combined with the total
// of the first.
//
//   a register's bit    both are in the thread
//   a lane's            totals are exchanged, shfl.sync.bfly
//   a warp's            totals are exchanged through shared memory
//
// What lanes and warps give is kept apart, as one *prefix* for all elements of
// a thread's stretch, until a register's bit follows or none is left.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Combiner.h"
#include "target/nvidia/Coordinates.h"
#include "target/nvidia/SharedTransfer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tesela::nvidia {

using layout::Dim;
using layout::LinearLayout;

namespace {

class Scan {
public:
  Scan(OpBuilder &b, tile::ScanOp scan, ThreadLowering &threads)
      : b(b), loc(scan.getLoc()),
        combiner(b, loc, scan.getCombine().front(), threads.capability),
        threads(threads),
        layout(
            layoutOf(cast<RankedTensorType>(scan.getSources()[0].getType()))),
        axis(scan.getAxis()), reverse(scan.getReverse()) {
    for (unsigned bit = 0; bit < layout.bits(Dim::Register); ++bit)
      registerBits.push_back(bit);
  }

  Values run(Values values) {
    elements = totals = std::move(values);
    for (unsigned bit = 0; bit < layout.axisBits(axis); ++bit) {
      auto [dim, number] = ownerOf(bit);
      if (dim == Dim::Register)
        joinRegisters(number);
      else
        joinThreads(dim, number);
    }
    applyPrefix();
    return std::move(elements);
  }

private:
  /// Which bit of a place stands for a bit of the position along the axis.
  std::pair<Dim, unsigned> ownerOf(unsigned axisBit) const {
    for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp})
      for (unsigned bit = 0; bit < layout.bits(dim); ++bit)
        if (layout.coordinates(layout.bases(dim)[bit])[axis] == int64_t(1)
                                                                    << axisBit)
          return {dim, bit};
    llvm_unreachable("a layout has all elements");
  }

  static int64_t lanesOf(Value value) {
    return cast<VectorType>(value.getType()).getNumElements();
  }
  Values pick(ArrayRef<Value> values, ArrayRef<int64_t> positions) {
    Values result;
    for (Value value : values)
      result.push_back(
          vector::ShuffleOp::create(b, loc, value, value, positions));
    return result;
  }
  /// `isOn ? yes : no`, a condition for all registers.
  Values choose(Value isOn, ArrayRef<Value> yes, ArrayRef<Value> no) {
    Values result;
    for (auto [left, right] : llvm::zip_equal(yes, no))
      result.push_back(arith::SelectOp::create(b, loc, isOn, left, right));
    return result;
  }

  /// For each register its position among the totals: its number without the
  /// bits that have been joined.
  SmallVector<int64_t> totalOfRegister() const {
    SmallVector<int64_t> positions;
    for (int64_t reg = 0; reg < int64_t(layout.size(Dim::Register)); ++reg) {
      int64_t position = 0;
      for (auto [i, bit] : llvm::enumerate(registerBits))
        position |= (reg >> bit & 1) << i;
      positions.push_back(position);
    }
    return positions;
  }

  void joinRegisters(unsigned bit) {
    applyPrefix();
    size_t place = size_t(llvm::find(registerBits, bit) - registerBits.begin());
    SmallVector<int64_t> halves[2];
    for (int64_t i = 0; i < lanesOf(totals[0]); ++i)
      halves[i >> place & 1].push_back(i);
    int firstHalf = reverse ? 1 : 0;
    Values first = pick(totals, halves[firstHalf]);
    Values second = pick(totals, halves[1 - firstHalf]);
    registerBits.erase(registerBits.begin() + long(place));

    // The registers of the second stretches, each with the first's total.
    SmallVector<int64_t> own, before, merged;
    SmallVector<int64_t> position = totalOfRegister();
    int64_t count = lanesOf(elements[0]);
    for (int64_t reg = 0; reg < count; ++reg) {
      bool isSecond = (reg >> bit & 1) != firstHalf;
      merged.push_back(isSecond ? count + int64_t(own.size()) : reg);
      if (isSecond) {
        own.push_back(reg);
        before.push_back(position[size_t(reg)]);
      }
    }
    Values combined =
        combiner.combine(pick(first, before), pick(elements, own));
    for (auto [element, now] : llvm::zip_equal(elements, combined)) {
      // A shuffle takes two vectors of any lengths.
      element = vector::ShuffleOp::create(b, loc, element, now, merged);
    }
    totals = combiner.combine(first, second);
  }

  void joinThreads(Dim dim, unsigned bit) {
    Values others = dim == Dim::Lane ? exchangeWithLane(int64_t(1) << bit)
                                     : exchangeWithWarp(int64_t(1) << bit);
    Value number = dim == Dim::Lane ? threads.lane() : threads.warp();
    Value set = arith::AndIOp::create(b, loc, number, i32(int64_t(1) << bit));
    auto predicate =
        reverse ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne;
    Value isSecond = arith::CmpIOp::create(b, loc, predicate, set, i32(0));

    // Second stretches get a prefix, or one that starts further in front.
    if (prefix.empty()) {
      prefix = others;
      hasPrefix = isSecond;
    } else {
      Values longer = combiner.combine(others, prefix);
      Values now = choose(hasPrefix, longer, others);
      prefix = choose(isSecond, now, prefix);
      hasPrefix = arith::OrIOp::create(b, loc, hasPrefix, isSecond);
    }
    Values left = choose(isSecond, others, totals);
    totals = combiner.combine(left, choose(isSecond, totals, others));
  }

  void applyPrefix() {
    if (prefix.empty())
      return;
    SmallVector<int64_t> positions = totalOfRegister();
    Values combined = combiner.combine(pick(prefix, positions), elements);
    elements = choose(hasPrefix, combined, elements);
    prefix.clear();
  }

  Values exchangeWithLane(int64_t mask) {
    Values result;
    for (Value value : totals)
      result.push_back(exchangeLanes(b, loc, value, mask));
    return result;
  }

  /// Lent memory holds, for each operand, total i of thread t at
  /// i * threads + t.
  Values exchangeWithWarp(int64_t mask) {
    int64_t count = int64_t(threads.numWarps) * 32;
    SmallVector<int64_t> bases;
    int64_t bytes = 0;
    for (Value value : totals) {
      bases.push_back(bytes);
      bytes += llvm::alignTo(
          lanesOf(value) * count * sharedBytes(elementOf(value)), 16);
    }
    threads.shared.lend(bytes);
    Value other =
        arith::XOrIOp::create(b, loc, threads.thread(), i32(mask * 32));
    auto address = [&](Type held, int64_t base, Value thread, int64_t i) {
      Value index = arith::AddIOp::create(b, loc, thread, i32(i * count));
      auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 3);
      return LLVM::GEPOp::create(b, loc, pointer, held,
                                 threads.lentAddress(b, loc, base),
                                 ArrayRef<LLVM::GEPArg>{index});
    };
    threads.barrier(b, loc);
    for (auto [value, base] : llvm::zip_equal(totals, bases)) {
      Type held = heldType(elementOf(value));
      for (int64_t i = 0; i < lanesOf(value); ++i) {
        Value part = vector::ExtractOp::create(b, loc, value, i);
        if (held != part.getType())
          part = arith::ExtUIOp::create(b, loc, held, part);
        LLVM::StoreOp::create(b, loc, part,
                              address(held, base, threads.thread(), i));
      }
    }
    threads.barrier(b, loc);
    Values result;
    for (auto [value, base] : llvm::zip_equal(totals, bases)) {
      Type held = heldType(elementOf(value));
      Values parts;
      for (int64_t i = 0; i < lanesOf(value); ++i) {
        Value part =
            LLVM::LoadOp::create(b, loc, held, address(held, base, other, i));
        if (held != elementOf(value))
          part = arith::TruncIOp::create(b, loc, elementOf(value), part);
        parts.push_back(part);
      }
      result.push_back(
          vector::FromElementsOp::create(b, loc, value.getType(), parts));
    }
    return result;
  }

  static Type elementOf(Value value) {
    return cast<VectorType>(value.getType()).getElementType();
  }
  Type heldType(Type element) {
    return element.isInteger(1) ? Type(b.getI8Type()) : element;
  }
  Value i32(int64_t number) {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), number);
  }

  OpBuilder &b;
  Location loc;
  Combiner combiner;
  ThreadLowering &threads;
  LinearLayout layout;
  unsigned axis;
  bool reverse;
  /// One vector for each operand: of all registers; and of those bits of the
  /// register's number that are not joined yet.
  Values elements, totals;
  SmallVector<unsigned> registerBits;
  /// Like the totals; where `hasPrefix` does not hold there is none.
  Values prefix;
  Value hasPrefix;
};

struct ScanPattern : ThreadPattern<tile::ScanOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::ScanOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (failed(checkCombination(op, op.getCombine().front())))
      return failure();
    b.replaceOp(op, Scan(b, op, threads).run(Values(adaptor.getSources())));
    return success();
  }
};

} // namespace

void addScanPatterns(RewritePatternSet &patterns, ThreadTypes &types,
                     ThreadLowering &threads) {
  patterns.add<ScanPattern>(types, patterns.getContext(), threads);
}

} // namespace tesela::nvidia
