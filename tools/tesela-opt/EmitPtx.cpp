//===- EmitPtx.cpp - a pass that prints PTX -------------------------------===//
//
// `tesela-opt --pass-pipeline='builtin.module(emit-ptx{arch=90a})' -o
// /dev/null` prints the code of a thread program, or the LLVM IR before it.
//
//===----------------------------------------------------------------------===//

#include "EmitPtx.h"

#include "target/nvidia/Nvidia.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tesela {
namespace {

struct EmitPtx : PassWrapper<EmitPtx, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmitPtx)

  EmitPtx() = default;
  EmitPtx(const EmitPtx &other) : PassWrapper(other) {}

  Option<std::string> arch{*this, "arch",
                           llvm::cl::desc("the GPU's architecture"),
                           llvm::cl::init("90a")};
  Option<std::string> stage{*this, "stage", llvm::cl::desc("ptx or llvm"),
                            llvm::cl::init("ptx")};

  StringRef getArgument() const override { return "emit-ptx"; }
  StringRef getDescription() const override {
    return "prints the PTX of a module in the LLVM dialect";
  }

  void runOnOperation() override {
    std::optional<TargetFacts> facts = nvidia::factsFor(arch);
    if (!facts) {
      getOperation().emitError("no code for the architecture `")
          << arch << "`, only for " << nvidia::supportedArchitectures();
      return signalPassFailure();
    }
    std::string error;
    std::string ptx = nvidia::generatePtx(
        getOperation(), *facts,
        [&](const std::string &name, llvm::function_ref<std::string()> print) {
          if (name == stage)
            llvm::outs() << print();
        },
        error);
    if (!ptx.empty())
      return;
    getOperation().emitError(error);
    signalPassFailure();
  }
};

struct NvidiaLlvmOptions : PassPipelineOptions<NvidiaLlvmOptions> {
  Option<std::string> arch{*this, "arch",
                           llvm::cl::desc("the GPU's architecture"),
                           llvm::cl::init("90a")};
};

} // namespace

void registerEmitPtx() {
  PassRegistration<EmitPtx>();
  PassPipelineRegistration<NvidiaLlvmOptions>(
      "nvidia-llvm", "thread programs to the LLVM dialect",
      [](OpPassManager &manager, const NvidiaLlvmOptions &given) {
        CompileOptions options;
        if (std::optional<TargetFacts> facts = nvidia::factsFor(given.arch))
          options.facts = *facts;
        nvidia::buildNvidiaLlvmPipeline(manager, options);
      });
}

} // namespace tesela
