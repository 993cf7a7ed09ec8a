//===- Nvidia.h - the NVIDIA target ---------------------------------------===//

#ifndef TESELA_TARGET_NVIDIA_NVIDIA_H
#define TESELA_TARGET_NVIDIA_NVIDIA_H

#include "target/Target.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace tesela::nvidia {

/// Facts of an architecture by its number ("80", "90a"); nothing where there is
/// no code for it.
std::optional<TargetFacts> factsFor(llvm::StringRef architecture);

/// The architectures that have facts, for messages: "80, 86, …".
std::string supportedArchitectures();

/// As `Target::compile` says: emitted tile IR -> PTX and how it is launched.
bool compile(mlir::ModuleOp module, const CompileOptions &options,
             StageObserver observe, Binary &binary);

/// Tile IR with views -> tiles with layouts (stage "gpu") -> thread programs ->
/// LLVM dialect; the parts, and all of it.
void buildNvidiaLayoutPipeline(mlir::OpPassManager &manager,
                               const CompileOptions &options);
void buildNvidiaThreadPipeline(mlir::OpPassManager &manager,
                               const CompileOptions &options);
void buildNvidiaPipeline(mlir::OpPassManager &manager,
                         const CompileOptions &options);

/// Thread programs -> LLVM dialect. They are functions over scalars and vectors
/// of one dimension, a vector being one thread's registers of a tile, in
/// `arith`, `math`, `vector`, `scf`, `cf`, `func`, `llvm` and `nvvm`.
///
/// The one with `tile.kernel` becomes the entry; its `nvvm.reqntid`,
/// `nvvm.maxnreg`, `nvvm.cluster_dim` and the like become directives.
void buildNvidiaLlvmPipeline(mlir::OpPassManager &manager,
                             const CompileOptions &options);

/// LLVM dialect -> optimised LLVM IR (stage "llvm") -> PTX (stage "ptx"), with
/// the user's lines. Empty, with the reason in `error`, where it fails.
std::string generatePtx(mlir::ModuleOp module, const TargetFacts &facts,
                        StageObserver observe, std::string &error);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_NVIDIA_H
