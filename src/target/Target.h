//===- Target.h - the one struct that a target fills in -------------------===//

#ifndef TESELA_TARGET_TARGET_H
#define TESELA_TARGET_TARGET_H

#include "support/GpuLaunch.h"
#include "support/KernelAbi.h"
#include "support/TargetFacts.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tesela {

/// Machine code of one kernel and what a launch must know of it: what the disk
/// cache keeps.
struct Binary {
  /// The kernel's name; the symbol of its entry.
  std::string name;
  /// A relocatable object file (CPU), PTX or a cubin (NVIDIA).
  std::string code;
  ArgumentLayout arguments;
  /// One for each slot: whether the kernel may write through the pointer.
  std::vector<bool> written;
  /// One for each slot: whether a loop counts by it that every launch reaches,
  /// so that it has to be positive.
  std::vector<bool> steps;
  /// Memory that each running thread needs (CPU).
  uint64_t scratchBytes = 0;
  /// The symbol of the precondition's check; empty where nothing is assumed.
  std::string precondition;
  /// How the code is launched (NVIDIA).
  GpuLaunch gpu;
};

/// Called after each stage with its name ("views", "cpu", "llvm", "asm") and a
/// function that prints it.
using StageObserver = llvm::function_ref<void(
    const std::string &stage, llvm::function_ref<std::string()> print)>;

struct CompileOptions {
  TargetFacts facts;
  /// Compile without the facts that need checking at launch: the general
  /// binary.
  bool general = false;
  /// Of the launch: warps that compute one instance, and how far loads run
  /// ahead in a loop (GPU).
  int numWarps = 4;
  int numStages = 3;
  /// Somebody looks at the stages: what LLVM prints names the user's lines.
  bool lines = false;
};

struct Target {
  /// "cpu".
  const char *name;
  /// The facts of the machine this process runs on.
  TargetFacts (*hostFacts)();
  /// From emitted tile IR to machine code; consumes the module's contents.
  /// False where it fails; errors come through the context's diagnostic handler
  /// with the user's location.
  bool (*compile)(mlir::ModuleOp module, const CompileOptions &options,
                  StageObserver observe, Binary &binary);
};

} // namespace tesela

#endif // TESELA_TARGET_TARGET_H
