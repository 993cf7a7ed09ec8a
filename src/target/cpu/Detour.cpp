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

#include "target/cpu/Nests.h"
#include "target/cpu/Pointwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

namespace {

/// The bytes that a view's whole box may touch.
struct Extent {
  Value origin;
  Value first;
  Value end;
};

template <typename ViewOp>
Extent extentOf(LoweringState &state, Slices &slices, ViewOp view,
                ArrayRef<int64_t> shape) {
  OpBuilder &b = state.b;
  Location loc = view.getLoc();
  Type element = view.getBase().getType().getPointee();
  Value bytes = state.index(storedBytes(element));
  Value start = state.index(0), low = start, high = bytes;
  for (auto [offset, stride, count] :
       llvm::zip(view.getOffsets(), view.getStrides(), shape)) {
    Value step = state.scalars.lookup(stride);
    start = slices.add(
        start, slices.multiply(state.scalars.lookup(offset), step, loc), loc);
    Value reach = slices.multiply(slices.multiply(step, bytes, loc),
                                  state.index(count - 1), loc);
    Value zero = state.index(0);
    low =
        slices.add(low, b.createOrFold<arith::MinSIOp>(loc, reach, zero), loc);
    high =
        slices.add(high, b.createOrFold<arith::MaxSIOp>(loc, reach, zero), loc);
  }
  Extent extent;
  Value base = state.scalars.lookup(view.getBase());
  extent.origin =
      LLVM::GEPOp::create(b, loc, base.getType(), movedType(element), base,
                          ArrayRef<LLVM::GEPArg>{start});
  Value address =
      LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), extent.origin);
  extent.first = arith::AddIOp::create(b, loc, address, low);
  extent.end = arith::AddIOp::create(b, loc, address, high);
  return extent;
}

} // namespace

void lowerDetour(LoweringState &state, tile::ViewLoadOp load,
                 tile::ViewStoreOp store) {
  OpBuilder &b = state.b;
  Location loc = load.getLoc();
  Slices slices(state);
  Extent from = extentOf(state, slices, load, shapeOf(load.getResult()));
  Extent to = extentOf(state, slices, store, shapeOf(store.getValue()));
  auto isBelow = [&](Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, lhs, rhs)
        .getResult();
  };
  Value overlaps = arith::AndIOp::create(b, loc, isBelow(from.first, to.end),
                                         isBelow(to.first, from.end));

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
  detour.origin = arith::SelectOp::create(b, loc, overlaps, copy, from.origin);
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
