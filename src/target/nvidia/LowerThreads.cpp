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

#include "analysis/MemoryDependence.h"
#include "layout/Conversion.h"

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

  /// Whether an op puts tiles into memory that it lends.
  static bool mayLend(Operation *op) {
    if (auto convert = dyn_cast<gpu::ConvertOp>(op)) {
      auto conversion = layout::conversion(
          layoutOf(cast<RankedTensorType>(convert.getSource().getType())),
          layoutOf(cast<RankedTensorType>(convert.getType())));
      return !conversion ||
             (conversion->kind != layout::ConversionKind::None &&
              conversion->kind != layout::ConversionKind::Registers);
    }
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      auto source = cast<RankedTensorType>(reduce.getSources()[0].getType());
      layout::LinearLayout layout = layoutOf(source);
      return llvm::any_of(layout.bases(layout::Dim::Warp), [&](uint64_t base) {
        return layout.coordinates(base)[reduce.getAxis()] != 0;
      });
    }
    if (auto load = dyn_cast<tile::LoadOp>(op))
      return load.getIsVolatile();
    if (isa<gpu::BulkStoreOp>(op))
      return true;
    return (isa<tile::DotOp>(op) && !op->hasAttr(mmaAttr)) ||
           isa<tile::ScanOp, tile::GatherOp, tile::CatOp>(op) ||
           tile::isAtomic(op);
  }

  /// Whether whoever lends memory stands after the last use of a ring, and
  /// outside of loops around one.
  static bool lendsAfterRings(Block &body) {
    Operation *last = nullptr;
    for (Operation &op : body)
      op.walk([&](Operation *inner) {
        if (isa<gpu::RingTakeOp, gpu::RingReleaseOp, gpu::RingFeedOp,
                gpu::RingSlotOp, gpu::StageOp>(inner))
          last = &op;
      });
    bool all = true;
    body.walk([&](Operation *op) {
      if (last && mayLend(op))
        all &= last->isBeforeInBlock(body.findAncestorOpInBlock(*op));
    });
    return all;
  }

  /// A block of 512 threads fits twice on a processor where each has at most 64
  /// registers. Where tiles take up to half of these, that is worth a few words
  /// on the stack.
  bool fitsTwice(func::FuncOp kernel) {
    if (numWarps != 16)
      return false;
    int64_t most = 0;
    bool multiplies = false;
    kernel.walk([&](Operation *op) {
      multiplies |= isa<gpu::WgmmaOp, gpu::MmaOp, tile::DotOp>(op);
      for (Type type : op->getResultTypes())
        if (auto tile = dyn_cast<RankedTensorType>(type);
            tile && tile.getElementType().isIntOrFloat())
          most = std::max(most, tile.getNumElements() *
                                    tile.getElementTypeBitWidth());
    });
    return !multiplies && most <= int64_t(32) * 32 * numWarps * 32;
  }

  static llvm::DenseSet<Operation *> findLateLoads(func::FuncOp kernel) {
    SmallVector<Operation *> writes;
    kernel.walk([&](Operation *op) {
      if (isa<tile::ViewStoreOp, tile::StoreOp>(op) || tile::isAtomic(op))
        writes.push_back(op);
    });
    llvm::DenseSet<Operation *> loads;
    kernel.walk([&](tile::ViewLoadOp load) {
      if (llvm::all_of(writes, [&](Operation *write) {
            return analysis::accessRelation(load, write) ==
                   analysis::AccessRelation::NoAlias;
          }))
        loads.insert(load);
    });
    return loads;
  }

  LogicalResult lower(func::FuncOp kernel) {
    kernel.walk([&](gpu::RolesOp roles) {
      kernel->setAttr(producerWarpsAttr, roles.getWarpsAttr());
    });
    ThreadLowering lowering(kernel, numWarps, capabilityOf(processor));
    lowering.lendsRings = lendsAfterRings(kernel.front());
    kernel.walk([&](gpu::RolesOp roles) {
      lowering.hasProducer = roles.getWarps() != 0;
      lowering.lendsRings = lendsAfterRings(roles.getConsumers().front());
    });
    if (fitsTwice(kernel)) {
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      IntegerAttr::get(IntegerType::get(&getContext(), 32), 2));
      lowering.lateLoads = findLateLoads(kernel);
    }
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
    addMmaPatterns(patterns, types, lowering);
    addCopyPatterns(patterns, types, lowering);
    addRingPatterns(patterns, types, lowering);
    addBulkStorePatterns(patterns, types, lowering);
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
