//===- WrittenArguments.cpp - the pointers that a kernel writes through ---===//
//
// From the address of every op that writes, back through what it was computed
// from: operands of address arithmetic, what loops carry, what branches yield.
//
//   store %p, %x   %p = addptr %q, %i   %q = scf.for … iter_args(= %out)
//
//===----------------------------------------------------------------------===//

#include "driver/WrittenArguments.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/DenseSet.h"

namespace tesela::driver {

using namespace mlir;

static bool isPointer(Type type) {
  return isa<tile::PtrType>(getElementTypeOrSelf(type));
}

/// What control flow of `op` may hand to `value`, an argument of one of its
/// regions or one of its results.
static void addForwarded(RegionBranchOpInterface op, Value value,
                         SmallVectorImpl<Value> &sources) {
  auto addFrom = [&](RegionBranchPoint point, auto operandsFor) {
    SmallVector<RegionSuccessor> successors;
    op.getSuccessorRegions(point, successors);
    for (RegionSuccessor successor : successors)
      for (auto [operand, input] :
           llvm::zip(operandsFor(successor), successor.getSuccessorInputs()))
        if (input == value)
          sources.push_back(operand);
  };
  addFrom(RegionBranchPoint::parent(), [&](RegionSuccessor successor) {
    return op.getEntrySuccessorOperands(successor);
  });
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(
              block.getTerminator()))
        addFrom(terminator, [&](RegionSuccessor successor) {
          return terminator.getSuccessorOperands(successor);
        });
}

static void addSourcesOf(Value value, SmallVectorImpl<Value> &sources) {
  Operation *op = value.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(value))
    op = argument.getOwner()->getParentOp();
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
    return addForwarded(branch, value, sources);
  // What is read from memory is no argument's.
  if (!isMemoryEffectFree(op))
    return;
  bool fromPointer = llvm::any_of(op->getOperandTypes(),
                                  [](Type type) { return isPointer(type); });
  for (Value operand : op->getOperands())
    if (!fromPointer || isPointer(operand.getType()))
      sources.push_back(operand);
}

std::vector<bool> writtenArguments(ModuleOp module) {
  func::FuncOp kernel;
  module.walk([&](func::FuncOp function) {
    if (function->hasAttr("tile.kernel"))
      kernel = function;
  });
  if (!kernel || kernel.isExternal())
    return {};

  SmallVector<Value> work;
  kernel.walk([&](Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects || !effects.hasEffect<MemoryEffects::Write>())
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (isPointer(operand.get().getType()) &&
          effects.getEffectOnValue<MemoryEffects::Write>(operand.get()))
        work.push_back(operand.get());
  });

  std::vector<bool> written(kernel.getNumArguments(), false);
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == &kernel.front())
      written[argument.getArgNumber()] = isPointer(value.getType());
    else
      addSourcesOf(value, work);
  }
  return written;
}

} // namespace tesela::driver
