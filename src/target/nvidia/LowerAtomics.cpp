//===- LowerAtomics.cpp - read, change and write in one step --------------===//
//
//   %old = tile.atomic_rmw add relaxed gpu %p, %x mask %m : tensor<256x..>
//     ==>                                              (of each register)
//   @%m&writer atom.relaxed.gpu.global.add.u32 %old, [%p], %x;
//
// One thread does an element's op, and a scalar's; where others hold it too,
// they get the result through shared memory. `red` stands where nobody asks for
// it. A tile's ops are relaxed, between fences, which cost once what an ordered
// op would cost each time. Other threads' accesses are ordered by the barriers
// that `order-memory` has put around.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Coordinates.h"
#include "target/nvidia/GlobalMemory.h"
#include "target/nvidia/SharedTransfer.h"

#include "layout/SharedLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using tesela::tile::AtomicKind;
using tesela::tile::MemoryOrder;

namespace tesela::nvidia {

using layout::Dim;
using layout::LinearLayout;

namespace {

bool releases(MemoryOrder order) {
  return order == MemoryOrder::Release || order == MemoryOrder::AcqRel;
}
bool acquires(MemoryOrder order) {
  return order == MemoryOrder::Acquire || order == MemoryOrder::AcqRel;
}

/// One thread's atomic ops of one op of the tile dialect.
class AtomicCode {
public:
  AtomicCode(OpBuilder &b, Operation *op, unsigned capability, bool isUsed)
      : b(b), loc(op->getLoc()), capability(capability), isUsed(isUsed),
        element(tile::elementType(op->getResult(0).getType())),
        bits(b.getIntegerType(element.getIntOrFloatBitWidth())),
        width(bits.getIntOrFloatBitWidth()) {
    if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op))
      scope = tile::stringifyMemoryScope(rmw.getScope()).str();
    else
      scope = tile::stringifyMemoryScope(cast<tile::AtomicCasOp>(op).getScope())
                  .str();
  }

  Type bitsType() const { return bits; }

  Value toBits(Value value) {
    if (value.getType() == bits)
      return value;
    return arith::BitcastOp::create(b, loc, bits, value);
  }
  Value fromBits(Value value) {
    if (element == bits)
      return value;
    return arith::BitcastOp::create(b, loc, element, value);
  }

  void fence() { assembly("fence.acq_rel." + scope + ";", "", {}, {}); }

  /// Where `predicate` holds; elsewhere what it gives is zero. Null where the
  /// result is not used. Values and results are bits.
  Value combine(AtomicKind kind, MemoryOrder order, Value pointer, Value value,
                Value predicate) {
    bool isNarrowSum = kind == AtomicKind::FAdd && element.isBF16();
    if (isNarrowSum && capability < 90)
      return addInLoop(order, pointer, value, predicate);
    if (kind != AtomicKind::FMax && kind != AtomicKind::FMin)
      return instruction(mnemonic(kind), order, pointer, {value}, predicate);
    // By total order, floats count up with their bits, and down where these
    // have the sign.
    Value zero = number(0);
    Value isNegative =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, value, zero);
    Value isPositive =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, value, zero);
    bool isMax = kind == AtomicKind::FMax;
    Value up =
        instruction(mnemonic(isMax ? AtomicKind::MaxS : AtomicKind::MinS),
                    order, pointer, {value}, both(predicate, isPositive));
    Value down =
        instruction(mnemonic(isMax ? AtomicKind::MinU : AtomicKind::MaxU),
                    order, pointer, {value}, both(predicate, isNegative));
    return isUsed ? arith::SelectOp::create(b, loc, isNegative, down, up)
                        .getResult()
                  : Value();
  }

  Value exchange(MemoryOrder order, Value pointer, Value expected, Value value,
                 Value predicate) {
    return instruction("cas.b" + std::to_string(width), order, pointer,
                       {expected, value}, predicate);
  }

private:
  Value number(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, bits, value);
  }
  Value both(Value lhs, Value rhs) {
    return lhs ? arith::AndIOp::create(b, loc, lhs, rhs).getResult() : rhs;
  }

  std::string mnemonic(AtomicKind kind) const {
    std::string size = std::to_string(width);
    switch (kind) {
    case AtomicKind::Add:
      return "add.u" + size;
    case AtomicKind::FAdd:
      return element.isBF16()  ? "add.noftz.bf16"
             : element.isF16() ? "add.noftz.f16"
                               : "add.f" + size;
    case AtomicKind::And:
      return "and.b" + size;
    case AtomicKind::Or:
      return "or.b" + size;
    case AtomicKind::Xor:
      return "xor.b" + size;
    case AtomicKind::MaxS:
      return "max.s" + size;
    case AtomicKind::MinS:
      return "min.s" + size;
    case AtomicKind::MaxU:
      return "max.u" + size;
    case AtomicKind::MinU:
      return "min.u" + size;
    case AtomicKind::Xchg:
      return "exch.b" + size;
    case AtomicKind::FMax:
    case AtomicKind::FMin:
      break;
    }
    llvm_unreachable("has no instruction of its own");
  }

  char constraint() const {
    return width == 16 ? 'h' : width == 32 ? 'r' : 'l';
  }

  Value assembly(const std::string &text, const std::string &constraints,
                 ArrayRef<Value> operands, TypeRange results) {
    std::string all = constraints.empty() ? "" : constraints + ",";
    auto op = LLVM::InlineAsmOp::create(
        b, loc, results, operands, text, all + "~{memory}",
        /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
    return results.empty() ? Value() : op.getResult(0);
  }

  /// `@%p atom.relaxed.gpu.global.add.u32 %r, [%a], %x;`, or `red` without a
  /// result. `red` is relaxed or a release; what is only acquired by one is
  /// never looked at.
  Value instruction(const std::string &mnemonic, MemoryOrder order,
                    Value pointer, ArrayRef<Value> values, Value predicate) {
    bool isRed = !isUsed && !acquires(order) && values.size() == 1 &&
                 !StringRef(mnemonic).starts_with("exch");
    std::string text = isRed ? "red." : "atom.";
    text += tile::stringifyMemoryOrder(order).str() + "." + scope + ".global." +
            mnemonic + " ";
    SmallVector<Value> operands;
    std::string constraints;
    unsigned next = 0;
    auto use = [&](const std::string &how) {
      constraints += (constraints.empty() ? "" : ",") + how;
      return "$" + std::to_string(next++);
    };
    if (!isRed)
      text += use(std::string("=") + constraint()) + ", ";
    text += "[" + use("l") + "]";
    operands.push_back(pointer);
    for (Value value : values) {
      text += ", " + use(std::string(1, constraint()));
      operands.push_back(value);
    }
    text += ";";
    if (predicate) {
      text = "@" + use("b") + " " + text;
      operands.push_back(predicate);
      if (!isRed) {
        use("0");
        operands.push_back(number(0));
      }
    }
    if (isRed)
      return assembly(text, constraints, operands, {});
    Value result = assembly(text, constraints, operands, {bits});
    return isUsed ? result : Value();
  }

  /// Sums of bf16 before sm_90: tried until nobody has come between.
  Value addInLoop(MemoryOrder order, Value pointer, Value value,
                  Value predicate) {
    Value isOn = predicate
                     ? predicate
                     : arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1)
                           .getResult();
    auto branch = scf::IfOp::create(b, loc, TypeRange{bits}, isOn,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(b, loc, number(0));
    b.setInsertionPointToEnd(branch.thenBlock());
    bool wasUsed = std::exchange(isUsed, true);
    auto swap = [&](MemoryOrder how, Value expected, Value now) {
      return instruction("cas.b16", how, pointer, {expected, now}, {});
    };
    // Zero for zero changes nothing.
    Value first = swap(MemoryOrder::Relaxed, number(0), number(0));
    auto loop = scf::WhileOp::create(b, loc, TypeRange{bits}, first);
    Block *before = b.createBlock(&loop.getBefore(), {}, {bits}, {loc});
    Value seen = before->getArgument(0);
    auto widened = [&](Value number) {
      return arith::ExtFOp::create(b, loc, b.getF32Type(), fromBits(number));
    };
    Value sum = arith::AddFOp::create(b, loc, widened(seen), widened(value));
    Value rounded = arith::TruncFOp::create(b, loc, element, sum);
    Value now = swap(order, seen, toBits(rounded));
    Value isLost =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, now, seen);
    scf::ConditionOp::create(b, loc, isLost, now);
    Block *after = b.createBlock(&loop.getAfter(), {}, {bits}, {loc});
    scf::YieldOp::create(b, loc, after->getArguments());
    b.setInsertionPointAfter(loop);
    scf::YieldOp::create(b, loc, loop.getResults());
    isUsed = wasUsed;
    return isUsed ? branch.getResult(0) : Value();
  }

  OpBuilder &b;
  Location loc;
  unsigned capability;
  bool isUsed;
  Type element, bits;
  unsigned width;
  std::string scope;
};

/// What a pattern below knows of the op, by element.
struct ElementOperands {
  Value pointer, value, expected, mask;
};

/// Either op, of a scalar or a tile.
class AtomicLowering {
public:
  AtomicLowering(ConversionPatternRewriter &b, Operation *op,
                 ThreadLowering &threads, ElementOperands operands)
      : b(b), loc(op->getLoc()), op(op), threads(threads), operands(operands),
        order(tile::atomicOrder(op)), isUsed(!op->use_empty()),
        code(b, op, threads.capability, isUsed) {}

  void replace() {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (type)
      replaceTile(type);
    else
      replaceScalar();
  }

private:
  Value element(Value value, int64_t reg) {
    if (!value || !isa<VectorType>(value.getType()))
      return value;
    return vector::ExtractOp::create(b, loc, value, reg);
  }

  Value one(MemoryOrder how, int64_t reg, Value predicate) {
    Value pointer = element(operands.pointer, reg);
    if (!isa<LLVM::LLVMPointerType>(pointer.getType()))
      pointer = LLVM::IntToPtrOp::create(
          b, loc, LLVM::LLVMPointerType::get(b.getContext(), 1), pointer);
    if (Value mask = element(operands.mask, reg))
      predicate =
          predicate ? arith::AndIOp::create(b, loc, predicate, mask).getResult()
                    : mask;
    Value value = code.toBits(element(operands.value, reg));
    if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op))
      return code.combine(rmw.getKind(), how, pointer, value, predicate);
    Value expected = code.toBits(element(operands.expected, reg));
    return code.exchange(how, pointer, expected, value, predicate);
  }

  void replaceScalar() {
    Value isWriter = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, threads.thread(),
        arith::ConstantIntOp::create(b, loc, b.getI32Type(), 0));
    Value old = one(order, 0, isWriter);
    if (!isUsed) {
      b.eraseOp(op);
      return;
    }
    b.replaceOp(op, code.fromBits(fromFirstThread(b, loc, threads, old)));
  }

  void replaceTile(RankedTensorType type) {
    LinearLayout layout = layoutOf(type);
    layout::Place free = layout.freeBits();
    Value isWriter = Coordinates(threads, b, loc, layout).isWriter();
    if (releases(order))
      code.fence();
    SmallVector<Value> results;
    for (uint64_t reg = 0; reg < layout.size(Dim::Register); ++reg)
      results.push_back(one(MemoryOrder::Relaxed, int64_t(reg), isWriter));
    if (acquires(order))
      code.fence();
    if (!isUsed) {
      b.eraseOp(op);
      return;
    }
    auto held = VectorType::get(int64_t(results.size()), code.bitsType());
    Value all = vector::FromElementsOp::create(b, loc, held, results);
    if (free.lane || free.warp)
      all = fromWriters(all, layout, isWriter);
    auto wanted = VectorType::get(held.getShape(), type.getElementType());
    if (wanted != held)
      all = arith::BitcastOp::create(b, loc, wanted, all);
    b.replaceOp(op, all);
  }

  /// What the one thread that did an element's op has, to all that hold it.
  Value fromWriters(Value own, const LinearLayout &layout, Value isWriter) {
    std::vector<unsigned> order(layout.rank());
    for (unsigned i = 0; i < layout.rank(); ++i)
      order[i] = layout.rank() - 1 - i;
    LinearLayout memory = layout::dense(layout.shape(), order);
    int64_t elements = int64_t(1) << layout.tileBits();
    threads.shared.lend(elements * sharedBytes(code.bitsType()));
    threads.barrier(b, loc);
    auto branch = scf::IfOp::create(b, loc, isWriter, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(branch.thenBlock()->getTerminator());
      storeShared(threads, b, loc, own, layout, memory,
                  threads.lentAddress(b, loc));
    }
    threads.barrier(b, loc);
    return loadShared(threads, b, loc, cast<VectorType>(own.getType()), layout,
                      memory, threads.lentAddress(b, loc));
  }

  ConversionPatternRewriter &b;
  Location loc;
  Operation *op;
  ThreadLowering &threads;
  ElementOperands operands;
  MemoryOrder order;
  bool isUsed;
  AtomicCode code;
};

struct AtomicRMW : ThreadPattern<tile::AtomicRMWOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::AtomicRMWOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    AtomicLowering(
        b, op, threads,
        {adaptor.getPtr(), adaptor.getValue(), {}, adaptor.getMask()})
        .replace();
    return success();
  }
};

struct AtomicCas : ThreadPattern<tile::AtomicCasOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::AtomicCasOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    AtomicLowering(
        b, op, threads,
        {adaptor.getPtr(), adaptor.getValue(), adaptor.getExpected(), {}})
        .replace();
    return success();
  }
};

} // namespace

Value fromFirstThread(OpBuilder &b, Location loc, ThreadLowering &threads,
                      Value value) {
  threads.shared.lend(16);
  threads.barrier(b, loc);
  Value isFirst = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::eq, threads.thread(),
      arith::ConstantIntOp::create(b, loc, b.getI32Type(), 0));
  auto branch = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    LLVM::StoreOp::create(b, loc, value, threads.lentAddress(b, loc));
  }
  threads.barrier(b, loc);
  return LLVM::LoadOp::create(b, loc, value.getType(),
                              threads.lentAddress(b, loc));
}

void addAtomicPatterns(RewritePatternSet &patterns, ThreadTypes &types,
                       ThreadLowering &threads) {
  patterns.add<AtomicRMW, AtomicCas>(types, patterns.getContext(), threads);
}

} // namespace tesela::nvidia
