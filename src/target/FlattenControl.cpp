//===- FlattenControl.cpp - loops and branches as blocks ------------------===//
//
//   %r = scf.for %i = %a to %b step %s       llvm.br ^head(%a, %x)
//       iter_args(%c = %x) {               ^head(%i, %c):
//     …                             ==>      llvm.cond_br %i < %b, ^body, ^end
//     scf.yield %y                         ^body:
//   }                                        …
//                                            llvm.br ^head(%i + %s, %y)
//                                          ^end:  (%r is %c)
//
// What a loop gives dominates what follows it, so that only branches that meet
// again need arguments.
//
//===----------------------------------------------------------------------===//

#include "target/FlattenControl.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tesela {

/// Moves a region's blocks before `end`; the first one.
static Block *unwrap(Region &region, Block *end) {
  Block *first = &region.front();
  end->getParent()->getBlocks().splice(end->getIterator(), region.getBlocks());
  return first;
}

static void flatten(OpBuilder &b, scf::ForOp loop) {
  Location loc = loop.getLoc();
  Block *before = loop->getBlock();
  Block *end = before->splitBlock(loop->getIterator());
  // Of the body's blocks, the first one's arguments are the head's.
  Block *latch = &loop.getRegion().back();
  Block *head = unwrap(loop.getRegion(), end);
  Block *body = head->splitBlock(head->begin());
  if (latch == head)
    latch = body;

  SmallVector<Value> first = {loop.getLowerBound()};
  llvm::append_range(first, loop.getInitArgs());
  b.setInsertionPointToEnd(before);
  LLVM::BrOp::create(b, loc, first, head);

  b.setInsertionPointToEnd(head);
  Value runs =
      LLVM::ICmpOp::create(b, loc,
                           loop.getUnsignedCmp() ? LLVM::ICmpPredicate::ult
                                                 : LLVM::ICmpPredicate::slt,
                           head->getArgument(0), loop.getUpperBound());
  LLVM::CondBrOp::create(b, loc, runs, body, ValueRange(), end, ValueRange());

  Operation *yield = latch->getTerminator();
  b.setInsertionPoint(yield);
  SmallVector<Value> next = {
      LLVM::AddOp::create(b, loc, head->getArgument(0), loop.getStep())};
  llvm::append_range(next, yield->getOperands());
  LLVM::BrOp::create(b, loc, next, head);
  yield->erase();

  loop->replaceAllUsesWith(head->getArguments().drop_front());
  loop->erase();
}

static void flatten(OpBuilder &b, scf::IfOp branch) {
  Location loc = branch.getLoc();
  Block *before = branch->getBlock();
  Block *end = before->splitBlock(branch->getIterator());
  SmallVector<Location> locs(branch.getNumResults(), loc);
  // What both ways give.
  end->addArguments(branch.getResultTypes(), locs);
  auto open = [&](Region &region) {
    if (region.empty())
      return end;
    Block *last = &region.back();
    Block *first = unwrap(region, end);
    Operation *yield = last->getTerminator();
    b.setInsertionPoint(yield);
    LLVM::BrOp::create(b, loc, yield->getOperands(), end);
    yield->erase();
    return first;
  };
  Block *taken = open(branch.getThenRegion());
  Block *other = open(branch.getElseRegion());
  b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(b, loc, branch.getCondition(), taken, ValueRange(),
                         other, ValueRange());
  branch->replaceAllUsesWith(end->getArguments());
  branch->erase();
}

static void flatten(OpBuilder &b, scf::WhileOp loop) {
  Location loc = loop.getLoc();
  Block *before = loop->getBlock();
  Block *end = before->splitBlock(loop->getIterator());
  Block *test = &loop.getBefore().back(), *latch = &loop.getAfter().back();
  Block *head = unwrap(loop.getBefore(), end);
  Block *body = unwrap(loop.getAfter(), end);

  b.setInsertionPointToEnd(before);
  LLVM::BrOp::create(b, loc, loop.getInits(), head);

  auto condition = cast<scf::ConditionOp>(test->getTerminator());
  b.setInsertionPoint(condition);
  LLVM::CondBrOp::create(b, loc, condition.getCondition(), body,
                         condition.getArgs(), end, ValueRange());
  loop->replaceAllUsesWith(condition.getArgs());
  condition->erase();

  Operation *yield = latch->getTerminator();
  b.setInsertionPoint(yield);
  LLVM::BrOp::create(b, loc, yield->getOperands(), head);
  yield->erase();
  loop->erase();
}

bool flattenControl(OpBuilder &b, Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return flatten(b, loop), true;
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return flatten(b, branch), true;
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return flatten(b, loop), true;
  return false;
}

} // namespace tesela
