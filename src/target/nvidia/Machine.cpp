//===- Machine.cpp - LLVM's description of a GPU --------------------------===//

#include "target/nvidia/Machine.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace tesela::nvidia {

/// Pointers to shared memory are 32 bits wide, and so are registers that hold
/// them. LLVM has this only as an option of the whole process, which nobody but
/// us has set: its code is inside this library.
static void chooseShortPointers() {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find("nvptx-short-ptr");
  if (found != options.end())
    static_cast<llvm::cl::opt<bool> *>(found->second)->setValue(true);
}

static void registerTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    chooseShortPointers();
  });
}

std::unique_ptr<llvm::TargetMachine> createMachine(const TargetFacts &facts,
                                                   std::string &error) {
  registerTarget();
  llvm::Triple triple(llvm::Triple::normalize(facts.triple));
  const llvm::Target *target = nullptr;
  if (triple.isNVPTX())
    target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    error = "no code generator for the triple `" + facts.triple + "`";
    return nullptr;
  }
  // An unknown processor would be taken for the oldest, with a warning.
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!subtarget || !subtarget->isCPUStringValid(facts.processor)) {
    error = "`" + facts.processor + "` is no GPU that LLVM knows";
    return nullptr;
  }

  llvm::TargetOptions options;
  options.MCOptions.AsmVerbose = false;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, facts.processor, facts.features, options, std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine)
    error = "LLVM has no machine for the triple `" + facts.triple + "`";
  return machine;
}

} // namespace tesela::nvidia
