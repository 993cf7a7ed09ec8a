//===- LayoutChoices.cpp - the layout that each tile wants ----------------===//

#include "target/nvidia/LayoutChoices.h"

#include "analysis/AxisDependence.h"
#include "target/nvidia/AccessWidths.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tesela::nvidia {

using layout::LinearLayout;
using layout::MatrixUnit;
using layout::Shape;
using layout::WarpGrid;
using Rank = LayoutChoice::Rank;

/// The axis along which neighbours are neighbours in memory.
static unsigned fastestAxis(Operation *op, unsigned rank) {
  if (auto load = dyn_cast<tile::ViewLoadOp>(op))
    return contiguousAxis(load.getStrides()).value_or(rank - 1);
  if (auto store = dyn_cast<tile::ViewStoreOp>(op))
    return contiguousAxis(store.getStrides()).value_or(rank - 1);
  if (auto copy = dyn_cast<gpu::CopyViewOp>(op))
    return contiguousAxis(copy.getStrides()).value_or(rank - 1);
  return rank - 1;
}

/// The tile that an op moves between memory and registers, or memories.
static RankedTensorType accessedType(Operation *op) {
  Type type = llvm::TypeSwitch<Operation *, Type>(op)
                  .Case<tile::ViewLoadOp, tile::LoadOp>(
                      [](auto load) { return load.getResult().getType(); })
                  .Case<tile::ViewStoreOp, tile::StoreOp>(
                      [](auto store) { return store.getValue().getType(); })
                  .Case([](gpu::CopyViewOp copy) { return copy.getTile(); })
                  .Default([](Operation *) { return Type(); });
  return dyn_cast_if_present<RankedTensorType>(type);
}

static unsigned elementBytes(Type element) {
  return isa<tile::PtrType>(element)
             ? 8
             : std::max(8u, element.getIntOrFloatBitWidth()) / 8;
}

LayoutChoices::LayoutChoices(func::FuncOp kernel, unsigned numWarps,
                             unsigned capability)
    : kernel(kernel), numWarps(numWarps), capability(capability) {
  kernel.walk([&](Operation *op) {
    if (RankedTensorType type = accessedType(op)) {
      unsigned &bytes =
          widest[{type.getShape().vec(), fastestAxis(op, type.getRank())}];
      bytes = std::max(bytes, elementBytes(type.getElementType()));
    }
  });
  // Ranks only rise; the bound is for values that disagree in a circle.
  for (int round = 0; round < 16; ++round) {
    bool changed = false;
    kernel.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { changed |= visit(op); });
    if (!changed)
      break;
  }
}

const LayoutChoice &LayoutChoices::get(Value tile) const {
  static const LayoutChoice lazy;
  auto found = choices.find(tile);
  return found == choices.end() ? lazy : found->second;
}

LinearLayout LayoutChoices::layoutFor(Value tile) const {
  const LayoutChoice &choice = get(tile);
  return choice.layout
             ? *choice.layout
             : plainLayout(cast<RankedTensorType>(tile.getType()).getShape());
}

bool LayoutChoices::update(Value tile, LayoutChoice choice) {
  if (choice.rank == Rank::Lazy || choice.rank <= get(tile).rank)
    return false;
  choices[tile] = choice;
  return true;
}

LayoutChoice LayoutChoices::strongest(ValueRange values) const {
  LayoutChoice best;
  for (Value value : values)
    if (get(value).rank > best.rank)
      best = get(value);
  return best;
}

//===----------------------------------------------------------------------===//
// Layouts of anchors
//===----------------------------------------------------------------------===//

LinearLayout LayoutChoices::coalesced(ArrayRef<int64_t> shape, unsigned fastest,
                                      unsigned bytes) const {
  unsigned rank = unsigned(shape.size());
  layout::Blocking blocking;
  blocking.perThread.assign(rank, 1);
  blocking.lanes.assign(rank, 1);
  blocking.warps.assign(rank, 1);
  blocking.order.push_back(fastest);
  for (unsigned axis = rank; axis-- > 0;)
    if (axis != fastest)
      blocking.order.push_back(axis);

  int64_t elements = ShapedType::getNumElements(shape);
  int64_t perThread = std::max<int64_t>(1, elements / (32 * numWarps));
  blocking.perThread[fastest] =
      std::min({int64_t(16 / bytes), shape[fastest], perThread});
  int64_t lanes = 32, warps = numWarps;
  for (unsigned axis : blocking.order) {
    int64_t left = shape[axis] / blocking.perThread[axis];
    blocking.lanes[axis] = std::min(lanes, left);
    lanes /= blocking.lanes[axis];
    left /= blocking.lanes[axis];
    blocking.warps[axis] = std::min(warps, left);
    warps /= blocking.warps[axis];
  }
  // Threads that are left over repeat what the others have.
  blocking.lanes[fastest] *= lanes;
  blocking.warps[fastest] *= warps;
  return layout::blocked(Shape(shape), blocking);
}

LinearLayout LayoutChoices::plainLayout(ArrayRef<int64_t> shape) const {
  unsigned fastest = unsigned(shape.size()) - 1;
  auto known = widest.find({shape.vec(), fastest});
  return coalesced(shape, fastest, known == widest.end() ? 4 : known->second);
}

LinearLayout LayoutChoices::accessLayout(Operation *op) const {
  RankedTensorType type = accessedType(op);
  unsigned fastest = fastestAxis(op, unsigned(type.getRank()));
  return coalesced(type.getShape(), fastest,
                   widest.at({type.getShape().vec(), fastest}));
}

/// Neighbours in neighbouring threads: each thread's accesses are one by one.
/// What a dot gives stays where it is, since it is large.
LinearLayout LayoutChoices::atomicLayout(Operation *atomic) const {
  LayoutChoice given = strongest(atomic->getOperands());
  if (given.rank == Rank::Dot)
    return given.layout->withoutRepeatedRegisters();
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(atomic->getResult(0).getType()).getShape();
  return coalesced(shape, unsigned(shape.size()) - 1, /*bytes=*/16)
      .withoutRepeatedRegisters();
}

/// Whether each bit of a place stands for one bit of the position along the
/// axis, no two for the same one, or for none.
static bool isScannable(const LinearLayout &layout, unsigned axis) {
  uint64_t seen = 0;
  for (layout::Dim dim :
       {layout::Dim::Register, layout::Dim::Lane, layout::Dim::Warp})
    for (uint64_t base : layout.bases(dim)) {
      Shape position = layout.coordinates(base);
      uint64_t along = uint64_t(position[axis]);
      if (along == 0)
        continue;
      position[axis] = 0;
      if ((along & (along - 1)) != 0 || (seen & along) != 0 ||
          layout.flatten(position) != 0)
        return false;
      seen |= along;
    }
  return true;
}

LinearLayout LayoutChoices::scanLayout(tile::ScanOp scan) const {
  auto type = cast<RankedTensorType>(scan.getSources()[0].getType());
  LayoutChoice choice = strongest(scan.getSources());
  LinearLayout layout =
      (choice.layout ? *choice.layout : plainLayout(type.getShape()))
          .withoutRepeatedRegisters();
  return isScannable(layout, scan.getAxis())
             ? layout
             : plainLayout(type.getShape()).withoutRepeatedRegisters();
}

/// Whether a tile is computed from what a product gives, element by element.
static bool comesFromProduct(Value tile) {
  SmallVector<Value> left = {tile};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!left.empty()) {
    Operation *op = left.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<tile::DotOp, gpu::MmaOp>(op))
      return true;
    if (analysis::isElementwise(op))
      left.append(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// Whether what a product gives is reduced along a row, or its first factor
/// comes from another one: then a warp should have whole rows.
static bool wantsWholeRows(Operation *product) {
  auto shapeOf = [](Value tile) {
    return cast<RankedTensorType>(tile.getType()).getShape();
  };
  bool found = comesFromProduct(product->getOperand(0));
  product->getParentOfType<func::FuncOp>().walk([&](tile::ReduceOp reduce) {
    found |= shapeOf(reduce.getSources()[0]) == shapeOf(product->getResult(0));
  });
  return found;
}

WarpGrid mmaGrid(Operation *product, unsigned numWarps) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(product->getResult(0).getType()).getShape();
  int64_t m = shape[shape.size() - 2], n = shape.back();
  WarpGrid grid;
  bool wholeRows = wantsWholeRows(product);
  for (unsigned warps = numWarps; warps > 1; warps /= 2) {
    bool alongM = m / grid.m > 16;
    bool alongN = n / grid.n > 8;
    if (alongM && (wholeRows || !alongN || m / grid.m >= n / grid.n))
      grid.m *= 2;
    else if (alongN)
      grid.n *= 2;
    else
      grid.m *= 2;
  }
  return grid;
}

unsigned mmaElementBits(tile::DotOp dot, unsigned capability) {
  Type a = cast<RankedTensorType>(dot.getA().getType()).getElementType();
  Type b = cast<RankedTensorType>(dot.getB().getType()).getElementType();
  Type acc = cast<RankedTensorType>(dot.getType()).getElementType();
  if (a != b || capability < 80)
    return 0;
  if ((a.isF16() || a.isBF16()) && acc.isF32())
    return 16;
  if (a.isF32() && acc.isF32() &&
      (dot.getPrecision() == tile::InputPrecision::Default ||
       dot.getPrecision() == tile::InputPrecision::TF32))
    return 32;
  if (a.isInteger(8) && acc.isInteger(32))
    return 8;
  return 0;
}

DotLayouts LayoutChoices::dotLayouts(tile::DotOp dot) const {
  auto type = cast<RankedTensorType>(dot.getType());
  Shape shape(type.getShape()),
      aShape(cast<RankedTensorType>(dot.getA().getType()).getShape()),
      bShape(cast<RankedTensorType>(dot.getB().getType()).getShape());
  unsigned bits = mmaElementBits(dot, capability);
  int64_t m = shape[shape.size() - 2], n = shape.back(), k = aShape.back();
  if (bits && m >= 16 && n >= 8 && k * bits >= 256) {
    WarpGrid grid = mmaGrid(dot, numWarps);
    return {DotUnit::Mma,
            layout::accumulatorFragment(MatrixUnit::Mma, shape, grid),
            layout::operandAFragment(MatrixUnit::Mma, aShape, grid, bits),
            layout::operandBFragment(bShape, grid, bits)};
  }
  return {DotUnit::Fma,
          coalesced(type.getShape(), unsigned(type.getRank()) - 1,
                    elementBytes(type.getElementType())),
          std::nullopt, std::nullopt};
}

DotLayouts LayoutChoices::mmaLayouts(gpu::MmaOp product) const {
  WarpGrid grid = mmaGrid(product, numWarps);
  auto type = cast<RankedTensorType>(product.getType());
  DotLayouts layouts{DotUnit::Mma,
                     layout::accumulatorFragment(MatrixUnit::Mma,
                                                 Shape(type.getShape()), grid),
                     std::nullopt, std::nullopt};
  if (auto a = dyn_cast<RankedTensorType>(product.getA().getType()))
    layouts.a = layout::operandAFragment(MatrixUnit::Mma, Shape(a.getShape()),
                                         grid, a.getElementTypeBitWidth());
  if (auto b = dyn_cast<RankedTensorType>(product.getB().getType()))
    layouts.b = layout::operandBFragment(Shape(b.getShape()), grid,
                                         b.getElementTypeBitWidth());
  return layouts;
}

/// Warpgroups share the rows while each has 64, then the columns.
static WarpGrid wgmmaGrid(RankedTensorType acc, unsigned numWarps) {
  WarpGrid grid{4, 1};
  while (grid.m * grid.n < numWarps)
    if (acc.getShape()[0] / (grid.m / 4) > 64)
      grid.m *= 2;
    else
      grid.n *= 2;
  return grid;
}

LinearLayout LayoutChoices::wgmmaAcc(RankedTensorType type) const {
  return layout::accumulatorFragment(MatrixUnit::Wgmma, Shape(type.getShape()),
                                     wgmmaGrid(type, numWarps));
}

LinearLayout LayoutChoices::wgmmaFactor(RankedTensorType type,
                                        RankedTensorType acc) const {
  return layout::operandAFragment(MatrixUnit::Wgmma, Shape(type.getShape()),
                                  wgmmaGrid(acc, numWarps),
                                  type.getElementTypeBitWidth());
}

//===----------------------------------------------------------------------===//
// From operands to results
//===----------------------------------------------------------------------===//

LayoutChoice LayoutChoices::forward(Operation *op, unsigned result) const {
  if (analysis::isElementwise(op))
    return strongest(op->getOperands());
  auto through = [&](Value source, auto &&transform) {
    LayoutChoice choice = get(source);
    if (choice.layout)
      choice.layout = transform(*choice.layout);
    return choice;
  };
  return llvm::TypeSwitch<Operation *, LayoutChoice>(op)
      .Case<tile::ViewLoadOp, tile::LoadOp>([&](auto load) {
        return LayoutChoice{Rank::Access, accessLayout(load)};
      })
      .Case([&](tile::DotOp dot) {
        return LayoutChoice{Rank::Dot, dotLayouts(dot).acc};
      })
      .Case([&](gpu::MmaOp product) {
        return LayoutChoice{Rank::Dot, mmaLayouts(product).acc};
      })
      .Case([&](gpu::WgmmaOp dot) {
        return LayoutChoice{Rank::Dot,
                            wgmmaAcc(cast<RankedTensorType>(dot.getType()))};
      })
      .Case([&](gpu::WgmmaWaitOp wait) { return get(wait.getAccs()[result]); })
      .Case([&](gpu::UnstageOp unstage) {
        auto type = cast<RankedTensorType>(unstage.getType());
        return LayoutChoice{Rank::Access, plainLayout(type.getShape())};
      })
      .Case([&](tile::ReduceOp reduce) {
        LayoutChoice choice = strongest(reduce.getSources());
        LinearLayout source =
            choice.layout ? *choice.layout : layoutFor(reduce.getSources()[0]);
        return LayoutChoice{
            Rank::Reduce,
            source.slice(reduce.getAxis()).withoutRepeatedRegisters()};
      })
      .Case([&](tile::ScanOp scan) {
        return LayoutChoice{Rank::Reduce, scanLayout(scan)};
      })
      .Case<tile::AtomicRMWOp, tile::AtomicCasOp>([&](auto atomic) {
        return LayoutChoice{Rank::Access, atomicLayout(atomic)};
      })
      .Case([&](tile::GatherOp gather) {
        LayoutChoice choice = get(gather.getIndices());
        if (choice.layout)
          return choice;
        auto type = cast<RankedTensorType>(gather.getType());
        return LayoutChoice{Rank::Access, plainLayout(type.getShape())};
      })
      .Case([&](tile::ExpandDimsOp expand) {
        return through(expand.getSource(), [&](const LinearLayout &layout) {
          return layout.expandDims(expand.getAxis());
        });
      })
      .Case([&](tile::ReshapeOp reshape) {
        Shape shape(cast<RankedTensorType>(reshape.getType()).getShape());
        return through(reshape.getSource(), [&](const LinearLayout &layout) {
          return layout.reshape(shape);
        });
      })
      .Case([&](tile::PermuteOp permute) {
        std::vector<unsigned> order(permute.getOrder().begin(),
                                    permute.getOrder().end());
        return through(permute.getSource(), [&](const LinearLayout &layout) {
          return layout.transpose(order);
        });
      })
      .Case([&](tile::JoinOp join) {
        LayoutChoice choice = strongest(join->getOperands());
        if (choice.layout)
          choice.layout = choice.layout->join();
        return choice;
      })
      .Case([&](tile::SplitOp split) {
        LayoutChoice choice = get(split.getSource());
        if (choice.layout) {
          auto parts = choice.layout->split();
          choice.layout = parts ? parts->layout
                                : plainLayout(cast<RankedTensorType>(
                                                  split.getResult(0).getType())
                                                  .getShape());
        }
        return choice;
      })
      .Case([&](tile::CatOp cat) {
        return LayoutChoice{
            Rank::Access,
            plainLayout(cast<RankedTensorType>(cat.getType()).getShape())};
      })
      .Default([](Operation *) { return LayoutChoice(); });
}

bool LayoutChoices::visit(Operation *op) {
  bool changed = false;
  auto join = [&](ValueRange into, ValueRange from) {
    for (auto [to, value] : llvm::zip_equal(into, from))
      changed |= update(to, get(value));
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    join(loop.getRegionIterArgs(), loop.getInitArgs());
    join(loop.getRegionIterArgs(), loop.getYieldedValues());
    join(loop.getResults(), loop.getRegionIterArgs());
    // What a loop carries has one layout.
    join(loop.getRegionIterArgs(), loop.getResults());
    return changed;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    join(loop.getBeforeArguments(), loop.getInits());
    join(loop.getBeforeArguments(), loop.getYieldOp().getResults());
    join(loop.getAfterArguments(), loop.getConditionOp().getArgs());
    join(loop.getResults(), loop.getAfterArguments());
    join(loop.getAfterArguments(), loop.getResults());
    return changed;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (branch.getNumResults()) {
      join(branch.getResults(), branch.thenYield().getResults());
      join(branch.getResults(), branch.elseYield().getResults());
    }
    return changed;
  }
  for (OpResult result : op->getResults()) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    // Follows its operands also where their layout, not the rank, is new.
    LayoutChoice choice = forward(op, result.getResultNumber());
    if (choice.rank == Rank::Lazy || choice.rank < get(result).rank ||
        choice == get(result))
      continue;
    choices[result] = choice;
    changed = true;
  }
  return changed;
}

} // namespace tesela::nvidia
