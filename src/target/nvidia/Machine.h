//===- Machine.h - LLVM's description of a GPU ----------------------------===//

#ifndef TESELA_TARGET_NVIDIA_MACHINE_H
#define TESELA_TARGET_NVIDIA_MACHINE_H

#include "support/TargetFacts.h"

#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tesela::nvidia {

/// LLVM's machine for the processor and features in `facts`. Null, with the
/// reason in `error`, where LLVM knows no such processor. Any thread.
std::unique_ptr<llvm::TargetMachine> createMachine(const TargetFacts &facts,
                                                   std::string &error);

/// Optimises a kernel in place. Of its vectors only those of loads, stores and
/// inline assembly are left, and pairs of halves.
void optimise(llvm::Module &module, llvm::TargetMachine &machine);

/// Whether the code generator can take the module: it ends the process at what
/// it has no instruction for. Else what that is.
std::string findUnselectable(const llvm::Module &module);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_MACHINE_H
