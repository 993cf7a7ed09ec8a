//===- Detour.cpp - loads whose memory a store may overwrite --------------===//
//
//   %w = tile.view_load %w_ptr[%zero] ...          (read slice by slice by
//   tile.view_store (... %w ...), %out_ptr[%row]    the store's own nest)
//     ==>
//   %overlaps = addresses of %w and of the store have a byte in common
//   scf.if %overlaps { copy %w to scratch }
//   %base = select %overlaps, scratch, %w_ptr
//   (nest that reads %w from %base)
//
// Nearly always nothing overlaps and nothing is copied; where something does,
// all of the load comes before any of the store, as the kernel says.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Detour.h"

#include "target/cpu/Extent.h"
#include "target/cpu/Nests.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tesela::cpu {

bool canDetour(Operation *load, Operation *store) {
  auto from = dyn_cast<tile::ViewLoadOp>(load);
  auto to = dyn_cast<tile::ViewStoreOp>(store);
  auto isAffine = [](ValueRange offsets) {
    return llvm::none_of(offsets, [](Value offset) { return isTile(offset); });
  };
  return from && to && load->getBlock() == store->getBlock() &&
         isAffine(from.getOffsets()) && isAffine(to.getOffsets());
}

void lowerDetour(LoweringState &state, tile::ViewLoadOp load,
                 tile::ViewStoreOp store) {
  OpBuilder &b = state.b;
  Location loc = load.getLoc();
  Slices slices(state);
  Box from = boxOf(state, load, shapeOf(load.getResult()));
  Box to = boxOf(state, store, shapeOf(store.getValue()));
  Value origin = originOf(state, slices, from, loc);
  Extent read = extentOf(state, slices, from, origin, loc);
  Extent written =
      extentOf(state, slices, to, originOf(state, slices, to, loc), loc);
  Value overlaps = overlap(b, read, written, loc);

  Home *home = state.plan.detourHome(load);
  Value copy = state.scratch.addressOf(home);
  auto branch = scf::IfOp::create(b, loc, overlaps, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    Step nest{Step::Nest};
    nest.shape = home->shape;
    nest.roots.push_back({Root::Copy, nullptr, load.getResult(), home});
    lowerNest(state, nest);
  }
  LoweringState::Detour detour;
  detour.origin = arith::SelectOp::create(b, loc, overlaps, copy, origin);
  for (auto [stride, own] : llvm::zip(load.getStrides(), home->strides)) {
    Value direct = state.scalars.lookup(stride), inScratch = state.index(own);
    detour.strides.push_back(
        constantInt(direct) == own
            ? inScratch
            : arith::SelectOp::create(b, loc, overlaps, inScratch, direct)
                  .getResult());
  }
  state.detours[load] = std::move(detour);
}

} // namespace tesela::cpu
