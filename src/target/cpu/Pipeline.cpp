//===- Pipeline.cpp - the order of the passes to machine code -------------===//

#include "target/cpu/Cpu.h"

#include "target/Passes.h"
#include "target/cpu/Machine.h"
#include "target/cpu/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tesela::cpu {

void buildCpuLoopPipeline(OpPassManager &manager, const CompileOptions &options,
                          uint64_t cacheBytes) {
  CpuLowerTilesOptions lower;
  lower.vectorBytes = options.facts.vectorBytes;
  lower.vectorRegisters = options.facts.vectorRegisters;
  const char *feature = lower.vectorBytes == 64   ? "avx512bw"
                        : lower.vectorBytes == 32 ? "avx2"
                                                  : "sse2";
  lower.multipliesPairs =
      StringRef(options.facts.triple).starts_with("x86_64") &&
      hasFeature(options.facts, feature);
  lower.cacheBytes = cacheBytes;
  manager.addPass(createCpuLowerTiles(lower));
  addStageCheck(manager, "loops");
  manager.addPass(createCSEPass());
  manager.addPass(createCpuShareNests());
}

void buildCpuLlvmPipeline(OpPassManager &manager,
                          const CompileOptions &options) {
  // What kernels multiply and add may fuse, not the formulas of elementary
  // functions.
  if (options.facts.fpFusion)
    manager.addPass(createAllowContraction());
  manager.addPass(createCpuExpandMath(options.facts));
  addStageCheck(manager, "math");
  manager.addPass(createSplitCode());
  addLlvmConversions(manager, /*bf16IsBits=*/true);
  addStageCheck(manager, "llvm");
}

void buildCpuPipeline(OpPassManager &manager, const CompileOptions &options) {
  buildCpuLoopPipeline(manager, options);
  buildCpuLlvmPipeline(manager, options);
}

} // namespace tesela::cpu
