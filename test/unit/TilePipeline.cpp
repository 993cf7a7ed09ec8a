//===- TilePipeline.cpp - the tile pipeline and its preconditions, run ----===//

#include "TilePipeline.h"

#include "dialect/tile/Tile.h"
#include "interp/Evaluator.h"
#include "passes/Pipeline.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tesela::test {

void runPipeline(ModuleOp module, bool general) {
  PassManager manager(module.getContext());
  buildTilePipeline(manager, general);
  ASSERT_TRUE(succeeded(manager.run(module)));
}

void evaluateKernel(func::FuncOp kernel, const Bits &arguments,
                    int32_t instances) {
  std::string error, packed = packArguments(kernel, arguments);
  ASSERT_TRUE(interp::evaluate(kernel, {instances, 1, 1}, packed.data(), error))
      << error;
}

/// It is run as a kernel that stores its result.
bool preconditionHolds(ModuleOp module, func::FuncOp kernel, Bits arguments,
                       int32_t instances) {
  auto check = module.lookupSymbol<func::FuncOp>(
      (kernel.getName() + ".precondition").str());
  if (!check)
    return true;
  MLIRContext *context = module.getContext();
  OwningOpRef<func::FuncOp> run = check.clone();
  Type byte = IntegerType::get(context, 8);
  EXPECT_TRUE(succeeded(run->insertArgument(run->getNumArguments(),
                                            tile::PtrType::get(context, byte),
                                            {}, run->getLoc())));
  auto exit = cast<func::ReturnOp>(run->front().getTerminator());
  OpBuilder builder(exit);
  Value result =
      arith::ExtUIOp::create(builder, exit.getLoc(), byte, exit.getOperand(0));
  tile::StoreOp::create(builder, exit.getLoc(), run->getArguments().back(),
                        result, Value());
  func::ReturnOp::create(builder, exit.getLoc());
  exit.erase();
  run->setFunctionType(FunctionType::get(context, run->getArgumentTypes(), {}));
  run->removeResAttrsAttr();

  uint8_t holds = 2;
  arguments.insert(arguments.end(),
                   {uint64_t(instances), 1, 1, address(&holds)});
  evaluateKernel(*run, arguments, 1);
  EXPECT_LT(holds, 2);
  return holds == 1;
}

} // namespace tesela::test
