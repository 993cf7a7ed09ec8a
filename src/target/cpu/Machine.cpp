//===- Machine.cpp - LLVM's description of a processor --------------------===//
//
// Code generators for x86-64 and AArch64 are built in whatever the host is, so
// that code for another machine can be produced and looked at anywhere.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Machine.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

#include <map>
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

//===----------------------------------------------------------------------===//
// What is kept of a processor
//===----------------------------------------------------------------------===//

namespace {

struct Processor {
  /// Null where LLVM knows no such processor.
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::vector<std::unique_ptr<Machine>> idle;
};

/// Processors by all that their facts say to LLVM; none ever goes.
struct Processors {
  std::mutex mutex;
  std::map<std::string, Processor> known;

  static Processors &get() {
    // Never destroyed: kernels of other statics may outlive it.
    static Processors &processors = *new Processors;
    return processors;
  }
};

} // namespace

void ReturnMachine::operator()(Machine *machine) const {
  std::lock_guard lock(Processors::get().mutex);
  idle->emplace_back(machine);
}

static Processor &processorOf(const TargetFacts &facts) {
  auto [place, isNew] = Processors::get().known.try_emplace(
      facts.triple + "\n" + facts.processor + "\n" + facts.features);
  if (!isNew)
    return place->second;
  registerTargets();
  llvm::Triple triple(llvm::Triple::normalize(facts.triple));
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return place->second;
  // An unknown processor would be taken for the oldest, with a warning.
  std::unique_ptr<llvm::MCSubtargetInfo> oldest(
      target->createMCSubtargetInfo(triple, "", ""));
  if (oldest &&
      (facts.processor.empty() || oldest->isCPUStringValid(facts.processor)))
    place->second.subtarget.reset(
        target->createMCSubtargetInfo(triple, facts.processor, facts.features));
  return place->second;
}

bool hasFeature(const TargetFacts &facts, llvm::StringRef feature) {
  std::lock_guard lock(Processors::get().mutex);
  const Processor &processor = processorOf(facts);
  return processor.subtarget &&
         processor.subtarget->checkFeatures("+" + feature.str());
}

bool isFeature(const TargetFacts &facts, llvm::StringRef feature) {
  std::lock_guard lock(Processors::get().mutex);
  const Processor &processor = processorOf(facts);
  return processor.subtarget &&
         llvm::any_of(processor.subtarget->getAllProcessorFeatures(),
                      [&](const auto &known) { return known.Key == feature; });
}

static std::unique_ptr<Machine>
createMachine(const TargetFacts &facts, bool isKnown, std::string &error) {
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
  if (!isKnown) {
    error = "`" + facts.processor + "` is no processor that LLVM knows for `" +
            facts.triple + "`";
    return nullptr;
  }

  llvm::TargetOptions options;
  // Comments in assembly text, the source lines among them.
  options.MCOptions.AsmVerbose = true;
  auto machine = std::make_unique<Machine>();
  machine->target.reset(target->createTargetMachine(
      triple, facts.processor, facts.features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (machine->target)
    machine->objects =
        CodeWriter::create(*machine->target, llvm::CodeGenFileType::ObjectFile);
  if (!machine->objects) {
    error = "LLVM has no machine for the triple `" + facts.triple + "`";
    return nullptr;
  }
  return machine;
}

LentMachine lendMachine(const TargetFacts &facts, std::string &error) {
  std::unique_lock lock(Processors::get().mutex);
  Processor &processor = processorOf(facts);
  auto &idle = processor.idle;
  if (!idle.empty()) {
    LentMachine machine(idle.back().release(), {&idle});
    idle.pop_back();
    return machine;
  }
  bool isKnown = processor.subtarget != nullptr;
  lock.unlock();
  return {createMachine(facts, isKnown, error).release(), {&idle}};
}

} // namespace tesela::cpu
