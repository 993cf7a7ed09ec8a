//===- LlvmCode.h - LLVM's passes and code generators ---------------------===//

#ifndef TESELA_TARGET_LLVMCODE_H
#define TESELA_TARGET_LLVMCODE_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace llvm {
class Function;
class Module;
class TargetLibraryInfoImpl;
class TargetMachine;
enum class CodeGenFileType;
} // namespace llvm

namespace tesela {

/// A library of which LLVM knows no function: no loop turns into a call of the
/// C library's, and no call of its maths into another.
llvm::TargetLibraryInfoImpl noLibrary(const llvm::TargetMachine &machine);

/// Runs passes, as LLVM's text names them, that know the machine and
/// `noLibrary`. There is one more, `reduce-products` of loops
/// (ReduceProducts.h).
void runLlvmPasses(llvm::Module &module, llvm::TargetMachine &machine,
                   const char *pipeline);
/// The same of the functions that are `wanted`, with passes of functions.
void runLlvmPasses(llvm::Module &module, llvm::TargetMachine &machine,
                   const char *pipeline,
                   llvm::function_ref<bool(const llvm::Function &)> wanted);

/// Object code or assembly; empty, with the reason in `error`, where the
/// machine can't write it.
std::string emitMachineCode(llvm::Module &module, llvm::TargetMachine &machine,
                            llvm::CodeGenFileType kind, std::string &error);

/// The text of a module.
std::string printLlvm(const llvm::Module &module);

} // namespace tesela

#endif // TESELA_TARGET_LLVMCODE_H
