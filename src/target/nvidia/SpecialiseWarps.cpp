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

#include "target/nvidia/ConsumerBody.h"
#include "target/nvidia/FactorMaxima.h"
#include "target/nvidia/FeedRings.h"
#include "target/nvidia/LaunchNumbers.h"
#include "target/nvidia/OverlapProducts.h"
#include "target/nvidia/ProducerSlice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tesela::nvidia {
#define GEN_PASS_DEF_NVIDIASPECIALISEWARPS
#include "target/nvidia/Passes.h.inc"

namespace {

/// Elements of an unbounded dimension of a map.
constexpr int64_t mostExtent = INT32_MAX;

class WarpSpecialiser {
public:
  WarpSpecialiser(func::FuncOp kernel, const WarpPlan &plan)
      : kernel(kernel), plan(plan) {}

  gpu::RolesOp run(ProducerSlice &slice, LaunchNumbers &launch);

private:
  Value addMap(const BulkCopy &copy, gpu::StagedType part,
               LaunchNumbers &launch);

  func::FuncOp kernel;
  const WarpPlan &plan;
  SmallVector<std::pair<const BulkCopy *, Value>> known;
};

/// The array that a copy reads a box of, as an argument of the kernel and as
/// results of the launch's function.
Value WarpSpecialiser::addMap(const BulkCopy &copy, gpu::StagedType part,
                              LaunchNumbers &launch) {
  for (auto &[other, map] : known)
    if (other->hasMapOf(copy))
      return map;
  OpBuilder builder(kernel.getContext());
  Type element = part.getElementType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  SmallVector<int64_t> box;
  for (const BulkCopy::Dimension &dimension : copy.dimensions)
    box.push_back(dimension.size);
  box.front() = part.getSwizzle() / bytes;

  unsigned first = launch.addAddress(copy.argument, copy.shifts, bytes);
  for (const BulkCopy::Dimension &dimension : copy.dimensions)
    dimension.bound ? launch.add(dimension.bound) : launch.add(mostExtent);
  for (const BulkCopy::Dimension &dimension :
       ArrayRef(copy.dimensions).drop_front())
    launch.addProduct(dimension.stride, bytes);
  auto attribute = builder.getDictionaryAttr(
      {builder.getNamedAttr("box", builder.getDenseI64ArrayAttr(box)),
       builder.getNamedAttr("dtype", TypeAttr::get(element)),
       builder.getNamedAttr("first", builder.getI64IntegerAttr(first)),
       builder.getNamedAttr("swizzle",
                            builder.getI64IntegerAttr(part.getSwizzle()))});
  unsigned number = kernel.getNumArguments();
  (void)kernel.insertArgument(number,
                              gpu::TensorMapType::get(builder.getContext()),
                              builder.getDictionaryAttr(builder.getNamedAttr(
                                  gpu::tensorMapAttr, attribute)),
                              kernel.getLoc());
  known.push_back({&copy, kernel.getArgument(number)});
  return known.back().second;
}

gpu::RolesOp WarpSpecialiser::run(ProducerSlice &slice, LaunchNumbers &launch) {
  // The function of the launch has the kernel's arguments as they are now.
  SmallVector<SmallVector<Value>> maps;
  for (const SlotGroup &group : plan.groups) {
    SmallVector<Value> &ours = maps.emplace_back();
    for (auto [copy, part] : llvm::zip(group.copies, group.parts))
      ours.push_back(addMap(copy, cast<gpu::StagedType>(part), launch));
  }
  launch.finish();

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
        gpu::RolesOp roles = WarpSpecialiser(kernel, plan).run(slice, launch);
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
