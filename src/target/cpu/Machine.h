//===- Machine.h - LLVM's description of a processor ----------------------===//

#ifndef TESELA_TARGET_CPU_MACHINE_H
#define TESELA_TARGET_CPU_MACHINE_H

#include "support/TargetFacts.h"

#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tesela::cpu {

/// LLVM's machine for the triple, processor and features in `facts`. Null, with
/// the reason in `error`, where LLVM knows no such processor. Any thread.
std::unique_ptr<llvm::TargetMachine> createMachine(const TargetFacts &facts,
                                                   std::string &error);

/// Whether the processor has a feature, by its name ("avx2", "fma"); false
/// where LLVM knows no such processor.
bool hasFeature(const TargetFacts &facts, const char *feature);

/// Optimises a module whose loops are already vectorised, in place.
void optimise(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_MACHINE_H
