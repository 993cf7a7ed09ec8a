//===- Blocks.cpp - the kernel's blocks, step by step ---------------------===//
//
//   %r:2 = scf.for ... iter_args(%t = %t0, %s = %s0) -> (tensor<64xf32>, i32)
//     ==>
//   (nest that puts %t0 into the home of %t)
//   %s = scf.for ... iter_args(%s = %s0) -> i32 { ... }
//
// Tiles leave control flow: what a loop or a branch carries is in scratch.
// Scalars stay where they are.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Blocks.h"

#include "target/cpu/Atomics.h"
#include "target/cpu/Detour.h"
#include "target/cpu/DotOperands.h"
#include "target/cpu/Nests.h"
#include "target/cpu/Pointwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tesela::cpu {
namespace {

class BlockEmitter {
public:
  BlockEmitter(LoweringState &state, const ProgramPosition &position)
      : state(state), b(state.b), position(position) {}

  void run(Block &block);

private:
  void lowerNest(const Step &step);
  void lowerStep(const Step &step);
  void lowerScalar(Operation *op);
  Value scalarOf(Operation *op);
  Value loadScalar(tile::LoadOp op);
  void storeScalar(tile::StoreOp op);
  void lowerFor(scf::ForOp op);
  void lowerDeferring(scf::ForOp op, const DeferredDots &deferred);
  void findKept(scf::ForOp op, ArrayRef<LoopOperand> kept, Value variable);
  void lowerIf(scf::IfOp op);
  void lowerWhile(scf::WhileOp op);

  Value lookup(Value value) { return state.scalars.lookup(value); }
  /// The scalars among some values, as the output has them.
  SmallVector<Value> scalars(ValueRange values) {
    SmallVector<Value> result;
    for (Value value : values)
      if (!isTile(value))
        result.push_back(lookup(value));
    return result;
  }
  void mapScalars(ValueRange from, ValueRange to) {
    size_t next = 0;
    for (Value value : from)
      if (!isTile(value))
        state.scalars.map(value, to[next++]);
  }
  SmallVector<Type> scalarTypes(TypeRange types) {
    SmallVector<Type> result;
    for (Type type : types)
      if (!isTile(type))
        result.push_back(registerType(type));
    return result;
  }

  LoweringState &state;
  OpBuilder &b;
  const ProgramPosition &position;
};

Value BlockEmitter::loadScalar(tile::LoadOp op) {
  Location loc = op.getLoc();
  Value pointer = lookup(op.getPtr());
  Type element = registerType(op.getType());
  unsigned alignment = storedBytes(element);
  Value mask = op.getMask() ? lookup(op.getMask()) : Value();
  if (mask)
    pointer = arith::SelectOp::create(b, loc, mask, pointer,
                                      state.scratch.anyAddress());
  Value value = LLVM::LoadOp::create(b, loc, movedType(element), pointer,
                                     alignment, op.getIsVolatile());
  value = fromMoved(b, loc, value, element);
  if (!mask)
    return value;
  Value other = op.getOther() ? lookup(op.getOther())
                              : zeroConstant(b, loc, op.getType(), 0);
  return selectValue(b, loc, mask, value, other);
}

void BlockEmitter::storeScalar(tile::StoreOp op) {
  OpBuilder::InsertionGuard guard(b);
  Location loc = op.getLoc();
  if (op.getMask()) {
    auto branch = scf::IfOp::create(b, loc, lookup(op.getMask()),
                                    /*withElseRegion=*/false);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
  }
  Value value = toMoved(b, loc, lookup(op.getValue()));
  LLVM::StoreOp::create(b, loc, value, lookup(op.getPtr()),
                        storedBytes(value.getType()));
}

Value BlockEmitter::scalarOf(Operation *op) {
  return TypeSwitch<Operation *, Value>(op)
      .Case<arith::ConstantOp>([&](auto) { return b.clone(*op)->getResult(0); })
      .Case<tile::ProgramIdOp>(
          [&](auto id) { return position.id[id.getAxis()]; })
      .Case<tile::NumProgramsOp>(
          [&](auto count) { return position.count[count.getAxis()]; })
      .Case<tile::LoadOp>([&](auto load) { return loadScalar(load); })
      .Default([&](Operation *) -> Value {
        if (!isPointwise(op))
          return {};
        return emitPointwise(
            b, op, llvm::map_to_vector(op->getOperands(), [&](Value value) {
              return lookup(value);
            }));
      });
}

void BlockEmitter::lowerScalar(Operation *op) {
  Value value = op->getNumResults() == 1 ? scalarOf(op) : Value();
  if (!value) {
    state.fail(op, "has no form on the CPU");
    return;
  }
  state.scalars.map(op->getResult(0), value);
}

/// A loop whose dots wait for some iterations:
///
///   for %chunk = 0 to %count step 8 iter_args(scalars) {
///     which operands are there already (DotOperands.cpp)
///     for %i = %chunk to min(%chunk + 8, %count) iter_args(scalars) {
///       the body, which puts the dots' operands side by side
///     }
///     dots over the K of all of them
///   }
void BlockEmitter::lowerDeferring(scf::ForOp op, const DeferredDots &deferred) {
  Location loc = op.getLoc();
  Type i64 = b.getI64Type(), own = op.getInductionVar().getType();
  bool isUnsigned = op.getUnsignedCmp();
  auto widen = [&](Value value) -> Value {
    value = lookup(value);
    if (own.isIndex())
      return arith::IndexCastOp::create(b, loc, i64, value);
    if (own == i64)
      return value;
    return isUnsigned ? arith::ExtUIOp::create(b, loc, i64, value).getResult()
                      : arith::ExtSIOp::create(b, loc, i64, value).getResult();
  };
  Value first = widen(op.getLowerBound()), end = widen(op.getUpperBound());
  Value step = widen(op.getStep());
  Value zero = state.index(0), one = state.index(1);
  Value isEmpty = arith::CmpIOp::create(b, loc,
                                        isUnsigned ? arith::CmpIPredicate::uge
                                                   : arith::CmpIPredicate::sge,
                                        first, end);
  Value distance = arith::SubIOp::create(b, loc, end, first);
  distance = arith::SubIOp::create(b, loc, distance, one);
  // Without an iteration nothing is known of the step.
  Value divisor = arith::MaxUIOp::create(b, loc, step, one);
  Value count = arith::DivUIOp::create(b, loc, distance, divisor);
  count = arith::AddIOp::create(b, loc, count, one);
  count = arith::SelectOp::create(b, loc, isEmpty, zero, count);

  Value most = state.index(deferred.iterations);
  auto chunks =
      scf::ForOp::create(b, loc, zero, count, most, scalars(op.getInitArgs()));
  OpBuilder::InsertionGuard guard(b);
  auto insertInto = [&](scf::ForOp loop) {
    if (loop.getNumResults() == 0)
      b.setInsertionPoint(loop.getBody()->getTerminator());
    else
      b.setInsertionPointToEnd(loop.getBody());
  };
  insertInto(chunks);
  Value rest = arith::SubIOp::create(b, loc, count, chunks.getInductionVar());
  Value now = arith::MinSIOp::create(b, loc, rest, most);
  Value offset = arith::MulIOp::create(b, loc, chunks.getInductionVar(), step);
  Value chunk = arith::DivUIOp::create(b, loc, chunks.getInductionVar(), most);
  findDotOperands(state, deferred.operands,
                  {chunk, now, arith::AddIOp::create(b, loc, first, offset)});
  auto loop =
      scf::ForOp::create(b, loc, zero, now, one, chunks.getRegionIterArgs());
  insertInto(loop);
  Value number = arith::AddIOp::create(b, loc, chunks.getInductionVar(),
                                       loop.getInductionVar());
  Value variable = arith::AddIOp::create(
      b, loc, first, arith::MulIOp::create(b, loc, number, step).getResult());
  if (own.isIndex())
    variable = arith::IndexCastOp::create(b, loc, own, variable);
  else if (own != i64)
    variable = arith::TruncIOp::create(b, loc, own, variable);
  state.scalars.map(op.getInductionVar(), variable);
  mapScalars(op.getRegionIterArgs(), loop.getRegionIterArgs());
  placeParts(state, deferred.operands, loop.getInductionVar());
  run(*op.getBody());
  if (state.failed)
    return;
  if (loop.getNumResults() != 0)
    scf::YieldOp::create(b, loc,
                         scalars(op.getBody()->getTerminator()->getOperands()));
  b.setInsertionPointAfter(loop);
  for (Operation *dot : deferred.dots) {
    int64_t ownDepth = shapeOf(cast<tile::DotOp>(dot).getA()).back();
    Value depth = arith::MulIOp::create(b, loc, now, state.index(ownDepth));
    lowerDot(state, dot, depth);
    if (state.failed)
      return;
  }
  if (chunks.getNumResults() != 0)
    scf::YieldOp::create(b, loc, loop.getResults());
  mapScalars(op.getResults(), chunks.getResults());
}

/// At the start of an iteration: which of the operands that are kept are there.
void BlockEmitter::findKept(scf::ForOp op, ArrayRef<LoopOperand> kept,
                            Value variable) {
  Location loc = op.getLoc();
  Type i64 = b.getI64Type();
  if (variable.getType().isIndex())
    variable = arith::IndexCastOp::create(b, loc, i64, variable);
  else if (variable.getType() != i64)
    variable = arith::ExtSIOp::create(b, loc, i64, variable);
  Value from = state.index(*constantInt(op.getLowerBound()));
  Value number = arith::DivUIOp::create(
      b, loc, arith::SubIOp::create(b, loc, variable, from).getResult(),
      state.index(*constantInt(op.getStep())));
  findDotOperands(state, kept, {number, state.index(1), variable});
  placeParts(state, kept, state.index(0));
}

void BlockEmitter::lowerFor(scf::ForOp op) {
  if (const DeferredDots *deferred = state.plan.deferredIn(op))
    return lowerDeferring(op, *deferred);
  auto loop = scf::ForOp::create(
      b, op.getLoc(), lookup(op.getLowerBound()), lookup(op.getUpperBound()),
      lookup(op.getStep()), scalars(op.getInitArgs()));
  if (op.getUnsignedCmp())
    loop.setUnsignedCmp(true);
  state.scalars.map(op.getInductionVar(), loop.getInductionVar());
  mapScalars(op.getRegionIterArgs(), loop.getRegionIterArgs());
  OpBuilder::InsertionGuard guard(b);
  if (loop.getNumResults() == 0)
    b.setInsertionPoint(loop.getBody()->getTerminator());
  else
    b.setInsertionPointToEnd(loop.getBody());
  if (ArrayRef<LoopOperand> kept = state.plan.keptIn(op); !kept.empty())
    findKept(op, kept, loop.getInductionVar());
  run(*op.getBody());
  if (state.failed)
    return;
  if (loop.getNumResults() != 0)
    scf::YieldOp::create(b, op.getLoc(),
                         scalars(op.getBody()->getTerminator()->getOperands()));
  mapScalars(op.getResults(), loop.getResults());
}

void BlockEmitter::lowerIf(scf::IfOp op) {
  bool hasElse = !op.getElseRegion().empty();
  auto branch =
      scf::IfOp::create(b, op.getLoc(), scalarTypes(op.getResultTypes()),
                        lookup(op.getCondition()), hasElse);
  OpBuilder::InsertionGuard guard(b);
  auto lowerBranch = [&](Block *from, Block *to) {
    if (!to->empty())
      to->getTerminator()->erase();
    b.setInsertionPointToEnd(to);
    run(*from);
    if (!state.failed)
      scf::YieldOp::create(b, op.getLoc(),
                           scalars(from->getTerminator()->getOperands()));
  };
  lowerBranch(op.thenBlock(), branch.thenBlock());
  if (hasElse && !state.failed)
    lowerBranch(op.elseBlock(), branch.elseBlock());
  mapScalars(op.getResults(), branch.getResults());
}

void BlockEmitter::lowerWhile(scf::WhileOp op) {
  auto loop = scf::WhileOp::create(
      b, op.getLoc(), scalarTypes(op.getResultTypes()), scalars(op.getInits()));
  OpBuilder::InsertionGuard guard(b);
  auto begin = [&](Block *from, Region &region) {
    SmallVector<Type> types = scalarTypes(from->getArgumentTypes());
    SmallVector<Location> locations(types.size(), op.getLoc());
    Block *to = b.createBlock(&region, region.end(), types, locations);
    mapScalars(from->getArguments(), to->getArguments());
    run(*from);
  };
  begin(op.getBeforeBody(), loop.getBefore());
  if (state.failed)
    return;
  auto condition = op.getConditionOp();
  scf::ConditionOp::create(b, op.getLoc(), lookup(condition.getCondition()),
                           scalars(condition.getArgs()));
  begin(op.getAfterBody(), loop.getAfter());
  if (state.failed)
    return;
  scf::YieldOp::create(
      b, op.getLoc(),
      scalars(op.getAfterBody()->getTerminator()->getOperands()));
  mapScalars(op.getResults(), loop.getResults());
}

void BlockEmitter::lowerNest(const Step &step) {
  OpBuilder::InsertionGuard guard(b);
  if (Value wanted = state.wanted.lookup(step.roots.front().target)) {
    auto branch = scf::IfOp::create(b, wanted.getLoc(), wanted,
                                    /*withElseRegion=*/false);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
  }
  cpu::lowerNest(state, step);
}

void BlockEmitter::lowerStep(const Step &step) {
  if (step.kind == Step::Nest) {
    lowerNest(step);
    for (const Root &root : step.roots)
      if (root.kind == Root::Store && !state.failed)
        forgetWritten(state, root.op);
    return;
  }
  if (step.kind == Step::Dot)
    return state.plan.isStreamed(step.op) ? lowerStreamedDot(state, step.op)
                                          : lowerDot(state, step.op);
  TypeSwitch<Operation *>(step.op)
      .Case<scf::ForOp>([&](auto op) { lowerFor(op); })
      .Case<scf::IfOp>([&](auto op) { lowerIf(op); })
      .Case<scf::WhileOp>([&](auto op) { lowerWhile(op); })
      .Case<tile::StoreOp>([&](auto op) {
        storeScalar(op);
        forgetWritten(state, op);
      })
      .Case<tile::AtomicRMWOp, tile::AtomicCasOp>([&](auto op) {
        SmallVector<Value> operands = llvm::map_to_vector(
            atomicOperands(op), [&](Value value) { return lookup(value); });
        state.scalars.map(op.getResult(), emitAtomic(b, op, operands));
      })
      // Instances run on one thread each, in program order.
      .Case<tile::BarrierOp>([](auto) {})
      .Default(
          [&](Operation *op) { state.fail(op, "has no form on the CPU"); });
}

void BlockEmitter::run(Block &block) {
  const BlockPlan &plan = state.plan.of(&block);
  for (size_t i = 0; i <= plan.steps.size(); ++i) {
    for (Operation *op : plan.scalars[i]) {
      lowerScalar(op);
      if (state.failed)
        return;
    }
    for (Operation *load : plan.detours.lookup(i))
      lowerDetour(state, cast<tile::ViewLoadOp>(load),
                  cast<tile::ViewStoreOp>(state.plan.detourAround(load)));
    if (i < plan.steps.size())
      lowerStep(plan.steps[i]);
    if (state.failed)
      return;
  }
}

} // namespace

void lowerBlock(LoweringState &state, Block &block,
                const ProgramPosition &position) {
  BlockEmitter(state, position).run(block);
}

} // namespace tesela::cpu
