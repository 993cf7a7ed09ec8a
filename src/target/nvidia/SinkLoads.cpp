//===- SinkLoads.cpp - values are computed where they are needed ----------===//
//
//   %w0 = ld ..                          %w0 = ld ..
//   %w1 = ld ..                          %b0 = ld ..
//   %b0 = ld ..                          %y0 = fma %x0, %w0, %b0
//   %b1 = ld ..                     ==>  st %y0
//   %y0 = fma %x0, %w0, %b0              %w1 = ld ..
//   %y1 = fma %x1, %w1, %b1              %b1 = ld ..
//   st %y0                               %y1 = fma %x1, %w1, %b1
//   st %y1                               st %y1
//
// ptxas starts loads as early as it can, in front of the code that waits for
// them, and puts on the stack what then has no register. It moves none over a
// store that may go to the same memory. So in kernels that are tight on
// registers loads stand behind the stores of the elements before theirs.
//
// Legal for loads that nothing in the kernel may write to: these are marked as
// inline assembly without side effects.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/SplitVectors.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tesela::nvidia {

/// Whether it may be computed later in its block.
static bool mayWait(const Instruction &instruction) {
  if (isa<PHINode, AllocaInst>(instruction) || instruction.isTerminator())
    return false;
  auto *call = dyn_cast<CallBase>(&instruction);
  if (call && call->isInlineAsm())
    return !cast<InlineAsm>(call->getCalledOperand())->hasSideEffects() &&
           !call->isConvergent();
  return !instruction.mayHaveSideEffects() &&
         !instruction.mayReadFromMemory() && !(call && call->isConvergent());
}

/// Moves what `user` needs, and what that needs, in front of it.
static void gatherOperands(Instruction *user,
                           SmallPtrSetImpl<Instruction *> &waiting) {
  SmallVector<std::pair<Instruction *, unsigned>> open = {{user, 0}};
  while (!open.empty()) {
    auto &[instruction, next] = open.back();
    if (next != instruction->getNumOperands()) {
      auto *operand = dyn_cast<Instruction>(instruction->getOperand(next++));
      if (operand && waiting.erase(operand))
        open.push_back({operand, 0});
      continue;
    }
    if (instruction != user)
      instruction->moveBefore(user->getIterator());
    open.pop_back();
  }
}

static void sinkIn(BasicBlock &block) {
  SmallVector<Instruction *> inOrder, users;
  for (Instruction &instruction : block)
    if (mayWait(instruction))
      inOrder.push_back(&instruction);
    else if (!isa<PHINode>(instruction))
      users.push_back(&instruction);
  SmallPtrSet<Instruction *, 32> waiting(inOrder.begin(), inOrder.end());
  for (Instruction *user : users)
    gatherOperands(user, waiting);
  // What other blocks need.
  for (Instruction *instruction : inOrder)
    if (waiting.contains(instruction))
      instruction->moveBefore(block.getTerminator()->getIterator());
}

void sinkLoads(Module &module) {
  for (Function &function : module)
    if (function.hasFnAttribute("nvvm.minctasm"))
      for (BasicBlock &block : function)
        sinkIn(block);
}

} // namespace tesela::nvidia
