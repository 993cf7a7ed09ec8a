//===- ChooseInstructions.cpp - approximations by their PTX names ---------===//
//
//   %q = fdiv afn float %a, %b   ==>  call @llvm.nvvm.div.full(%a, %b)
//   %e = call afn @llvm.exp2(%x) ==>  call @llvm.nvvm.ex2.approx.ftz.f32(%x)
//
// LLVM's own choice for the first, `div.approx`, gives 0 for large divisors,
// and for the second takes three instructions more for results below 2^-126,
// which become 0 here.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/SplitVectors.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tesela::nvidia {

/// 1 / x has an instruction of its own, which LLVM finds.
static bool isReciprocal(const BinaryOperator &division) {
  auto *one = dyn_cast<ConstantFP>(division.getOperand(0));
  return one && one->isExactlyValue(1.0);
}

static Value *chosen(Instruction &instruction) {
  if (!instruction.getType()->isFloatTy() ||
      !isa<FPMathOperator>(instruction) || !instruction.hasApproxFunc())
    return nullptr;
  IRBuilder<> builder(&instruction);
  if (auto *operation = dyn_cast<BinaryOperator>(&instruction)) {
    if (operation->getOpcode() != Instruction::FDiv || isReciprocal(*operation))
      return nullptr;
    if (auto *divisor = dyn_cast<ConstantFP>(operation->getOperand(1))) {
      APFloat inverse(0.0f);
      if (divisor->getValueAPF().getExactInverse(&inverse))
        return builder.CreateFMul(
            operation->getOperand(0),
            ConstantFP::get(instruction.getType(), inverse));
    }
    return builder.CreateIntrinsic(
        Intrinsic::nvvm_div_full, {},
        {operation->getOperand(0), operation->getOperand(1)});
  }
  auto *call = dyn_cast<CallInst>(&instruction);
  if (!call || call->getIntrinsicID() != Intrinsic::exp2)
    return nullptr;
  return builder.CreateIntrinsic(Intrinsic::nvvm_ex2_approx_ftz,
                                 {call->getType()}, {call->getArgOperand(0)});
}

void chooseInstructions(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function)))
      if (Value *better = chosen(instruction)) {
        instruction.replaceAllUsesWith(better);
        instruction.eraseFromParent();
      }
}

} // namespace tesela::nvidia
