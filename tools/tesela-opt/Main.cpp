//===- Main.cpp - tesela-opt: run passes and pipelines on text ------------===//

#include "EmitPtx.h"

#include "dialect/gpu/Gpu.h"
#include "dialect/tile/Tile.h"
#include "passes/Passes.h"
#include "passes/Pipeline.h"
#include "target/Passes.h"
#include "target/cpu/Cpu.h"
#include "target/cpu/Passes.h"
#include "target/nvidia/Nvidia.h"
#include "target/nvidia/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

namespace {

struct TilePipelineOptions : mlir::PassPipelineOptions<TilePipelineOptions> {
  Option<bool> general{
      *this, "general",
      llvm::cl::desc("assume nothing that would need a precondition")};
};

/// A plain AVX2 machine unless told otherwise, the same on every host.
struct CpuPipelineOptions : mlir::PassPipelineOptions<CpuPipelineOptions> {
  Option<unsigned> vectorBytes{*this, "vector-bytes",
                               llvm::cl::desc("of a vector register"),
                               llvm::cl::init(32)};
  Option<unsigned> vectorRegisters{
      *this, "vector-registers",
      llvm::cl::desc("how many vector registers there are"),
      llvm::cl::init(16)};
  Option<std::string> features{*this, "features",
                               llvm::cl::desc("as LLVM names them"),
                               llvm::cl::init("+avx2,+fma,+f16c")};

  tesela::CompileOptions compileOptions() const {
    tesela::CompileOptions options;
    options.facts.triple = "x86_64-unknown-linux-gnu";
    options.facts.features = features;
    options.facts.vectorBytes = vectorBytes;
    options.facts.vectorRegisters = vectorRegisters;
    return options;
  }
};

/// A GPU of a kind, for kernels of as many warps.
struct NvidiaPipelineOptions
    : mlir::PassPipelineOptions<NvidiaPipelineOptions> {
  Option<std::string> arch{*this, "arch",
                           llvm::cl::desc("the GPU's architecture"),
                           llvm::cl::init("90a")};
  Option<int> numWarps{*this, "num-warps",
                       llvm::cl::desc("that compute one instance"),
                       llvm::cl::init(4)};
  Option<int> numStages{*this, "num-stages",
                        llvm::cl::desc("how far loads run ahead"),
                        llvm::cl::init(3)};

  tesela::CompileOptions compileOptions() const {
    tesela::CompileOptions options;
    if (auto facts = tesela::nvidia::factsFor(arch))
      options.facts = *facts;
    options.numWarps = numWarps;
    options.numStages = numStages;
    return options;
  }
};

} // namespace

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<tesela::gpu::GpuDialect, tesela::tile::TileDialect,
                  mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                  mlir::func::FuncDialect, mlir::LLVM::LLVMDialect,
                  mlir::math::MathDialect, mlir::NVVM::NVVMDialect,
                  mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
  mlir::registerTransformsPasses();
  tesela::registerTilePasses();
  mlir::PassPipelineRegistration<TilePipelineOptions> tilePipeline(
      "tile-pipeline", "emitted tile IR to simplified tile IR with views",
      [](mlir::OpPassManager &manager, const TilePipelineOptions &options) {
        tesela::buildTilePipeline(manager, options.general);
      });
  tesela::registerTargetPasses();
  tesela::nvidia::registerNvidiaPasses();
  tesela::registerEmitPtx();
  tesela::cpu::registerCpuPasses();
  mlir::PassPipelineRegistration<CpuPipelineOptions>(
      "cpu-loops", "tile IR with views to loops and vectors",
      [](mlir::OpPassManager &manager, const CpuPipelineOptions &options) {
        tesela::cpu::buildCpuLoopPipeline(manager, options.compileOptions());
      });
  mlir::PassPipelineRegistration<CpuPipelineOptions>(
      "cpu-pipeline", "tile IR with views to the LLVM dialect",
      [](mlir::OpPassManager &manager, const CpuPipelineOptions &options) {
        tesela::cpu::buildCpuPipeline(manager, options.compileOptions());
      });
  mlir::PassPipelineRegistration<NvidiaPipelineOptions>(
      "nvidia-layouts", "tile IR with views to tiles with layouts",
      [](mlir::OpPassManager &manager, const NvidiaPipelineOptions &options) {
        tesela::nvidia::buildNvidiaLayoutPipeline(manager,
                                                  options.compileOptions());
      });
  mlir::PassPipelineRegistration<NvidiaPipelineOptions>(
      "nvidia-threads", "tiles with layouts to thread programs",
      [](mlir::OpPassManager &manager, const NvidiaPipelineOptions &options) {
        tesela::nvidia::buildNvidiaThreadPipeline(manager,
                                                  options.compileOptions());
      });
  mlir::PassPipelineRegistration<NvidiaPipelineOptions>(
      "nvidia-pipeline", "tile IR with views to the LLVM dialect",
      [](mlir::OpPassManager &manager, const NvidiaPipelineOptions &options) {
        tesela::nvidia::buildNvidiaPipeline(manager, options.compileOptions());
      });
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Tesela's passes, one by one or as pipelines\n", registry));
}
