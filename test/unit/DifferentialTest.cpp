//===- DifferentialTest.cpp - random kernels on two implementations -------===//

#include "generate/Differential.h"
#include "passes/Pipeline.h"
#include "unit/TileKernel.h"

#include "mlir/Transforms/Passes.h"

#include <gtest/gtest.h>

using namespace tesela::test;

namespace {

std::string printed(uint64_t seed) {
  RandomKernel kernel = generateKernel(tileContext(), seed);
  std::string text;
  llvm::raw_string_ostream(text) << kernel.module.get();
  return text;
}

TEST(Differential, ASeedGivesOneKernel) {
  EXPECT_EQ(printed(7), printed(7));
  EXPECT_NE(printed(7), printed(8));
}

TEST(Differential, TheEvaluatorIsDeterministic) {
  EXPECT_EQ(runDifferential(seeds(0, 20), evaluator(), evaluator()), "");
}

TEST(Differential, CanonicalisationKeepsEveryBit) {
  RandomKernelOptions options;
  options.views = true;
  auto pipeline = [](mlir::OpPassManager &manager) {
    manager.addPass(mlir::createCanonicalizerPass());
    manager.addPass(mlir::createCSEPass());
    manager.addPass(mlir::createLoopInvariantCodeMotionPass());
  };
  EXPECT_EQ(runDifferential(seeds(1000, 100), evaluator(),
                            evaluatorAfter(pipeline), options),
            "");
}

TEST(Differential, ThePassesKeepEveryBit) {
  std::atomic<unsigned> general = 0;
  Seeds tried = seeds(2000, 100);
  EXPECT_EQ(runDifferential(tried, evaluator(),
                            evaluatorAfter(
                                [](mlir::OpPassManager &manager) {
                                  tesela::buildTilePipeline(manager);
                                },
                                &general)),
            "");
  // Launches are small: what the passes assume should hold for most.
  EXPECT_LT(general, tried.count / 2 + 1);
}

/// Subtracts where it should add.
bool evaluateWrongly(mlir::ModuleOp module, const Launch &launch,
                     std::string &error) {
  module.walk([](mlir::arith::AddFOp op) {
    mlir::OpBuilder builder(op);
    op.replaceAllUsesWith(mlir::arith::SubFOp::create(builder, op.getLoc(),
                                                      op.getLhs(), op.getRhs())
                              .getResult());
  });
  return evaluator()(module, launch, error);
}

TEST(Differential, FindsAWrongImplementation) {
  std::string report = runDifferential({0, 200}, evaluator(), evaluateWrongly);
  EXPECT_NE(report.find("expected"), std::string::npos) << report;
  EXPECT_NE(report.find("func.func @random"), std::string::npos);
}

} // namespace
