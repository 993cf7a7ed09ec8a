//===- Main.cpp - tesela-opt: run passes and pipelines on text ------------===//

#include "dialect/tile/Tile.h"
#include "passes/Passes.h"
#include "passes/Pipeline.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

namespace {

struct TilePipelineOptions
    : mlir::PassPipelineOptions<TilePipelineOptions> {
  Option<bool> general{
      *this, "general",
      llvm::cl::desc("assume nothing that would need a precondition")};
};

} // namespace

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<tesela::tile::TileDialect, mlir::arith::ArithDialect,
                  mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
  mlir::registerTransformsPasses();
  tesela::registerTilePasses();
  mlir::PassPipelineRegistration<TilePipelineOptions> tilePipeline(
      "tile-pipeline", "emitted tile IR to simplified tile IR with views",
      [](mlir::OpPassManager &manager, const TilePipelineOptions &options) {
        tesela::buildTilePipeline(manager, options.general);
      });
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Tesela's passes, one by one or as pipelines\n", registry));
}
