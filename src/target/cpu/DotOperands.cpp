//===- DotOperands.cpp - where the dots of a loop find their operands -----===//
//
// An operand that is one view over all iterations, of the type that is computed
// with, is read in place where all of it exists:
//
//   %whole = all of %a[%row .., %k ..] of these iterations exists
//   %from = select %whole, %a[%row, %k], %copy
//   (an iteration copies its part where not %whole)
//
// Neighbouring instances often read the same right operand. What one has copied
// stays in scratch, under a key: how many iterations, where the view begins,
// its strides, and how far it is from its bounds.
//
//   %place = number of the iterations, or the last place
//   %same = %keys[%place] equals the key
//   (an iteration copies its part where not %same)
//
// A store forgets everything if it may have changed what was copied. Operands
// that never come back would only fill the cache; after as many copies in vain
// as some instances make, all go to the last place.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/DotOperands.h"

#include "analysis/MemoryDependence.h"
#include "target/cpu/Extent.h"
#include "target/cpu/Pointwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tesela::analysis;

namespace tesela::cpu {
namespace {

/// Copies in vain, of the whole of what is kept.
constexpr int64_t patience = 4;

/// The row behind the keys.
enum Common : int64_t { InVain, First, End };

class KeyTable {
public:
  KeyTable(LoweringState &state, const LoopOperand &operand, Location loc)
      : state(state), b(state.b), loc(loc), operand(operand),
        pointer(state.scratch.addressOf(operand.keys)) {}

  int64_t length() const { return operand.keys->shape[1]; }

  Value rowAt(Value place) {
    Value offset = arith::MulIOp::create(b, loc, place, state.index(length()));
    return elementAt(pointer, offset);
  }
  Value common() { return rowAt(state.index(operand.places)); }
  Value load(Value row, int64_t column) {
    return LLVM::LoadOp::create(b, loc, b.getI64Type(),
                                elementAt(row, state.index(column)), 8);
  }
  void store(Value value, Value row, int64_t column) {
    LLVM::StoreOp::create(b, loc, value, elementAt(row, state.index(column)),
                          8);
  }

  /// No iterations: a key that none equals.
  void forget() {
    auto loop = scf::ForOp::create(b, loc, state.index(0),
                                   state.index(operand.places), state.index(1));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(loop.getBody()->getTerminator());
      store(state.index(0), rowAt(loop.getInductionVar()), 0);
    }
    store(state.index(-1), common(), First);
    store(state.index(0), common(), End);
  }

private:
  Value elementAt(Value from, Value offset) {
    return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI64Type(), from,
                               ArrayRef<LLVM::GEPArg>{offset});
  }

  LoweringState &state;
  OpBuilder &b;
  Location loc;
  const LoopOperand &operand;
  Value pointer;
};

class OperandFinder {
public:
  OperandFinder(LoweringState &state, const LoopOperand &operand,
                const Iterations &iterations)
      : state(state), b(state.b), operand(operand), iterations(iterations),
        loc(operand.dot->getLoc()), slices(state) {}

  void run();

private:
  Box box();
  Value boundOf(int axis);
  Value isWhole(const Box &box);
  void readInPlace();
  void readKept();

  LoweringState &state;
  OpBuilder &b;
  const LoopOperand &operand;
  const Iterations &iterations;
  Location loc;
  Slices slices;
};

/// What all the iterations read.
Box OperandFinder::box() {
  const SteppedView &source = *operand.source;
  tile::ViewLoadOp view = source.view;
  Box box = boxOf(state, view, shapeOf(view.getResult()));
  Value offset =
      slices.multiply(iterations.variable, state.index(source.factor), loc);
  for (Value addend : source.addends)
    offset = slices.add(offset, state.scalars.lookup(addend), loc);
  box.offsets[source.axis] = offset;
  Value &count = box.counts[source.axis];
  count = slices.multiply(iterations.count, count, loc);
  return box;
}

Value OperandFinder::boundOf(int axis) {
  tile::ViewLoadOp view = operand.source->view;
  for (auto [bounded, bound] :
       llvm::zip(view.getBoundedAxes(), view.getBounds()))
    if (bounded == axis)
      return state.scalars.lookup(bound);
  return {};
}

Value OperandFinder::isWhole(const Box &box) {
  Value all;
  for (auto [axis, offset] : llvm::enumerate(box.offsets)) {
    Value bound = boundOf(int(axis));
    if (!bound)
      continue;
    Value end = slices.add(offset, box.counts[axis], loc);
    Value fits =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, end, bound);
    Value begins = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                         offset, state.index(0));
    Value one = arith::AndIOp::create(b, loc, fits, begins);
    all = all ? arith::AndIOp::create(b, loc, all, one).getResult() : one;
  }
  return all;
}

void OperandFinder::readInPlace() {
  Box box = this->box();
  LoweringState::DotSource source{originOf(state, slices, box, loc),
                                  box.strides.front()};
  if (operand.part) {
    Value whole = isWhole(box);
    Value copy = state.scratch.addressOf(operand.whole);
    source.pointer =
        arith::SelectOp::create(b, loc, whole, source.pointer, copy);
    source.stride =
        arith::SelectOp::create(b, loc, whole, source.stride,
                                state.index(operand.whole->strides.front()));
    Value isTrue = intConstant(b, loc, b.getI1Type(), 1, 0);
    state.wanted[operand.part] = arith::XOrIOp::create(b, loc, whole, isTrue);
  }
  state.dotSources[{operand.dot, operand.number}] = source;
}

void OperandFinder::readKept() {
  Box box = this->box();
  Value origin = originOf(state, slices, box, loc);
  Extent extent = extentOf(state, slices, box, origin, loc);
  SmallVector<Value> key{iterations.count, LLVM::PtrToIntOp::create(
                                               b, loc, b.getI64Type(), origin)};
  for (auto [axis, offset] : llvm::enumerate(box.offsets)) {
    if (!constantInt(box.strides[axis]))
      key.push_back(box.strides[axis]);
    if (Value bound = boundOf(int(axis))) {
      key.push_back(offset);
      key.push_back(arith::SubIOp::create(b, loc, bound, offset));
    }
  }

  KeyTable keys(state, operand, loc);
  Value common = keys.common();
  Value inVain = keys.load(common, InVain);
  Value last = state.index(operand.places - 1);
  Value number = iterations.number;
  Value isLost =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, inVain,
                            state.index(patience * operand.places));
  Value place = arith::MinUIOp::create(b, loc, number, last);
  place = arith::SelectOp::create(b, loc, isLost, last, place);
  Value row = keys.rowAt(place);
  Value isSame;
  for (auto [column, value] : llvm::enumerate(key)) {
    Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        keys.load(row, column), value);
    isSame = isSame ? arith::AndIOp::create(b, loc, isSame, equal).getResult()
                    : equal;
  }
  Value isTrue = intConstant(b, loc, b.getI1Type(), 1, 0);
  Value isOther = arith::XOrIOp::create(b, loc, isSame, isTrue);
  // What has no place of its own says nothing about those that have.
  Value hasOwn =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, last);
  Value more = arith::AddIOp::create(
      b, loc, inVain,
      arith::ExtUIOp::create(b, loc, b.getI64Type(), hasOwn).getResult());
  keys.store(arith::SelectOp::create(b, loc, isOther, more, state.index(0)),
             common, InVain);
  auto branch = scf::IfOp::create(b, loc, isOther, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    for (auto [column, value] : llvm::enumerate(key))
      keys.store(value, row, column);
    Value first =
        arith::MinUIOp::create(b, loc, keys.load(common, First), extent.first);
    Value end =
        arith::MaxUIOp::create(b, loc, keys.load(common, End), extent.end);
    keys.store(first, common, First);
    keys.store(end, common, End);
  }

  Home *home = operand.whole;
  int64_t elements = home->bytes / storedBytes(home->element) / operand.places;
  Value pointer =
      LLVM::GEPOp::create(b, loc, origin.getType(), movedType(home->element),
                          state.scratch.addressOf(home),
                          ArrayRef<LLVM::GEPArg>{slices.multiply(
                              place, state.index(elements), loc)});
  state.dotSources[{operand.dot, operand.number}] = {
      pointer, state.index(home->strides.front())};
  state.wanted[operand.part] = isOther;
}

void OperandFinder::run() {
  if (operand.isInPlace)
    readInPlace();
  else if (operand.keys)
    readKept();
}

} // namespace

void findDotOperands(LoweringState &state, ArrayRef<LoopOperand> operands,
                     const Iterations &iterations) {
  for (const LoopOperand &operand : operands)
    OperandFinder(state, operand, iterations).run();
}

void placeParts(LoweringState &state, ArrayRef<LoopOperand> operands,
                Value iteration) {
  OpBuilder &b = state.b;
  for (const LoopOperand &operand : operands) {
    if (!operand.part)
      continue;
    Location loc = operand.dot->getLoc();
    Value whole = state.scratch.addressOf(operand.whole);
    auto source = state.dotSources.find({operand.dot, operand.number});
    if (operand.keys)
      whole = source->second.pointer;
    Value offset =
        arith::MulIOp::create(b, loc, iteration, state.index(operand.step));
    operand.part->pointer = LLVM::GEPOp::create(
        b, loc, whole.getType(), movedType(operand.part->element), whole,
        ArrayRef<LLVM::GEPArg>{offset});
  }
}

void forgetKept(LoweringState &state) {
  OpBuilder::InsertionGuard guard(state.b);
  state.b.setInsertionPoint(state.instances);
  for (const LoopOperand *operand : state.plan.keptOperands()) {
    KeyTable keys(state, *operand, operand->dot->getLoc());
    keys.store(state.index(0), keys.common(), InVain);
    keys.forget();
  }
}

void forgetWritten(LoweringState &state, Operation *store) {
  OpBuilder &b = state.b;
  Location loc = store->getLoc();
  for (const LoopOperand *operand : state.plan.keptOperands()) {
    if (accessRelation(operand->source->view, store) == AccessRelation::NoAlias)
      continue;
    OpBuilder::InsertionGuard guard(b);
    KeyTable keys(state, *operand, loc);
    auto view = dyn_cast<tile::ViewStoreOp>(store);
    bool isBox = view && llvm::none_of(view.getOffsets(), [](Value offset) {
                   return isTile(offset);
                 });
    if (isBox) {
      Slices slices(state);
      Box box = boxOf(state, view, shapeOf(view.getValue()));
      Extent written =
          extentOf(state, slices, box, originOf(state, slices, box, loc), loc);
      Value common = keys.common();
      Extent kept{keys.load(common, First), keys.load(common, End)};
      auto branch = scf::IfOp::create(b, loc, overlap(b, written, kept, loc),
                                      /*withElseRegion=*/false);
      b.setInsertionPoint(branch.thenBlock()->getTerminator());
    }
    keys.forget();
  }
}

} // namespace tesela::cpu
