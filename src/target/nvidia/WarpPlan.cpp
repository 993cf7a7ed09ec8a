//===- WarpPlan.cpp - what the producer copies and which dots eat it ------===//
//
// A dot can become an asynchronous product where its second factor comes from a
// bulk copy, or is put into shared memory; the first may come from registers. A
// load is copied in bulk where such dots alone use it. Loads of one block for
// the same dots share a ring, and groups of the same shape in blocks that
// follow each other share it in turn.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/WarpPlan.h"

#include "analysis/AxisDependence.h"
#include "dialect/tile/Float8.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tesela::nvidia {

/// Shared memory of a block on sm_90.
static constexpr int64_t sharedBytes = 227 * 1024;
/// Of a processor, and what the system takes of it for each block.
static constexpr int64_t processorBytes = 228 * 1024;
static constexpr int64_t systemBytes = 1024;
/// Registers of a processor, and what a thread needs besides accumulators.
static constexpr int64_t processorRegisters = 64 * 1024;
static constexpr int64_t otherRegisters = 30;
/// More do not help, however small they are.
static constexpr int64_t mostSlots = 8;
/// Registers of a thread that accumulators may take.
static constexpr int64_t mostAccRegisters = 192;

WarpgroupGrid warpgroupGrid(ArrayRef<int64_t> acc, unsigned numWarps) {
  WarpgroupGrid grid;
  while (grid.rows * grid.columns * 4 < numWarps)
    if (acc[0] / grid.rows > 64)
      grid.rows *= 2;
    else
      grid.columns *= 2;
  return grid;
}

const SlotGroup *WarpPlan::groupOf(tile::ViewLoadOp load) const {
  for (const SlotGroup &group : groups)
    if (llvm::is_contained(group.loads, load))
      return &group;
  return nullptr;
}

FactorSource factorSource(Value factor) {
  FactorSource source;
  if (auto permute = factor.getDefiningOp<tile::PermuteOp>()) {
    if (permute.getOrder() != ArrayRef<int32_t>{1, 0})
      return source;
    source.isTransposed = true;
    factor = permute.getSource();
  }
  source.load = factor.getDefiningOp<tile::ViewLoadOp>();
  return source;
}

bool WarpPlanner::refuse(Operation *op, StringRef reason) {
  if (options.explain)
    op->emitRemark() << reason;
  return false;
}

static unsigned bitsOf(Value tile) {
  return tile::elementType(tile.getType()).getIntOrFloatBitWidth();
}

/// Whether the tensor cores multiply these elements into this accumulator.
static bool hasInstruction(tile::DotOp dot) {
  Type a = tile::elementType(dot.getA().getType());
  Type b = tile::elementType(dot.getB().getType());
  Type acc = tile::elementType(dot.getType());
  if (tile::isFloat8(a) && tile::isFloat8(b))
    return acc.isF32();
  if (a != b)
    return false;
  if (a.isF16() || a.isBF16())
    return acc.isF32();
  if (a.isF32())
    return acc.isF32() &&
           (dot.getPrecision() == tile::InputPrecision::Default ||
            dot.getPrecision() == tile::InputPrecision::TF32);
  return a.isInteger(8) && acc.isInteger(32);
}

bool WarpPlanner::isProduct(tile::DotOp dot) {
  ArrayRef<int64_t> acc = cast<RankedTensorType>(dot.getType()).getShape();
  if (!hasInstruction(dot))
    return refuse(dot, "no asynchronous product has these element types");
  if (acc.size() != 2 || acc[0] % 64 != 0)
    return refuse(dot, "its rows are no multiple of 64");
  WarpgroupGrid grid = warpgroupGrid(acc, options.numWarps);
  if (acc[1] % (8 * grid.columns) != 0)
    return refuse(dot, "its columns are no multiple of 8 for each warpgroup");
  int64_t depth = cast<RankedTensorType>(dot.getA().getType()).getShape()[1];
  if (depth * bitsOf(dot.getA()) % 256 != 0)
    return refuse(dot, "its depth is no multiple of 32 bytes");
  if (acc[0] * acc[1] / (32 * options.numWarps) > mostAccRegisters)
    return refuse(dot, "its accumulator takes too many registers");
  return true;
}

void WarpPlanner::findDots() {
  kernel.walk([&](tile::DotOp dot) {
    if (isProduct(dot))
      result.dots.insert(dot);
  });
}

bool collectUses(Value tile, SmallVectorImpl<OpOperand *> &uses) {
  for (OpOperand &use : tile.getUses()) {
    Operation *user = use.getOwner();
    if (auto dot = dyn_cast<tile::DotOp>(user);
        dot && use.get() != dot.getAcc()) {
      uses.push_back(&use);
      continue;
    }
    auto permute = dyn_cast<tile::PermuteOp>(user);
    if (!permute || permute.getOrder() != ArrayRef<int32_t>{1, 0} ||
        factorSource(permute.getResult()).load.getResult() != tile ||
        !collectUses(permute.getResult(), uses))
      return false;
  }
  return true;
}

/// Whether the factors may lie in memory as the copy leaves them, and the
/// widest rows that all their products can read.
bool WarpPlanner::mayFeed(tile::ViewLoadOp load, const BulkCopy &copy,
                          int64_t &swizzle) {
  auto type = cast<RankedTensorType>(load.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  swizzle = std::min<int64_t>(128, type.getShape()[copy.axis] * bytes);
  SmallVector<OpOperand *> uses;
  if (!collectUses(load, uses) || uses.empty())
    return refuse(load, "not only products use it");
  for (OpOperand *use : uses) {
    auto dot = cast<tile::DotOp>(use->getOwner());
    if (!result.dots.contains(dot))
      return refuse(load, "a dot that uses it is no asynchronous product");
    bool isA = use->getOperandNumber() == 0;
    bool isTransposed = factorSource(use->get()).isTransposed;
    // The axis of the factor, not of the load, that is contiguous.
    unsigned axis = isTransposed ? 1 - copy.axis : copy.axis;
    bool alongDepth = axis == (isA ? 1 : 0);
    if (alongDepth)
      continue;
    if (bytes != 2)
      return refuse(load, "only elements of 16 bits may be contiguous across "
                          "the depth of a product");
    ArrayRef<int64_t> acc = cast<RankedTensorType>(dot.getType()).getShape();
    WarpgroupGrid grid = warpgroupGrid(acc, options.numWarps);
    int64_t across =
        isA ? std::min<int64_t>(64, acc[0]) : acc[1] / grid.columns;
    swizzle = std::min(swizzle, across * bytes);
  }
  if (swizzle < 32)
    return refuse(load, "its rows are narrower than 32 bytes");
  if (type.getShape()[1 - copy.axis] > 256)
    return refuse(load, "it has more than 256 rows");
  return true;
}

void WarpPlanner::findLoads() {
  kernel.walk([&](tile::ViewLoadOp load) {
    bool feeds = llvm::any_of(result.dots, [&](Operation *dot) {
      return factorSource(dot->getOperand(0)).load == load ||
             factorSource(dot->getOperand(1)).load == load;
    });
    if (!feeds)
      return;
    std::string whyNot;
    size_t mark = preconditions.mark();
    auto copy = planBulkCopy(load, preconditions, congruences, whyNot);
    int64_t swizzle;
    if (!copy)
      refuse(load, whyNot);
    else if (mayFeed(load, *copy, swizzle))
      parts.insert({load, Part{*copy, swizzle}});
    else
      preconditions.retract(mark);
  });
  // A dot needs its second factor in a slot, and a load its dots.
  SmallVector<Operation *> products(result.dots.begin(), result.dots.end());
  bool changed = true;
  while (changed) {
    changed = false;
    result.dots.remove_if([&](Operation *dot) {
      FactorSource b = factorSource(dot->getOperand(1));
      if (b.load && parts.contains(b.load))
        return false;
      return changed = true;
    });
    parts.remove_if([&](auto &part) {
      SmallVector<OpOperand *> uses;
      collectUses(part.first->getResult(0), uses);
      bool drop = !llvm::all_of(uses, [&](OpOperand *use) {
        return result.dots.contains(use->getOwner());
      });
      changed |= drop;
      return drop;
    });
  }
  if (!parts.empty())
    stageOthers(products);
}

std::optional<unsigned> loadedAlong(Value factor) {
  FactorSource source = factorSource(factor);
  if (!source.load)
    return factor.getDefiningOp<tile::LoadOp>() ? std::optional<unsigned>(1)
                                                : std::nullopt;
  for (auto [axis, stride] : llvm::enumerate(source.load.getStrides()))
    if (matchPattern(stride, m_One()))
      return source.isTransposed ? 1 - axis : axis;
  return 1;
}

/// As a factor would lie in shared memory; null where none of its forms can be
/// read by the product.
gpu::StagedType WarpPlanner::stagedType(tile::DotOp dot, unsigned factor) {
  Value tile = dot->getOperand(factor);
  auto type = cast<RankedTensorType>(tile.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  unsigned depth = factor == 0 ? 1 : 0;
  unsigned axis = bytes == 2 ? loadedAlong(tile).value_or(1) : depth;
  ArrayRef<int64_t> acc = cast<RankedTensorType>(dot.getType()).getShape();
  WarpgroupGrid grid = warpgroupGrid(acc, options.numWarps);
  int64_t row = type.getShape()[axis];
  if (axis != depth)
    row = std::min(row, factor == 0 ? 64 : acc[1] / grid.columns);
  int64_t swizzle = std::min<int64_t>(128, row * bytes);
  if (swizzle < 32)
    return {};
  return gpu::StagedType::get(kernel.getContext(), type.getShape(),
                              type.getElementType(), axis, swizzle);
}

/// Beside dots that copies feed, others put their factors into shared memory
/// themselves; what they compute as a first factor stays in registers.
void WarpPlanner::stageOthers(ArrayRef<Operation *> products) {
  for (Operation *op : products) {
    if (result.dots.contains(op))
      continue;
    auto dot = cast<tile::DotOp>(op);
    StagedFactors factors;
    factors.b = stagedType(dot, 1);
    if (loadedAlong(dot.getA()))
      factors.a = stagedType(dot, 0);
    if (!factors.b) {
      refuse(dot, "no bulk copy brings its second factor");
      continue;
    }
    result.dots.insert(dot);
    result.staged[dot] = factors;
  }
}

void WarpPlanner::group() {
  for (auto &[op, part] : parts) {
    auto load = cast<tile::ViewLoadOp>(op);
    SmallVector<OpOperand *> uses;
    collectUses(load, uses);
    llvm::SetVector<Operation *> dots;
    for (OpOperand *use : uses)
      dots.insert(use->getOwner());
    auto same = llvm::find_if(result.groups, [&](SlotGroup &group) {
      return group.block() == op->getBlock() &&
             group.dots.size() == dots.size() &&
             llvm::all_of(dots, [&](Operation *dot) {
               return group.dots.contains(dot);
             });
    });
    if (same == result.groups.end()) {
      same = result.groups.emplace(result.groups.end());
      same->dots = dots;
    }
    auto type = cast<RankedTensorType>(load.getType());
    same->loads.push_back(load);
    same->copies.push_back(part.copy);
    same->parts.push_back(gpu::StagedType::get(
        kernel.getContext(), type.getShape(), type.getElementType(),
        part.copy.axis, part.swizzle));
  }
}

static bool isInLoop(Block *block) {
  Operation *parent = block->getParentOp();
  return isa<scf::ForOp>(parent) ||
         (isa<scf::IfOp>(parent) && isInLoop(parent->getBlock()));
}

void WarpPlanner::assignRings() {
  for (auto [number, group] : llvm::enumerate(result.groups)) {
    bool repeats = isInLoop(group.block());
    // Of blocks that contain each other both may hold a slot.
    auto isFree = [&](unsigned ring) {
      for (SlotGroup &other : llvm::make_range(
               result.groups.begin(), result.groups.begin() + number)) {
        if (other.ring != ring)
          continue;
        Operation *ours = group.block()->getParentOp(),
                  *theirs = other.block()->getParentOp();
        if (group.block() == other.block() || ours->isAncestor(theirs) ||
            theirs->isAncestor(ours))
          return false;
      }
      return true;
    };
    unsigned ring = 0;
    for (; ring != result.rings.size(); ++ring)
      if (result.rings[ring].parts == group.parts &&
          (result.rings[ring].slots > 1) == repeats && isFree(ring))
        break;
    if (ring == result.rings.size())
      result.rings.push_back(
          {group.parts, repeats ? std::max<int64_t>(2, options.numStages) : 1});
    group.ring = ring;
  }
}

int64_t slotBytes(ArrayRef<Type> parts) {
  int64_t bytes = 0;
  for (Type part : parts)
    bytes += llvm::alignTo(cast<gpu::StagedType>(part).getBytes(), 1024);
  return bytes;
}

int64_t largestStoredBytes(func::FuncOp kernel) {
  int64_t largest = 0;
  kernel.walk([&](tile::ViewStoreOp store) {
    auto type = cast<RankedTensorType>(store.getValue().getType());
    int64_t bits = type.getElementType().isIntOrFloat()
                       ? std::max(8u, type.getElementTypeBitWidth())
                       : 64;
    largest = std::max(largest, type.getNumElements() * bits / 8);
  });
  return largest;
}

bool areAllUntil(Operation *last, function_ref<bool(Operation *)> isSuch) {
  for (Operation &op : *last->getBlock()) {
    bool all = true;
    op.walk([&](Operation *inner) { all &= isSuch(inner); });
    if (!all)
      return false;
    if (&op == last)
      return true;
  }
  return false;
}

int64_t StagedFactors::offsetOfB() const {
  return a ? llvm::alignTo(a.getBytes(), 1024) : 0;
}

int64_t StagedFactors::bytes() const {
  return offsetOfB() + llvm::alignTo(b.getBytes(), 1024);
}

/// Whether no run of the kernel does both: they are in different branches.
static bool areExclusive(Operation *a, Operation *b) {
  for (auto branch = a->getParentOfType<scf::IfOp>(); branch;
       branch = branch->getParentOfType<scf::IfOp>()) {
    if (branch->getParentOfType<LoopLikeOpInterface>() ||
        !branch->isAncestor(b))
      continue;
    Region &other = branch.getThenRegion().isAncestor(a->getParentRegion())
                        ? branch.getElseRegion()
                        : branch.getThenRegion();
    if (other.isAncestor(b->getParentRegion()))
      return true;
  }
  return false;
}

/// Factors that are put into shared memory only where a ring stands still have
/// the ring's.
void WarpPlanner::shareMemory() {
  for (auto &[dot, factors] : result.staged)
    for (auto [number, ring] : llvm::enumerate(result.rings)) {
      bool isIdle = llvm::all_of(result.groups, [&](const SlotGroup &group) {
        return group.ring != number || areExclusive(dot, group.first());
      });
      int64_t bytes = std::min<int64_t>(ring.slots, 2) * slotBytes(ring.parts);
      if (isIdle && factors.bytes() <= bytes)
        factors.ring = unsigned(number);
    }
}

/// Registers of a thread for the accumulators, and for first factors, of the
/// block that has most of both.
int64_t WarpPlanner::wantedRegisters() {
  llvm::MapVector<Block *, int64_t> wanted;
  int64_t most = 0;
  for (Operation *dot : result.dots) {
    auto words = [&](Value tile) {
      auto type = cast<RankedTensorType>(tile.getType());
      return type.getNumElements() * type.getElementTypeBitWidth() / 32 /
             (32 * options.numWarps);
    };
    int64_t &here = wanted[dot->getBlock()];
    here += words(dot->getResult(0));
    FactorSource a = factorSource(dot->getOperand(0));
    if (!a.load && !result.staged.lookup(dot).a)
      here += words(dot->getOperand(0));
    most = std::max(most, here);
  }
  return most;
}

/// The one loop that uses a ring, where it does nothing but products.
scf::ForOp WarpPlanner::loopOfProducts() {
  if (result.groups.size() != 1 || !result.staged.empty())
    return {};
  auto loop =
      dyn_cast<scf::ForOp>(result.groups.front().block()->getParentOp());
  bool isIt = loop && loop->getParentOp() == kernel &&
              keepsProductsUnderWay(loop, result);
  return isIt ? loop : scf::ForOp();
}

/// Whether all that goes through shared memory besides the ring does so after
/// the loop that uses it, and may have its slots.
static bool lendsAfter(scf::ForOp loop, const WarpPlan &plan) {
  auto isFree = [&](Operation *op) {
    auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
    bool hasTiles = llvm::any_of(op->getOperandTypes(), isTile) ||
                    llvm::any_of(op->getResultTypes(), isTile);
    auto load = dyn_cast<tile::ViewLoadOp>(op);
    return !hasTiles || plan.dots.contains(op) ||
           (load && plan.groupOf(load)) || analysis::isElementwise(op) ||
           isa<arith::ConstantOp, tile::SplatOp, tile::BroadcastOp,
               tile::ExpandDimsOp, tile::IotaOp, tile::PermuteOp, scf::ForOp,
               scf::YieldOp>(op);
  };
  return areAllUntil(loop, isFree);
}

/// As many as `numStages` where they fit beside what stores need, and more
/// where that costs nothing; false where not even two do.
bool WarpPlanner::chooseSlots() {
  int64_t stored = largestStoredBytes(kernel);
  scf::ForOp loop = loopOfProducts();
  bool mayBeLent = loop && lendsAfter(loop, result);
  int64_t staged = 0;
  for (auto &[dot, factors] : result.staged)
    if (!factors.ring)
      staged += factors.bytes();
  auto bytes = [&] {
    int64_t bytes = staged, largest = 0;
    for (const RingPlan &ring : result.rings) {
      int64_t slots = ring.slots * slotBytes(ring.parts);
      bytes += slots + ring.slots * 16;
      largest = std::max(largest, slots);
    }
    bool isLent = mayBeLent && stored <= largest;
    return bytes + (isLent ? 0 : reductionBytes + stored);
  };
  auto change = [&](int64_t difference) {
    for (RingPlan &ring : result.rings)
      if (ring.slots > 1)
        ring.slots += difference;
  };
  auto deepest = [&] {
    int64_t slots = 0;
    for (const RingPlan &ring : result.rings)
      slots = std::max(slots, ring.slots);
    return slots;
  };
  while (bytes() > sharedBytes) {
    if (deepest() <= 2)
      return false;
    change(-1);
  }
  // What no other block could use is better used for more slots.
  auto residents = [&] {
    int64_t blocks = processorBytes / (bytes() + systemBytes);
    return loop ? std::min(blocks, residentsByRegisters()) : blocks;
  };
  int64_t blocks = residents();
  while (deepest() < mostSlots && residents() == blocks)
    change(1);
  if (bytes() > sharedBytes || residents() < blocks)
    change(-1);
  return true;
}

/// How many blocks' registers a processor has, with a producer unless one
/// warpgroup feeds itself.
int64_t WarpPlanner::residentsByRegisters() {
  int64_t warps = options.numWarps == 4 ? 4 : options.numWarps + 1;
  int64_t each = llvm::alignTo(wantedRegisters() + otherRegisters, 8);
  return std::max<int64_t>(1, processorRegisters / (each * 32 * warps));
}

/// Warps share the registers of a quarter of the processor with every fourth
/// warp: one warp more than full warpgroups takes as many as a warpgroup. Where
/// the consumers want them, the producer is a warpgroup that gives its own
/// away.
void WarpPlanner::shareRegisters() {
  int64_t most = wantedRegisters();
  if (options.numWarps == 8 && most >= 96) {
    result.warps = 4;
    result.registers = {40, 232};
  } else if (options.numWarps == 16 && most >= 64) {
    result.warps = 4;
    result.registers = {24, 112};
  }
}

WarpPlan WarpPlanner::plan() {
  // A block has at most 32 warps, those of the producer among them.
  bool mayHaveRoles = options.numWarps >= 4 && options.numWarps < 32 &&
                      options.numWarps % 4 == 0 &&
                      kernel.getBody().hasOneBlock();
  if (!mayHaveRoles)
    return WarpPlan();
  findDots();
  findLoads();
  group();
  bool anyLoop = llvm::any_of(result.groups, [](const SlotGroup &group) {
    return isInLoop(group.block());
  });
  if (!anyLoop)
    return WarpPlan();
  assignRings();
  shareMemory();
  if (!chooseSlots()) {
    refuse(kernel, "two slots of its copies do not fit into shared memory");
    return WarpPlan();
  }
  shareRegisters();
  return std::move(result);
}

bool keepsProductsUnderWay(scf::ForOp loop, const WarpPlan &plan) {
  bool any = false, all = true;
  loop.getBody()->walk([&](tile::DotOp dot) {
    if (!plan.dots.contains(dot))
      return;
    any = true;
    auto acc = dyn_cast<BlockArgument>(dot.getAcc());
    if (dot->getBlock() != loop.getBody() || plan.staged.contains(dot) ||
        !acc || acc.getOwner() != loop.getBody() || !acc.hasOneUse() ||
        !dot.getResult().hasOneUse()) {
      all = false;
      return;
    }
    OpOperand &use = *dot.getResult().getUses().begin();
    FactorSource a = factorSource(dot.getA());
    // Registers of a factor may not change while products are under way.
    all = all && use.getOwner() == loop.getBody()->getTerminator() &&
          use.getOperandNumber() + 1 == acc.getArgNumber() && a.load &&
          plan.groupOf(a.load);
  });
  return any && all;
}

} // namespace tesela::nvidia
