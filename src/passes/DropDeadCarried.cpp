//===- DropDeadCarried.cpp - stop carrying what nothing needs -------------===//
//
//   scf.for .. iter_args(%p = %init) {       scf.for .. iter_args(%p = %init) {
//     %q = tile.addptr %p, %step       ==>     scf.yield %p
//     scf.yield %q                           }
//   }
//
// after which folding takes `%p` out of the loop. Legal because liveness, from
// effects and conditions backwards, reaches neither `%p` nor the loop's result;
// raising leaves such pointers behind.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tesela {
#define GEN_PASS_DEF_DROPDEADCARRIED
#include "passes/Passes.h.inc"

namespace {

class Liveness {
public:
  explicit Liveness(func::FuncOp function) {
    function.walk([&](Operation *op) { markRoots(op); });
    while (!worklist.empty())
      propagate(worklist.pop_back_val());
  }
  bool isLive(Value value) const { return live.contains(value); }

private:
  void mark(Value value) {
    if (live.insert(value).second)
      worklist.push_back(value);
  }

  /// What is needed whatever its results are used for.
  void markRoots(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      mark(loop.getLowerBound());
      mark(loop.getUpperBound());
      mark(loop.getStep());
      return;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return mark(branch.getCondition());
    bool ofTracked =
        isa<scf::YieldOp>(op) && isa<scf::ForOp, scf::IfOp>(op->getParentOp());
    if (ofTracked || (op->getNumRegions() == 0 && wouldOpBeTriviallyDead(op)))
      return;
    for (Value operand : op->getOperands())
      mark(operand);
  }

  void propagate(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (loop && argument.getArgNumber() > 0)
        markCarried(loop, argument.getArgNumber() - 1);
      return;
    }
    auto result = cast<OpResult>(value);
    Operation *op = result.getOwner();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return markCarried(loop, result.getResultNumber());
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      mark(branch.thenYield().getOperand(result.getResultNumber()));
      mark(branch.elseYield().getOperand(result.getResultNumber()));
      return;
    }
    for (Value operand : op->getOperands())
      mark(operand);
  }

  void markCarried(scf::ForOp loop, unsigned index) {
    mark(loop.getInitArgs()[index]);
    mark(loop.getYieldedValues()[index]);
  }

  llvm::DenseSet<Value> live;
  SmallVector<Value> worklist;
};

struct DropDeadCarried : impl::DropDeadCarriedBase<DropDeadCarried> {
  void runOnOperation() override {
    Liveness liveness(getOperation());
    getOperation().walk([&](scf::ForOp loop) {
      for (unsigned i = 0; i != loop.getNumRegionIterArgs(); ++i) {
        Value carried = loop.getRegionIterArg(i);
        if (liveness.isLive(carried) || liveness.isLive(loop.getResult(i)) ||
            loop.getYieldedValues()[i] == carried)
          continue;
        (*loop.getYieldedValuesMutable())[i].set(carried);
        ++numDropped;
      }
    });
  }
};

} // namespace
} // namespace tesela
