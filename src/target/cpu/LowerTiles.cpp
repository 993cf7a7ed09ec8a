//===- LowerTiles.cpp - tiles become loops over vectors -------------------===//
//
// The pass itself; docs/cpu.md says how the parts work together.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Passes.h"

#include "dialect/tile/Tile.h"
#include "target/cpu/Entry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tesela::cpu {
#define GEN_PASS_DEF_CPULOWERTILES
#include "target/cpu/Passes.h.inc"

namespace {

struct CpuLowerTiles : impl::CpuLowerTilesBase<CpuLowerTiles> {
  using CpuLowerTilesBase::CpuLowerTilesBase;

  void runOnOperation() override {
    LoweringOptions lowering{vectorBytes, vectorRegisters, multipliesPairs,
                             cacheBytes};
    SmallVector<func::FuncOp> kernels;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(tile::kernelAttr))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels) {
      std::string check = (kernel.getName() + ".precondition").str();
      if (failed(lowerKernel(kernel, lowering)))
        return signalPassFailure();
      auto precondition = getOperation().lookupSymbol<func::FuncOp>(check);
      if (precondition && failed(lowerPrecondition(precondition)))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace tesela::cpu
