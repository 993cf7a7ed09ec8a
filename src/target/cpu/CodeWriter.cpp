//===- CodeWriter.cpp - LLVM's code generator for one machine -----------===//
//
// Making the list of a hundred passes takes as long as running some of them, so
// that it is kept. On x86-64 it is a shorter one than LLVM's own: a kernel has
// no exceptions, no garbage collector, no strings to compare and no tiles of
// AMX, and strength is reduced before (ReduceProducts.h).
//
//===----------------------------------------------------------------------===//

#include "target/cpu/CodeWriter.h"

#include "target/LlvmCode.h"

#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/CodeGenTargetMachineImpl.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar.h"

using namespace llvm;

namespace tesela::cpu {

struct CodeWriter::State {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream{bytes};
  legacy::PassManager passes;
};

namespace {

/// Names what LLVM's list calls last, selecting instructions.
struct Selection : TargetPassConfig {
  using TargetPassConfig::addCoreISelPasses;
};

} // namespace

/// What has to be done to LLVM IR before instructions are selected, and what
/// makes addresses fold into them.
static void addPreparation(legacy::PassManager &passes,
                           TargetPassConfig &config, TargetMachine &machine) {
  passes.add(
      createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
  passes.add(createPreISelIntrinsicLoweringPass());
  passes.add(createAtomicExpandLegacyPass());
  passes.add(createScopedNoAliasAAWrapperPass());
  passes.add(createBasicAAWrapperPass());
  passes.add(createUnreachableBlockEliminationPass());
  passes.add(createScalarizeMaskedMemIntrinLegacyPass());
  passes.add(createExpandReductionsPass());
  config.addCodeGenPrepare();
  config.addISelPrepare();
}

/// Passes that find nothing in kernels, or nothing that makes them faster.
static void leaveOut(TargetPassConfig &config) {
  char *const unneeded[] = {
      // Expressions are balanced where it pays (dots, reductions).
      &MachineCombinerID, &EarlyIfConverterLegacyID,
      // Nothing lives on the stack but what registers spill.
      &StackColoringLegacyID, &LocalStackSlotAllocationID,
      // No collector, no debugger, no instrumentation.
      &GCMachineCodeAnalysisID, &LiveDebugValuesID, &StackMapLivenessID,
      &FEntryInserterID, &XRayInstrumentationID, &PatchableFunctionID,
      &RemoveLoadsIntoFakeUsesID, &FuncletLayoutID};
  for (char *pass : unneeded)
    config.disablePass(pass);
}

/// False where the machine can't.
static bool addPasses(legacy::PassManager &passes, TargetMachine &machine,
                      raw_pwrite_stream &stream, CodeGenFileType kind) {
  if (!machine.getTargetTriple().isX86_64())
    return !machine.addPassesToEmitFile(passes, stream, nullptr, kind,
                                        /*DisableVerify=*/true);
  // Every code generator of LLVM's is one of these.
  auto &generator = static_cast<CodeGenTargetMachineImpl &>(machine);
  TargetPassConfig *config = generator.createPassConfig(passes);
  auto *info = new MachineModuleInfoWrapperPass(&machine);
  config->setDisableVerify(true);
  passes.add(config);
  passes.add(info);
  addPreparation(passes, *config, machine);
  leaveOut(*config);
  if ((config->*&Selection::addCoreISelPasses)())
    return false;
  config->addMachinePasses();
  config->setInitialized();
  if (generator.addAsmPrinter(passes, stream, nullptr, kind,
                              info->getMMI().getContext()))
    return false;
  passes.add(createFreeMachineFunctionPass());
  return true;
}

std::unique_ptr<CodeWriter> CodeWriter::create(TargetMachine &machine,
                                               CodeGenFileType kind) {
  auto state = std::make_unique<State>();
  state->passes.add(new TargetLibraryInfoWrapperPass(noLibrary(machine)));
  if (!addPasses(state->passes, machine, state->stream, kind))
    return nullptr;
  return std::unique_ptr<CodeWriter>(new CodeWriter(std::move(state)));
}

CodeWriter::CodeWriter(std::unique_ptr<State> state)
    : state(std::move(state)) {}

CodeWriter::~CodeWriter() = default;

std::string CodeWriter::write(Module &module) {
  state->passes.run(module);
  std::string code(state->bytes.begin(), state->bytes.end());
  state->bytes.clear();
  return code;
}

} // namespace tesela::cpu
