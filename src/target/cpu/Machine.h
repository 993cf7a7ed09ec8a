//===- Machine.h - LLVM's description of a processor ----------------------===//

#ifndef TESELA_TARGET_CPU_MACHINE_H
#define TESELA_TARGET_CPU_MACHINE_H

#include "support/TargetFacts.h"
#include "target/cpu/CodeWriter.h"

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Function;
class Module;
class TargetMachine;
} // namespace llvm

namespace tesela::cpu {

/// LLVM's machine and its code generator.
struct Machine {
  std::unique_ptr<llvm::TargetMachine> target;
  std::unique_ptr<CodeWriter> objects;
};

/// Takes a machine back that was lent.
struct ReturnMachine {
  std::vector<std::unique_ptr<Machine>> *idle = nullptr;
  void operator()(Machine *machine) const;
};
using LentMachine = std::unique_ptr<Machine, ReturnMachine>;

/// LLVM's machine for the triple, processor and features in `facts`, for one
/// compilation at a time. Making one takes milliseconds, so that they are kept.
/// Null, with the reason in `error`, where LLVM knows no such processor. Any
/// thread.
LentMachine lendMachine(const TargetFacts &facts, std::string &error);

/// Whether the processor has a feature, by its name ("avx2", "fma"); false
/// where LLVM knows no such processor.
bool hasFeature(const TargetFacts &facts, llvm::StringRef feature);

/// Whether LLVM knows a feature of this name for such processors.
bool isFeature(const TargetFacts &facts, llvm::StringRef feature);

/// Whether a function is the check of a launch.
bool isPrecondition(const llvm::Function &function);

/// Optimises a module whose loops are already vectorised, in place.
void optimise(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_MACHINE_H
