//===- SpecialiseWarps.cpp - a producer warp copies what dots eat ---------===//
//
//   func.func @k(..) { body }
//     ==>
//   func.func @k(.., %map: !tgpu.tensor_map {tgpu.map = ..}) {
//     %r = tgpu.alloc_ring
//     tgpu.roles producer warps 1 { slice of body: fills }
//                consumers { body: takes, products, releases }
//   }
//   func.func @k.launch(..) -> (i1, i64, ..)   // in place of @k.precondition
//
// Legal because the copies read what the loads read (BulkCopies), under
// assumptions that the launch checks; because the slice runs through the same
// fills as the body through takes (ProducerSlice); and because a slot is filled
// anew when everything that read it is finished (ConsumerBody).
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Passes.h"

#include "target/nvidia/BulkStores.h"
#include "target/nvidia/ConsumerBody.h"
#include "target/nvidia/FactorMaxima.h"
#include "target/nvidia/FeedRings.h"
#include "target/nvidia/LaunchNumbers.h"
#include "target/nvidia/OverlapProducts.h"
#include "target/nvidia/ProducerSlice.h"
#include "target/nvidia/TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tesela::nvidia {
#define GEN_PASS_DEF_NVIDIASPECIALISEWARPS
#include "target/nvidia/Passes.h.inc"

namespace {

class WarpSpecialiser {
public:
  WarpSpecialiser(func::FuncOp kernel, const WarpPlan &plan,
                  ArrayRef<BulkStore> stores)
      : kernel(kernel), plan(plan), stores(stores) {}

  gpu::RolesOp run(ProducerSlice &slice, LaunchNumbers &launch);

private:
  func::FuncOp kernel;
  const WarpPlan &plan;
  ArrayRef<BulkStore> stores;
};

gpu::RolesOp WarpSpecialiser::run(ProducerSlice &slice, LaunchNumbers &launch) {
  TensorMaps tensorMaps(kernel, launch);
  SmallVector<SmallVector<Value>> maps;
  for (const SlotGroup &group : plan.groups) {
    SmallVector<Value> &ours = maps.emplace_back();
    for (auto [copy, part] : llvm::zip(group.copies, group.parts))
      ours.push_back(tensorMaps.add(copy, cast<gpu::StagedType>(part)));
  }
  SmallVector<Value> storeMaps;
  for (const BulkStore &store : stores)
    storeMaps.push_back(tensorMaps.add(store.copy, store.part));
  tensorMaps.finish();

  Location loc = kernel.getLoc();
  Block &body = kernel.front();
  auto *consumers = new Block, *producer = new Block;
  consumers->getOperations().splice(consumers->end(), body.getOperations(),
                                    body.begin(),
                                    body.getTerminator()->getIterator());
  OpBuilder builder(body.getTerminator());
  SmallVector<Value> rings;
  for (const RingPlan &ring : plan.rings)
    rings.push_back(gpu::AllocRingOp::create(
        builder, loc,
        gpu::RingType::get(builder.getContext(), ring.slots, ring.parts)));
  for (auto [store, map] : llvm::zip_equal(stores, storeMaps))
    rewriteStore(store, map, rings);
  auto roles = gpu::RolesOp::create(
      builder, loc, plan.warps,
      plan.registers.empty() ? DenseI32ArrayAttr()
                             : builder.getDenseI32ArrayAttr(plan.registers));
  roles.getProducer().push_back(producer);
  roles.getConsumers().push_back(consumers);
  builder.setInsertionPointToEnd(producer);
  slice.emit(builder, *consumers, rings, maps);
  rewriteConsumers(plan, rings);
  return roles;
}

struct NvidiaSpecialiseWarps
    : impl::NvidiaSpecialiseWarpsBase<NvidiaSpecialiseWarps> {
  using NvidiaSpecialiseWarpsBase::NvidiaSpecialiseWarpsBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(tile::kernelAttr))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels)
      specialise(kernel);
  }

  void specialise(func::FuncOp kernel) {
    // The check of the views' assumptions keeps a name of its own meanwhile.
    std::string checkName = (kernel.getName() + ".precondition").str();
    auto viewCheck = getOperation().lookupSymbol<func::FuncOp>(checkName);
    if (viewCheck)
      viewCheck.setName((kernel.getName() + ".views").str());
    {
      Preconditions preconditions(kernel, /*general=*/false);
      WarpPlan plan =
          WarpPlanner(kernel, {numWarps, numStages, explain}, preconditions)
              .plan();
      ProducerSlice slice(kernel, plan);
      std::string whyNot;
      if (!plan.groups.empty() && slice.analyse(whyNot)) {
        std::vector<BulkStore> stores;
        if (storeInBulk)
          stores = planBulkStores(kernel, plan, {numWarps, numStages, explain},
                                  preconditions);
        factorMaxima(kernel, preconditions);
        preconditions.emit();
        SmallVector<func::FuncOp> checks;
        if (viewCheck)
          checks.push_back(viewCheck);
        if (auto check = getOperation().lookupSymbol<func::FuncOp>(checkName))
          checks.push_back(check);
        LaunchNumbers launch(kernel, checks);
        for (func::FuncOp check : checks)
          check.erase();
        gpu::RolesOp roles =
            WarpSpecialiser(kernel, plan, stores).run(slice, launch);
        bool isFed = feed && feedRing(roles, numWarps);
        if (!isFed && overlap)
          overlapProducts(roles, numWarps);
        return;
      }
      if (explain && !whyNot.empty())
        kernel.emitRemark() << whyNot;
    }
    if (viewCheck)
      viewCheck.setName(checkName);
  }
};

} // namespace
} // namespace tesela::nvidia
