//===- CheckSelectable.cpp - nothing that the code generator dies of ------===//
//
// LLVM ends the process at an operation that it has no PTX for, and calls a
// library, which no GPU has, for others. Both are found here first.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Machine.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace tesela::nvidia {

/// Intrinsics that become calls of a C library, or nothing at all.
static bool needsLibrary(const llvm::CallBase &call) {
  switch (call.getIntrinsicID()) {
  case llvm::Intrinsic::acos:
  case llvm::Intrinsic::asin:
  case llvm::Intrinsic::atan:
  case llvm::Intrinsic::atan2:
  case llvm::Intrinsic::cosh:
  case llvm::Intrinsic::exp:
  case llvm::Intrinsic::exp10:
  case llvm::Intrinsic::frexp:
  case llvm::Intrinsic::ldexp:
  case llvm::Intrinsic::log:
  case llvm::Intrinsic::log10:
  case llvm::Intrinsic::log2:
  case llvm::Intrinsic::modf:
  case llvm::Intrinsic::pow:
  case llvm::Intrinsic::powi:
  case llvm::Intrinsic::sincos:
  case llvm::Intrinsic::sincospi:
  case llvm::Intrinsic::sinh:
  case llvm::Intrinsic::tan:
    return true;
  case llvm::Intrinsic::cos:
  case llvm::Intrinsic::sin:
  case llvm::Intrinsic::tanh:
    return !call.getType()->getScalarType()->isFloatTy() ||
           !call.hasApproxFunc();
  case llvm::Intrinsic::exp2:
    return call.getType()->getScalarType()->isDoubleTy();
  default:
    return false;
  }
}

static bool isTooWide(const llvm::Type *type) {
  type = type->getScalarType();
  return type->isX86_FP80Ty() || type->isFP128Ty() || type->isPPC_FP128Ty();
}

std::string findUnselectable(const llvm::Module &module) {
  for (const llvm::Function &function : module) {
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      if (instruction.getOpcode() == llvm::Instruction::FRem)
        return "remainders of floats have no instruction";
      if (isTooWide(instruction.getType()))
        return "floats of more than 64 bits have no instructions";
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call || call->isInlineAsm())
        continue;
      const llvm::Function *callee = call->getCalledFunction();
      if (!callee)
        return "a call through a pointer is left";
      if (callee->isIntrinsic() ? needsLibrary(*call) : callee->isDeclaration())
        return "`" + callee->getName().str() + "` is called, which no GPU has";
    }
  }
  return {};
}

} // namespace tesela::nvidia
