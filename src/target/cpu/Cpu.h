//===- Cpu.h - the CPU target ---------------------------------------------===//

#ifndef TESELA_TARGET_CPU_CPU_H
#define TESELA_TARGET_CPU_CPU_H

#include "target/Target.h"

#include <memory>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tesela::cpu {

/// The row of driver/Targets.cpp.
Target target();

/// Facts of the host: LLVM's name of the processor, its features, its vectors.
TargetFacts hostFacts();

/// Takes features ("avx512f,fma"), and those that need them, out of the facts.
/// Gives what is wrong with the list, and then changes nothing; else an empty
/// text.
std::string switchOff(TargetFacts &facts, llvm::StringRef features);

/// The whole pipeline after `buildTilePipeline`: tile with views -> loops and
/// vectors -> LLVM dialect. `tesela-opt --cpu-pipeline` runs this function.
void buildCpuPipeline(mlir::OpPassManager &manager,
                      const CompileOptions &options);

/// A launch that writes more bytes than that writes past the caches.
inline constexpr uint64_t keptByCaches = 128 << 20;

/// Its two parts: tile with views -> loops and vectors; these -> LLVM dialect.
void buildCpuLoopPipeline(mlir::OpPassManager &manager,
                          const CompileOptions &options,
                          uint64_t cacheBytes = keptByCaches);
void buildCpuLlvmPipeline(mlir::OpPassManager &manager,
                          const CompileOptions &options);

/// LLVM dialect -> optimised LLVM IR -> object code or assembly text, for the
/// processor in `facts`. Empty, with the reason in `error`, where it fails.
/// With `lines`, what is observed names the lines that it comes from.
std::string generateCode(mlir::ModuleOp module, const TargetFacts &facts,
                         bool asAssembly, StageObserver observe,
                         std::string &error, bool lines = true);

/// Object code in this process, callable while this lives.
class LoadedObject {
public:
  /// Null, with the reason in `error`, where the code is not a loadable object.
  static std::unique_ptr<LoadedObject> load(const std::string &object,
                                            std::string &error);
  ~LoadedObject();

  /// The address of a symbol; null where there is none.
  void *find(const std::string &symbol) const;

private:
  struct State;
  explicit LoadedObject(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_CPU_H
