//===- RaiseViews.cpp - accesses through pointers become views ------------===//
//
//   %o = pid * 64 + iota                    %c = sext(pid) * 64 : i64
//   %m = %o < splat(%n)             ==>     %x = tile.view_load %p[%c]
//   %q = tile.addptr splat(%p), %o                 strides [1] bounds [%n]
//   %x = tile.load %q mask %m
//
// Legal because the pointer is the view's base plus its coordinates times its
// strides, as whole numbers or modulo 2^64 (AffineAccess), and the mask is true
// where the coordinates are inside the bounds (MaskBounds, ViewPlan). That
// arithmetic in 32 bits does not wrap is proved, or becomes a part of the
// launch's precondition. What is not of this form stays as it is. Before, wraps
// become bounds where that cannot be seen (Wraps).
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "passes/PolynomialEmitter.h"
#include "passes/Preconditions.h"
#include "passes/Separation.h"
#include "passes/ViewPlan.h"
#include "passes/Wraps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

#include <vector>

using namespace mlir;
using namespace tesela::analysis;

namespace tesela {
#define GEN_PASS_DEF_RAISEVIEWS
#include "passes/Passes.h.inc"

namespace {

/// The operands that view loads and view stores share.
struct ViewOperands {
  Value base;
  SmallVector<Value> offsets, strides, bounds;
  SmallVector<int32_t> boundedAxes;
  Value mask;
};

class Raiser {
public:
  Raiser(func::FuncOp kernel, bool general)
      : kernel(kernel), general(general), preconditions(kernel, general),
        access(preconditions, atoms) {}

  /// How many accesses became views.
  unsigned run();

private:
  bool raise(tile::LoadOp load);
  bool raise(tile::StoreOp store);
  std::optional<ViewPlan> match(Value ptr, Value mask, RankedTensorType tile);
  std::optional<ViewPlan> planScalar(Value ptr);
  ViewOperands emit(OpBuilder &builder, Location loc, const ViewPlan &plan,
                    RankedTensorType tile);
  Value emitPart(OpBuilder &builder, const MaskPart &part);

  func::FuncOp kernel;
  bool general;
  AtomTable atoms;
  Preconditions preconditions;
  AffineAccess access;
  /// Every access as it stands in the end.
  std::vector<PlannedAccess> planned;
};

unsigned Raiser::run() {
  if (!preconditions.isGeneral())
    boundWraps(kernel, preconditions);
  SmallVector<Operation *> accesses;
  kernel.walk([&](Operation *op) {
    if (isa<tile::LoadOp, tile::StoreOp>(op))
      accesses.push_back(op);
    else if (isa<tile::ViewLoadOp, tile::ViewStoreOp>(op) || tile::isAtomic(op))
      planned.push_back({op, std::nullopt});
  });
  // What is replaced goes last, since the analyses remember values.
  SmallVector<Operation *> raised;
  for (Operation *op : accesses) {
    auto load = dyn_cast<tile::LoadOp>(op);
    if (load ? raise(load) : raise(cast<tile::StoreOp>(op)))
      raised.push_back(op);
    else
      planned.push_back({op, planScalar(op->getOperand(0))});
  }
  if (!preconditions.isGeneral())
    separateBuffers(kernel, planned, atoms, preconditions);
  preconditions.emit();
  for (Operation *op : raised)
    op->erase();
  return raised.size();
}

/// One condition, spread to the shape of the mask that it was a part of.
Value Raiser::emitPart(OpBuilder &builder, const MaskPart &part) {
  Value condition = part.condition;
  for (Operation *op : llvm::reverse(part.spread)) {
    if (op->getOperand(0) == condition) {
      condition = op->getResult(0);
      continue;
    }
    IRMapping mapping;
    mapping.map(op->getOperand(0), condition);
    condition = builder.clone(*op, mapping)->getResult(0);
  }
  return condition;
}

ViewOperands Raiser::emit(OpBuilder &builder, Location loc,
                          const ViewPlan &plan, RankedTensorType tile) {
  PolynomialEmitter emitter(builder, loc, atoms);
  ViewOperands view;
  view.base = plan.base;
  if (!plan.shift.isZero())
    view.base = builder.createOrFold<tile::AddPtrOp>(
        loc, view.base, emitter.scalar(plan.shift));
  for (auto [number, axis] : llvm::enumerate(plan.axes)) {
    view.offsets.push_back(axis.isIndexed
                               ? emitter.alongAxis(axis.offset, axis.size)
                               : emitter.scalar(axis.offset));
    view.strides.push_back(emitter.scalar(axis.stride));
    if (axis.bounds.empty())
      continue;
    Value bound;
    for (const Polynomial &limit : axis.bounds) {
      Value next = emitter.scalar(limit);
      bound = bound ? emitter.fold<arith::MinSIOp>(bound, next) : next;
    }
    view.bounds.push_back(bound);
    view.boundedAxes.push_back(number);
  }

  auto maskType = tile.clone(builder.getI1Type());
  for (Value condition : plan.uniform) {
    if (!view.bounds.empty()) {
      // Nothing is inside a bound of zero.
      view.bounds.front() = builder.createOrFold<arith::SelectOp>(
          loc, condition, view.bounds.front(), emitter.constant(0));
      continue;
    }
    Value whole = builder.createOrFold<tile::SplatOp>(loc, maskType, condition);
    view.mask =
        view.mask ? emitter.fold<arith::AndIOp>(view.mask, whole) : whole;
  }
  for (const MaskPart &part : plan.rest) {
    Value condition = emitPart(builder, part);
    view.mask = view.mask ? emitter.fold<arith::AndIOp>(view.mask, condition)
                          : condition;
  }
  return view;
}

std::optional<ViewPlan> Raiser::match(Value ptr, Value mask,
                                      RankedTensorType tile) {
  if (tile.getRank() == 0 || tile.getRank() > 63)
    return std::nullopt;
  size_t mark = preconditions.mark();
  auto pointer = access.pointer(ptr);
  if (!pointer) {
    access.retract(mark);
    return std::nullopt;
  }
  pointer->offset = access.withInductionVariables(pointer->offset);
  MaskBounds bounds = findMaskBounds(mask, access, atoms, preconditions);
  return planView(*pointer, std::move(bounds), tile.getShape(), atoms,
                  preconditions);
}

/// Where an access to a single element goes, which stays as it is.
std::optional<ViewPlan> Raiser::planScalar(Value ptr) {
  if (general || isa<RankedTensorType>(ptr.getType()))
    return std::nullopt;
  auto pointer = access.pointer(ptr);
  if (!pointer)
    return std::nullopt;
  ViewPlan plan;
  plan.base = pointer->base;
  plan.shift = access.withInductionVariables(pointer->offset);
  return plan;
}

bool Raiser::raise(tile::LoadOp load) {
  auto tile = dyn_cast<RankedTensorType>(load.getType());
  if (!tile || load.getIsVolatile())
    return false;
  auto plan = match(load.getPtr(), load.getMask(), tile);
  if (!plan)
    return false;

  OpBuilder builder(load);
  ViewOperands view = emit(builder, load.getLoc(), *plan, tile);
  Value other = load.getOther();
  if (other &&
      (matchPattern(other, m_Zero()) || matchPattern(other, m_PosZeroFloat())))
    other = {};
  if (view.boundedAxes.empty() && !view.mask)
    other = {};
  DenseElementsAttr constant;
  if (other && matchPattern(other, m_Constant(&constant)) && constant.isSplat())
    other = arith::ConstantOp::create(
        builder, load.getLoc(),
        cast<TypedAttr>(constant.getSplatValue<Attribute>()));
  else if (other)
    if (auto splat = other.getDefiningOp<tile::SplatOp>())
      other = splat.getValue();
  auto raised = tile::ViewLoadOp::create(
      builder, load.getLoc(), tile, view.base, view.offsets, view.strides,
      view.bounds, view.mask, other, view.boundedAxes, load.getCache(),
      load.getEvict());
  load.replaceAllUsesWith(raised.getResult());
  planned.push_back({raised, std::move(plan)});
  return true;
}

bool Raiser::raise(tile::StoreOp store) {
  auto tile = dyn_cast<RankedTensorType>(store.getValue().getType());
  if (!tile)
    return false;
  auto plan = match(store.getPtr(), store.getMask(), tile);
  if (!plan)
    return false;
  OpBuilder builder(store);
  ViewOperands view = emit(builder, store.getLoc(), *plan, tile);
  auto raised = tile::ViewStoreOp::create(
      builder, store.getLoc(), store.getValue(), view.base, view.offsets,
      view.strides, view.bounds, view.mask, view.boundedAxes, store.getCache(),
      store.getEvict());
  planned.push_back({raised, std::move(plan)});
  return true;
}

struct RaiseViews : impl::RaiseViewsBase<RaiseViews> {
  using RaiseViewsBase::RaiseViewsBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(tile::kernelAttr) && !function.isExternal())
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels)
      numRaised += Raiser(kernel, general).run();
  }
};

} // namespace
} // namespace tesela
