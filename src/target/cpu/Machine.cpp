//===- Machine.cpp - LLVM's description of a processor --------------------===//
//
// Code generators for x86-64 and AArch64 are built in whatever the host is, so
// that code for another machine can be produced and looked at anywhere.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Machine.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86Target();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86AsmPrinter();
void LLVMInitializeAArch64TargetInfo();
void LLVMInitializeAArch64Target();
void LLVMInitializeAArch64TargetMC();
void LLVMInitializeAArch64AsmPrinter();
}

namespace tesela::cpu {

static void registerTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
  });
}

bool hasFeature(const TargetFacts &facts, const char *feature) {
  registerTargets();
  llvm::Triple triple(llvm::Triple::normalize(facts.triple));
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return false;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, facts.processor, facts.features));
  return subtarget && subtarget->checkFeatures(std::string("+") + feature);
}

std::unique_ptr<llvm::TargetMachine> createMachine(const TargetFacts &facts,
                                                   std::string &error) {
  registerTargets();
  llvm::Triple triple(llvm::Triple::normalize(facts.triple));
  if (!triple.isX86_64() && !triple.isAArch64(64)) {
    error = "no code generator for the triple `" + facts.triple + "`";
    return nullptr;
  }
  if (!triple.isOSBinFormatELF()) {
    error = "the triple `" + facts.triple + "` does not use ELF objects";
    return nullptr;
  }
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;

  // An unknown processor would be taken for the oldest, with a warning.
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!facts.processor.empty() &&
      (!subtarget || !subtarget->isCPUStringValid(facts.processor))) {
    error = "`" + facts.processor + "` is no processor that LLVM knows for `" +
            facts.triple + "`";
    return nullptr;
  }

  llvm::TargetOptions options;
  // Comments in assembly text, the source lines among them.
  options.MCOptions.AsmVerbose = true;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, facts.processor, facts.features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (!machine)
    error = "LLVM has no machine for the triple `" + facts.triple + "`";
  return machine;
}

} // namespace tesela::cpu
