//===- LowerThreads.cpp - tiles become the registers of one thread --------===//
//
//   func.func @add(%p: !tile.ptr<f32>) {
//     %x = tile.view_load %p[%i] .. -> tensor<512xf32, #layout>
//     ==>
//   func.func @add(%p: !llvm.ptr<1>) {
//     %at = llvm.getelementptr %p[..]
//     %x = llvm.load %at -> vector<4xf32>
//
// The pass itself: types, the patterns of all files, and where shared memory
// that ops lend begins. docs/nvidia.md says how the parts work together.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Passes.h"

#include "target/nvidia/Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tesela::nvidia {
#define GEN_PASS_DEF_NVIDIALOWERTHREADS
#include "target/nvidia/Passes.h.inc"

namespace {

struct NvidiaLowerThreads : impl::NvidiaLowerThreadsBase<NvidiaLowerThreads> {
  using NvidiaLowerThreadsBase::NvidiaLowerThreadsBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(tile::kernelAttr))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels) {
      // What the host computes has been taken from here.
      for (const char *suffix : {".precondition", ".launch"})
        if (Operation *host =
                getOperation().lookupSymbol((kernel.getName() + suffix).str()))
          host->erase();
      if (failed(lower(kernel)))
        return signalPassFailure();
    }
  }

  LogicalResult lower(func::FuncOp kernel) {
    kernel.walk([&](gpu::RolesOp roles) {
      kernel->setAttr(producerWarpsAttr, roles.getWarpsAttr());
    });
    ThreadLowering lowering(kernel, numWarps, capabilityOf(processor));
    ThreadTypes types;
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    target.addIllegalDialect<tile::TileDialect, gpu::GpuDialect>();
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      return types.isLegal(op) &&
             llvm::all_of(op->getRegions(),
                          [&](Region &r) { return types.isLegal(&r); });
    });
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp function) {
      return types.isSignatureLegal(function.getFunctionType());
    });
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns,
                                                         target);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   types);
    addPointwisePatterns(patterns, types, lowering);
    addShapePatterns(patterns, types, lowering);
    addMemoryPatterns(patterns, types, lowering);
    addAtomicPatterns(patterns, types, lowering);
    addReducePatterns(patterns, types, lowering);
    addScanPatterns(patterns, types, lowering);
    addConvertPatterns(patterns, types, lowering);
    addDotPatterns(patterns, types, lowering);
    addRingPatterns(patterns, types, lowering);
    addStagedPatterns(patterns, types, lowering);
    addWgmmaPatterns(patterns, types, lowering);
    if (failed(applyPartialConversion(kernel, target, std::move(patterns))))
      return failure();
    lowering.finish();
    return success();
  }
};

} // namespace
} // namespace tesela::nvidia
