//===- Wraps.cpp - bounds in place of wraps whose excess nobody sees ------===//
//
//   %i = start + iota                       %i = start + iota
//   %r = tile.remsi %i, splat(%n)    ==>    %in = %i < splat(%n)
//   %x = tile.load f(%r)                    %x = tile.load f(%i) mask %in
//   ..                                      ..
//   tile.store .., g(%x) mask %i < %n       tile.store .., g(%x) mask %i < %n
//
// Legal because elements of the excess reach nothing but elements of the same
// position along one axis, as a row of a product comes from one row of its
// first factor, and because no store writes those. Then they may be anything,
// and need not be read. For negative indices a remainder is something else: a
// launch has to exclude them.
//
//===----------------------------------------------------------------------===//

#include "passes/Wraps.h"

#include "analysis/AxisDependence.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tesela {

std::optional<Consecutive> matchConsecutive(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (auto iota = dyn_cast_or_null<tile::IotaOp>(op)) {
    int64_t first = int32_t(iota.getStart());
    return Consecutive{{}, first, first + iota.getType().getDimSize(0) - 1};
  }
  if (isa_and_nonnull<tile::ExpandDimsOp, tile::BroadcastOp>(op))
    return matchConsecutive(op->getOperand(0));
  if (!isa_and_nonnull<arith::AddIOp>(op))
    return std::nullopt;
  for (auto [one, other] : {std::pair(0, 1), {1, 0}}) {
    auto splat = op->getOperand(one).getDefiningOp<tile::SplatOp>();
    auto rest = matchConsecutive(op->getOperand(other));
    if (splat && rest && !rest->start)
      return Consecutive{splat.getValue(), rest->first, rest->last};
  }
  return std::nullopt;
}

std::optional<Wrap> matchWrap(tile::RemSIOp op) {
  auto divisor = op.getRhs().getDefiningOp<tile::SplatOp>();
  auto indices = matchConsecutive(op.getLhs());
  bool isNarrow = tile::elementType(op.getType()).isInteger(32);
  if (!divisor || !indices || !isNarrow || !indices->start)
    return std::nullopt;
  return Wrap{op, *indices, divisor.getValue()};
}

namespace {

/// Follows the excess of a wrap from use to use.
class Excess {
public:
  explicit Excess(const Wrap &wrap) : wrap(wrap) {}

  /// False where somebody may see it.
  bool run();

  SmallVector<WrappedLoad> loads;

private:
  using Place = std::pair<Value, unsigned>;

  void reach(Value tile, unsigned axis) { reached.insert({tile, axis}); }
  bool follow(OpOperand &use, unsigned axis);
  bool followDot(tile::DotOp dot, unsigned operand, unsigned axis);
  bool followYield(OpOperand &use, unsigned axis);
  bool isExcluded(Value mask, unsigned axis);

  Wrap wrap;
  /// Tiles, and the axis along which their excess is.
  llvm::SetVector<Place> reached;
};

bool Excess::run() {
  // Of a vector: an index of more axes has no axis of its own.
  auto type = dyn_cast<RankedTensorType>(wrap.op.getType());
  if (!type || type.getRank() != 1)
    return false;
  reach(wrap.op.getResult(), 0);
  for (size_t next = 0; next != reached.size(); ++next) {
    auto [tile, axis] = reached[next];
    for (OpOperand &use : tile.getUses())
      if (!follow(use, axis))
        return false;
  }
  return true;
}

bool Excess::follow(OpOperand &use, unsigned axis) {
  Operation *op = use.getOwner();
  if (analysis::isElementwise(op)) {
    reach(op->getResult(0), axis);
    return true;
  }
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    reach(expand.getResult(), axis + (unsigned(expand.getAxis()) <= axis));
    return true;
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    reach(broadcast.getResult(), axis);
    auto from = cast<RankedTensorType>(broadcast.getSource().getType());
    auto to = cast<RankedTensorType>(broadcast.getResult().getType());
    return from.getDimSize(axis) == to.getDimSize(axis);
  }
  if (auto permute = dyn_cast<tile::PermuteOp>(op)) {
    const int32_t *source = llvm::find(permute.getOrder(), int32_t(axis));
    reach(permute.getResult(), unsigned(source - permute.getOrder().begin()));
    return true;
  }
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return followDot(dot, use.getOperandNumber(), axis);
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    if (use.get() == load.getMask() || load.getIsVolatile() ||
        !isa<RankedTensorType>(load.getType()))
      return false;
    if (use.get() == load.getPtr())
      loads.push_back({load, axis});
    reach(load.getResult(), axis);
    return true;
  }
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return use.get() != store.getMask() && isExcluded(store.getMask(), axis);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    OpResult result = loop.getTiedLoopResult(&use);
    if (!result)
      return false;
    reach(result, axis);
    reach(loop.getTiedLoopRegionIterArg(&use), axis);
    return true;
  }
  return isa<scf::YieldOp>(op) && followYield(use, axis);
}

/// Rows of the result come from rows of the first factor, columns from columns
/// of the second.
bool Excess::followDot(tile::DotOp dot, unsigned operand, unsigned axis) {
  if (cast<RankedTensorType>(dot.getType()).getRank() != 2)
    return false;
  reach(dot.getResult(), axis);
  return operand == 2 || operand == axis;
}

bool Excess::followYield(OpOperand &use, unsigned axis) {
  Operation *parent = use.getOwner()->getParentOp();
  unsigned number = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    reach(loop.getRegionIterArg(number), axis);
  else if (!isa<scf::IfOp>(parent))
    return false;
  reach(parent->getResult(number), axis);
  return true;
}

/// Whether the mask is false in the excess along the axis.
bool Excess::isExcluded(Value mask, unsigned axis) {
  Operation *op = mask ? mask.getDefiningOp() : nullptr;
  if (isa_and_nonnull<arith::AndIOp>(op))
    return isExcluded(op->getOperand(0), axis) ||
           isExcluded(op->getOperand(1), axis);
  if (auto expand = dyn_cast_or_null<tile::ExpandDimsOp>(op)) {
    unsigned added = unsigned(expand.getAxis());
    return added != axis &&
           isExcluded(expand.getSource(), axis - (added < axis));
  }
  if (auto broadcast = dyn_cast_or_null<tile::BroadcastOp>(op)) {
    auto from = cast<RankedTensorType>(broadcast.getSource().getType());
    auto to = cast<RankedTensorType>(broadcast.getResult().getType());
    return from.getDimSize(axis) == to.getDimSize(axis) &&
           isExcluded(broadcast.getSource(), axis);
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare)
    return false;
  bool isSwapped = compare.getPredicate() == arith::CmpIPredicate::sgt;
  if (!isSwapped && compare.getPredicate() != arith::CmpIPredicate::slt)
    return false;
  Value index = isSwapped ? compare.getRhs() : compare.getLhs();
  Value limit = isSwapped ? compare.getLhs() : compare.getRhs();
  auto splat = limit.getDefiningOp<tile::SplatOp>();
  auto type = dyn_cast<RankedTensorType>(index.getType());
  // The one axis along which consecutive numbers differ.
  return splat && splat.getValue() == wrap.divisor && type &&
         type.getDimSize(axis) == type.getNumElements() &&
         matchConsecutive(index) == wrap.indices;
}

/// `mask` and the vector `inside` spread along the axis of a load.
void narrow(const WrappedLoad &wrapped, Value inside) {
  tile::LoadOp load = wrapped.load;
  OpBuilder builder(load);
  Location loc = load.getLoc();
  auto type = cast<RankedTensorType>(load.getType());
  unsigned rank = unsigned(type.getRank());
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(inside.getType()).getShape());
  for (unsigned axis = 0; axis != rank; ++axis) {
    if (axis == wrapped.axis)
      continue;
    shape.insert(shape.begin() + axis, 1);
    inside = tile::ExpandDimsOp::create(
        builder, loc, RankedTensorType::get(shape, builder.getI1Type()), inside,
        axis);
  }
  if (shape != type.getShape())
    inside = tile::BroadcastOp::create(builder, loc,
                                       type.clone(builder.getI1Type()), inside);
  if (Value mask = load.getMask())
    inside = arith::AndIOp::create(builder, loc, mask, inside);
  load.getMaskMutable().assign(inside);
}

} // namespace

std::optional<SmallVector<WrappedLoad>> findUnseenExcess(const Wrap &wrap) {
  Excess excess(wrap);
  if (!excess.run())
    return std::nullopt;
  return std::move(excess.loads);
}

bool assumeNatural(const Wrap &wrap, Preconditions &preconditions) {
  return preconditions.within(wrap.indices.start, -wrap.indices.first,
                              INT32_MAX - wrap.indices.last);
}

unsigned boundWraps(func::FuncOp kernel, Preconditions &preconditions) {
  SmallVector<std::pair<Wrap, SmallVector<WrappedLoad>>> found;
  kernel.walk([&](tile::RemSIOp op) {
    auto wrap = matchWrap(op);
    auto loads = wrap ? findUnseenExcess(*wrap) : std::nullopt;
    if (loads && assumeNatural(*wrap, preconditions))
      found.push_back({*wrap, std::move(*loads)});
  });
  for (auto &[wrap, loads] : found) {
    tile::RemSIOp op = wrap.op;
    OpBuilder builder(op);
    Value inside =
        arith::CmpIOp::create(builder, op.getLoc(), arith::CmpIPredicate::slt,
                              op.getLhs(), op.getRhs());
    for (const WrappedLoad &load : loads)
      narrow(load, inside);
    op.replaceAllUsesWith(op.getLhs());
    op.erase();
  }
  return found.size();
}

} // namespace tesela
