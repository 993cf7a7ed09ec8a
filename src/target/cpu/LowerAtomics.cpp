//===- LowerAtomics.cpp - read, change and write in one step --------------===//
//
//   %old = tile.atomic_rmw fadd relaxed gpu %p, %x
//     ==>                                              (of each element in
//     turn)
//   %old = llvm.atomicrmw fadd %p, %x monotonic
//
// What has no instruction of LLVM's is tried until nobody has come between:
//
//   %old = scf.while (%seen = load %p) {
//     %new = .. %seen, %x ..
//     %now, %done = llvm.cmpxchg %p, %seen, %new
//     scf.condition (not %done) %now
//   }
//
// An instance runs on one thread and may share memory with any other thread of
// the process, whatever the scope says.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Atomics.h"

#include "target/cpu/Pointwise.h"
#include "target/cpu/Slices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using tesela::tile::AtomicKind;
using tesela::tile::MemoryOrder;

namespace tesela::cpu {
namespace {

LLVM::AtomicOrdering orderingOf(MemoryOrder order) {
  switch (order) {
  case MemoryOrder::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case MemoryOrder::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case MemoryOrder::Release:
    return LLVM::AtomicOrdering::release;
  case MemoryOrder::AcqRel:
    return LLVM::AtomicOrdering::acq_rel;
  }
  llvm_unreachable("no such order");
}

/// Of a comparison that fails, which writes nothing.
LLVM::AtomicOrdering failureOrdering(MemoryOrder order) {
  bool acquires = order == MemoryOrder::Acquire || order == MemoryOrder::AcqRel;
  return acquires ? LLVM::AtomicOrdering::acquire
                  : LLVM::AtomicOrdering::monotonic;
}

/// None where LLVM has nothing for it, or makes a call of it.
std::optional<LLVM::AtomicBinOp> instructionOf(AtomicKind kind, Type element) {
  switch (kind) {
  case AtomicKind::Add:
    return LLVM::AtomicBinOp::add;
  case AtomicKind::FAdd:
    return element.getIntOrFloatBitWidth() < 32
               ? std::nullopt
               : std::optional(LLVM::AtomicBinOp::fadd);
  case AtomicKind::And:
    return LLVM::AtomicBinOp::_and;
  case AtomicKind::Or:
    return LLVM::AtomicBinOp::_or;
  case AtomicKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  case AtomicKind::MaxS:
    return LLVM::AtomicBinOp::max;
  case AtomicKind::MinS:
    return LLVM::AtomicBinOp::min;
  case AtomicKind::MaxU:
    return LLVM::AtomicBinOp::umax;
  case AtomicKind::MinU:
    return LLVM::AtomicBinOp::umin;
  case AtomicKind::Xchg:
    return LLVM::AtomicBinOp::xchg;
  case AtomicKind::FMax:
  case AtomicKind::FMin:
    return std::nullopt;
  }
  llvm_unreachable("no such kind");
}

/// One element's op.
class ElementAtomic {
public:
  ElementAtomic(OpBuilder &b, Operation *op, Value pointer)
      : b(b), loc(op->getLoc()), pointer(pointer), order(tile::atomicOrder(op)),
        element(tile::elementType(op->getResult(0).getType())),
        bits(b.getIntegerType(element.getIntOrFloatBitWidth())) {}

  Value combine(AtomicKind kind, Value value) {
    if (auto instruction = instructionOf(kind, element)) {
      auto atomic = LLVM::AtomicRMWOp::create(b, loc, *instruction, pointer,
                                              value, orderingOf(order));
      return atomic;
    }
    return tryUntilDone([&](Value old) {
      return kind == AtomicKind::FAdd ? sum(old, value)
                                      : extremum(kind, old, toBits(value));
    });
  }

  Value exchange(Value expected, Value value) {
    return fromBits(
        extract(compareAndSwap(toBits(expected), toBits(value)), 0));
  }

private:
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
  Value extract(Value pair, int64_t field) {
    return LLVM::ExtractValueOp::create(b, loc, pair, field);
  }
  Value compareAndSwap(Value expected, Value value) {
    return LLVM::AtomicCmpXchgOp::create(b, loc, pointer, expected, value,
                                         orderingOf(order),
                                         failureOrdering(order));
  }

  Value tryUntilDone(function_ref<Value(Value)> change) {
    Value first = LLVM::LoadOp::create(
        b, loc, bits, pointer, unsigned(storedBytes(bits)),
        /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/false,
        /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic);
    auto loop = scf::WhileOp::create(b, loc, TypeRange{bits}, first);
    OpBuilder::InsertionGuard guard(b);
    Block *before = b.createBlock(&loop.getBefore(), {}, {bits}, {loc});
    Value seen = before->getArgument(0);
    Value pair = compareAndSwap(seen, change(seen));
    Value isLost = arith::XOrIOp::create(
        b, loc, extract(pair, 1),
        arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1));
    scf::ConditionOp::create(b, loc, isLost, extract(pair, 0));
    Block *after = b.createBlock(&loop.getAfter(), {}, {bits}, {loc});
    scf::YieldOp::create(b, loc, after->getArguments());
    b.setInsertionPointAfter(loop);
    return fromBits(loop.getResult(0));
  }

  Value sum(Value old, Value value) {
    Type f32 = b.getF32Type();
    Value left = convertFloat(b, loc, fromBits(old), f32);
    Value right = convertFloat(b, loc, value, f32);
    Value total = arith::AddFOp::create(b, loc, left, right);
    return toBits(convertFloat(b, loc, total, element));
  }

  /// A number that orders floats as IEEE 754's total order does.
  Value totalOrder(Value number) {
    Value zero = intConstant(b, loc, bits, 0, 0);
    APInt most = APInt::getSignedMaxValue(bits.getIntOrFloatBitWidth());
    Value flip =
        arith::ConstantOp::create(b, loc, b.getIntegerAttr(bits, most));
    Value flipped = arith::XOrIOp::create(b, loc, number, flip);
    Value isNegative =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, number, zero);
    return arith::SelectOp::create(b, loc, isNegative, flipped, number);
  }

  Value extremum(AtomicKind kind, Value old, Value value) {
    auto predicate = kind == AtomicKind::FMax ? arith::CmpIPredicate::sge
                                              : arith::CmpIPredicate::sle;
    Value keeps = arith::CmpIOp::create(b, loc, predicate, totalOrder(old),
                                        totalOrder(value));
    return arith::SelectOp::create(b, loc, keeps, old, value);
  }

  OpBuilder &b;
  Location loc;
  Value pointer;
  MemoryOrder order;
  Type element, bits;
};

} // namespace

SmallVector<Value> atomicOperands(Operation *op) {
  if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op)) {
    SmallVector<Value> operands{rmw.getValue(), rmw.getPtr()};
    if (rmw.getMask())
      operands.push_back(rmw.getMask());
    return operands;
  }
  auto cas = cast<tile::AtomicCasOp>(op);
  return {cas.getValue(), cas.getPtr(), cas.getExpected()};
}

Value emitAtomic(OpBuilder &b, Operation *op, ValueRange operands) {
  Location loc = op->getLoc();
  ElementAtomic atomic(b, op, operands[1]);
  auto rmw = dyn_cast<tile::AtomicRMWOp>(op);
  if (!rmw)
    return atomic.exchange(operands[2], operands[0]);
  if (!rmw.getMask())
    return atomic.combine(rmw.getKind(), operands[0]);
  Type element = tile::elementType(rmw.getType());
  auto branch = scf::IfOp::create(b, loc, TypeRange{movedType(element)},
                                  operands[2], /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value old = atomic.combine(rmw.getKind(), operands[0]);
    scf::YieldOp::create(b, loc, toMoved(b, loc, old));
    b.setInsertionPointToStart(branch.elseBlock());
    Value zero = zeroConstant(b, loc, movedType(element), 0);
    scf::YieldOp::create(b, loc, zero);
  }
  return fromMoved(b, loc, branch.getResult(0), element);
}

Value emitAtomicSlice(OpBuilder &b, Operation *op, ValueRange operands,
                      int64_t lanes) {
  if (lanes == 0)
    return emitAtomic(b, op, operands);
  Location loc = op->getLoc();
  auto laneOf = [&](Value value, int64_t lane) -> Value {
    if (!lanesOf(value))
      return value;
    Type type = getElementTypeOrSelf(value.getType());
    Value part =
        vector::ExtractOp::create(b, loc, toMoved(b, loc, value), lane);
    return fromMoved(b, loc, part, type);
  };
  SmallVector<Value> results;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    auto parts = llvm::map_to_vector(
        operands, [&](Value value) { return laneOf(value, lane); });
    results.push_back(toMoved(b, loc, emitAtomic(b, op, parts)));
  }
  Value whole = vector::FromElementsOp::create(
      b, loc, sliceType(results.front().getType(), lanes), results);
  return fromMoved(b, loc, whole,
                   tile::elementType(op->getResult(0).getType()));
}

} // namespace tesela::cpu
