//===- CopyPlan.cpp - where the factors of a loop's dots come from --------===//
//
// Of a product in a loop, done by `mma.sync`,
//
// * a factor that the loop loads, at places that follow from its position
//   alone, comes through a ring;
// * one that it loads otherwise is put into shared memory when it is there;
// * one that was there before the loop goes there, too, where the loop needs
//   the registers for its accumulators;
// * what another product's results give stays in registers.
//
// All loads of a loop share one ring. Loops that follow each other share the
// rings whose parts are equal.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/CopyPlan.h"

#include "analysis/AxisDependence.h"
#include "analysis/MemoryDependence.h"
#include "target/nvidia/AccessWidths.h"
#include "target/nvidia/LayoutChoices.h"
#include "target/nvidia/LoopAhead.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tesela::nvidia {

/// More slots are of no use, however many stages there are to be.
static constexpr int64_t mostSlots = 8;
/// Registers of a thread that accumulators and the factors beside them take.
static constexpr int64_t mostWords = 128;
/// Of a factor that is computed in the loop.
static constexpr int64_t mostComputedWords = 32;

static RankedTensorType typeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

/// Shared memory of a block.
static int64_t sharedLimit(unsigned capability) {
  switch (capability) {
  case 80:
  case 87:
    return 163 * 1024;
  case 86:
  case 89:
    return 99 * 1024;
  default:
    return capability >= 90 ? 227 * 1024 : 48 * 1024;
  }
}

bool CopyPlan::isCopied(tile::ViewLoadOp load) const {
  return llvm::any_of(loops, [&](const CopiedLoop &copied) {
    return llvm::is_contained(copied.loads, load);
  });
}

std::optional<SmallVector<Operation *>>
CopiedLoop::slice(scf::ForOp loop, tile::ViewLoadOp load) {
  llvm::SetVector<Operation *> needed;
  SmallVector<Value> left(load->getOperands());
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || op->getNumRegions() != 0 ||
        !isPure(op))
      return std::nullopt;
    if (needed.insert(op))
      left.append(op->operand_begin(), op->operand_end());
  }
  SmallVector<Operation *> ops = needed.takeVector();
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

bool CopyPlanner::isCandidate(tile::DotOp dot) const {
  ArrayRef<int64_t> acc = typeOf(dot.getResult()).getShape();
  unsigned bits = mmaElementBits(dot, capability);
  return bits && acc.size() == 2 && acc[0] >= 16 && acc[1] >= 8 &&
         typeOf(dot.getA()).getShape()[1] * bits >= 256;
}

/// Whether nothing in the loop may write what a load reads, so that it may be
/// done iterations before.
static bool isNeverWritten(scf::ForOp loop, Operation *load) {
  return !loop.walk([&](Operation *op) {
                if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                    isMemoryEffectFree(op) ||
                    hasSingleEffect<MemoryEffects::Read>(op))
                  return WalkResult::advance();
                bool isApart = isa<tile::StoreOp, tile::ViewStoreOp>(op) &&
                               analysis::accessRelation(load, op) ==
                                   analysis::AccessRelation::NoAlias;
                return isApart ? WalkResult::advance()
                               : WalkResult::interrupt();
              })
              .wasInterrupted();
}

bool CopyPlanner::mayRunAhead(scf::ForOp loop, tile::ViewLoadOp load) const {
  SmallVector<OpOperand *> uses;
  if (load->getBlock() != loop.getBody() || !partOf(load) ||
      !collectUses(load, uses))
    return false;
  bool onlyHere = llvm::all_of(uses, [&](OpOperand *use) {
    auto dot = cast<tile::DotOp>(use->getOwner());
    return dot->getBlock() == loop.getBody() && isCandidate(dot);
  });
  Value other = load.getOther();
  bool fillsZeros = !other || matchPattern(other, m_Zero()) ||
                    matchPattern(other, m_PosZeroFloat());
  return onlyHere && fillsZeros && CopiedLoop::slice(loop, load) &&
         isNeverWritten(loop, load);
}

/// A matrix in shared memory, contiguous along an axis; null where its rows
/// are too narrow.
static gpu::StagedType asStaged(RankedTensorType type, unsigned axis) {
  int64_t row =
      type.getShape()[axis] * type.getElementType().getIntOrFloatBitWidth() / 8;
  if (row < 32)
    return {};
  return gpu::StagedType::get(type.getContext(), type.getShape(),
                              type.getElementType(), axis,
                              std::min<int64_t>(128, row));
}

gpu::StagedType CopyPlanner::partOf(tile::ViewLoadOp load) const {
  return asStaged(typeOf(load.getResult()),
                  contiguousAxis(load.getStrides()).value_or(1));
}

gpu::StagedType CopyPlanner::stagedType(tile::DotOp dot,
                                        unsigned factor) const {
  Value tile = dot->getOperand(factor);
  unsigned axis = loadedAlong(tile).value_or(1 - factor);
  gpu::StagedType type = asStaged(typeOf(tile), axis);
  return type ? type : asStaged(typeOf(tile), 1 - axis);
}

/// Registers of a thread for all of a factor.
int64_t CopyPlanner::fragmentWords(tile::DotOp dot, unsigned factor) const {
  layout::WarpGrid grid = mmaGrid(dot, numWarps);
  RankedTensorType type = typeOf(dot->getOperand(factor));
  return type.getNumElements() * type.getElementTypeBitWidth() / 32 / 32 /
         (factor == 0 ? grid.m : grid.n);
}

/// Whether a tile is computed from what a dot gives.
static bool comesFromDot(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return false;
  if (isa<tile::DotOp>(op))
    return true;
  return analysis::isElementwise(op) &&
         llvm::any_of(op->getOperands(), comesFromDot);
}

bool CopyPlanner::shouldStage(scf::ForOp loop, tile::DotOp dot, unsigned factor,
                              int64_t accWords) const {
  Value tile = dot->getOperand(factor);
  int64_t words = fragmentWords(dot, factor);
  if (loop.isDefinedOutsideOfLoop(tile))
    return accWords + words > mostWords;
  bool isLoaded = factorSource(tile).load || tile.getDefiningOp<tile::LoadOp>();
  return isLoaded || (words > mostComputedWords && !comesFromDot(tile));
}

/// Decides for the products of a loop; without `copies` nothing runs ahead.
void CopyPlanner::visit(scf::ForOp loop, bool copies) {
  SmallVector<tile::DotOp> dots;
  int64_t accWords = 0;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    if (isCandidate(dot)) {
      dots.push_back(dot);
      accWords +=
          typeOf(dot.getResult()).getNumElements() / (32 * int64_t(numWarps));
    }
  CopiedLoop copied{loop, {}, {}};
  bool isPossible = copies && LoopAhead::isPossible(loop, mostSlots);
  for (tile::DotOp dot : dots)
    for (unsigned factor : {0, 1}) {
      Value tile = dot->getOperand(factor);
      tile::ViewLoadOp load = factorSource(tile).load;
      if (load && isPossible && mayRunAhead(loop, load)) {
        result.dots.insert(dot);
        if (!llvm::is_contained(copied.loads, load)) {
          copied.loads.push_back(load);
          copied.parts.push_back(partOf(load));
        }
      } else if (shouldStage(loop, dot, factor, accWords)) {
        if (gpu::StagedType type = stagedType(dot, factor)) {
          result.dots.insert(dot);
          result.staged.insert({tile, type});
        }
      }
    }
  if (!copied.loads.empty())
    result.loops.push_back(std::move(copied));
}

void CopyPlanner::assignRings() {
  DenseMap<Operation *, AccessWidth> widths = findAccessWidths(kernel);
  // What is narrower than an asynchronous copy gains nothing from more slots.
  auto isWide = [&](tile::ViewLoadOp load) {
    unsigned bits = typeOf(load.getResult()).getElementTypeBitWidth();
    return bits << widths.at(load).maxVectorBits >= 32;
  };
  for (auto [number, copied] : llvm::enumerate(result.loops)) {
    int64_t slots = llvm::all_of(copied.loads, isWide)
                        ? std::clamp<int64_t>(numStages, 2, mostSlots)
                        : 2;
    auto isFree = [&](unsigned ring) {
      return llvm::all_of(
          llvm::make_range(result.loops.begin(), result.loops.begin() + number),
          [&](const CopiedLoop &other) {
            scf::ForOp theirs = other.loop, ours = copied.loop;
            return other.ring != ring ||
                   (!theirs->isAncestor(ours) && !ours->isAncestor(theirs));
          });
    };
    unsigned ring = 0;
    for (; ring != result.rings.size(); ++ring)
      if (result.rings[ring].parts == copied.parts &&
          result.rings[ring].slots == slots && isFree(ring))
        break;
    if (ring == result.rings.size())
      result.rings.push_back({copied.parts, slots});
    copied.ring = ring;
  }
}

/// Whether an op is known to need no shared memory of its own.
bool CopyPlanner::isFree(Operation *op) const {
  auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
  if (!llvm::any_of(op->getOperandTypes(), isTile) &&
      !llvm::any_of(op->getResultTypes(), isTile))
    return true;
  if (auto load = dyn_cast<tile::ViewLoadOp>(op))
    return result.isCopied(load) || result.staged.contains(load.getResult());
  auto hasWholeRows = [&](Operation *dot) {
    return result.dots.contains(dot) && mmaGrid(dot, numWarps).n == 1;
  };
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    Value a = dot.getA();
    bool isComputed = !factorSource(a).load && comesFromDot(a);
    // The fragments of both products are alike where all have whole rows.
    return result.dots.contains(dot) &&
           (!isComputed || llvm::all_of(result.dots, hasWholeRows));
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    ArrayRef<int64_t> shape = typeOf(reduce.getSources()[0]).getShape();
    return reduce.getAxis() == 1 && llvm::all_of(result.dots, [&](auto *dot) {
             return typeOf(dot->getResult(0)).getShape() != shape ||
                    hasWholeRows(dot);
           });
  }
  return analysis::isElementwise(op) ||
         isa<arith::ConstantOp, tile::SplatOp, tile::BroadcastOp,
             tile::ExpandDimsOp, tile::IotaOp, tile::PermuteOp, scf::ForOp,
             scf::IfOp, scf::YieldOp, tile::YieldOp>(op);
}

/// Whether all that goes through shared memory besides the rings does so after
/// the last of their loops, and may have their slots.
bool CopyPlanner::lendsAfterRings() {
  Block &body = kernel.front();
  Operation *last = nullptr;
  for (const CopiedLoop &copied : result.loops) {
    scf::ForOp loop = copied.loop;
    Operation *at = body.findAncestorOpInBlock(*loop);
    if (!last || last->isBeforeInBlock(at))
      last = at;
  }
  return last && areAllUntil(last, [&](Operation *op) { return isFree(op); });
}

/// Of a block, with what stores and reductions borrow.
int64_t CopyPlanner::bytes() {
  int64_t stored = largestStoredBytes(kernel), most = 0, total = 0;
  for (const RingPlan &ring : result.rings) {
    most = std::max(most, ring.slots * slotBytes(ring.parts));
    total += ring.slots * slotBytes(ring.parts);
  }
  for (auto [tile, type] : result.staged)
    total += llvm::alignTo(type.getBytes(), 1024);
  bool isLent = stored <= most && lendsAfterRings();
  return total + (isLent ? 0 : reductionBytes + stored);
}

/// As many slots as fit, at least two.
bool CopyPlanner::fit() {
  int64_t limit = sharedLimit(capability);
  while (bytes() > limit) {
    bool any = false;
    for (RingPlan &ring : result.rings)
      if (ring.slots > 2) {
        --ring.slots;
        any = true;
      }
    if (!any)
      return false;
  }
  return true;
}

CopyPlan CopyPlanner::plan() {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  // Where no two slots fit, everything may still be there in time.
  for (bool copies : {true, false}) {
    result = CopyPlan();
    for (scf::ForOp loop : loops)
      visit(loop, copies);
    assignRings();
    if (fit())
      return std::move(result);
  }
  return CopyPlan();
}

} // namespace tesela::nvidia
