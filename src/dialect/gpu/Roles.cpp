//===- Roles.cpp - verifier of roles: nothing may wait for ever -----------===//
//
// Both roles must walk each ring alike: the fills of the producer and the takes
// of the consumers have the same places in the same control flow. And the
// consumers give every slot back, before they want more than there are.
//
//===----------------------------------------------------------------------===//

#include "dialect/gpu/Gpu.h"

#include "llvm/Support/MathExtras.h"

#include <bit>

using namespace mlir;

namespace tesela::gpu {

/// `op` stands in one of the roles: 0 the producer's, 1 the consumers'.
static LogicalResult verifyRole(Operation *op, unsigned number) {
  auto roles = op->getParentOfType<RolesOp>();
  if (!roles || !roles->getRegion(number).isAncestor(op->getParentRegion()))
    return op->emitOpError("stands outside ")
           << (number == 0 ? "a producer" : "consumers");
  return success();
}

/// A map and as many coordinates as it has dimensions for each part.
template <typename OpTy>
static LogicalResult verifyCopies(OpTy op) {
  RingType ring = op.getRing().getType();
  if (op.getMaps().size() != ring.getParts().size() ||
      op.getRanks().size() != op.getMaps().size())
    return op.emitOpError("needs a map and a rank for each part");
  int64_t total = 0;
  for (int32_t rank : op.getRanks()) {
    if (rank < 2 || rank > 5)
      return op.emitOpError("has a map of rank ") << rank << ", not 2 to 5";
    total += rank;
  }
  if (total != int64_t(op.getCoordinates().size()))
    return op.emitOpError("has ")
           << op.getCoordinates().size() << " coordinates instead of " << total;
  return success();
}

LogicalResult RingFillOp::verify() {
  return failed(verifyCopies(*this)) ? failure() : verifyRole(*this, 0);
}

LogicalResult RingFeedOp::verify() {
  if (failed(verifyCopies(*this)) || failed(verifyRole(*this, 1)))
    return failure();
  if ((*this)->getParentOfType<RolesOp>().getWarps() != 0)
    return emitOpError("stands beside a producer");
  return success();
}

LogicalResult RingTakeOp::verify() {
  if (getParts().getTypes() != TypeRange(getRing().getType().getParts()))
    return emitOpError("gives the parts of its ring");
  return verifyRole(*this, 1);
}

LogicalResult RingReleaseOp::verify() { return verifyRole(*this, 1); }

StagedType BulkStoreOp::getStagedType() {
  auto type = cast<RankedTensorType>(getValue().getType());
  return StagedType::get(getContext(), type.getShape(), type.getElementType(),
                         /*axis=*/1, int64_t(getSwizzle()));
}

/// Whether a tile fits into the slots of a ring, in place of a part.
static LogicalResult verifyPlace(BulkStoreOp op, StagedType tile) {
  RingType ring = op.getRing().getType();
  if (op.getPart() >= ring.getParts().size())
    return op.emitOpError("takes the place of a part that is not there");
  auto part = cast<StagedType>(ring.getParts()[op.getPart()]);
  if (part.getAxis() != 1 || part.getShape()[0] != tile.getShape()[0] ||
      part.getSwizzle() != tile.getSwizzle() ||
      ring.getSlots() * part.getPanels() < tile.getPanels())
    return op.emitOpError("takes the place of ") << Type(part);
  return success();
}

LogicalResult BulkStoreOp::verify() {
  auto type = cast<RankedTensorType>(getValue().getType());
  if (failed(StagedType::verify([&] { return emitOpError(); }, type.getShape(),
                                type.getElementType(), /*axis=*/1,
                                int64_t(getSwizzle()))))
    return failure();
  int64_t rows = int64_t(getRows());
  if (rows < 8 || rows > 256 || !llvm::isPowerOf2_64(uint64_t(rows)) ||
      type.getShape()[0] % rows != 0)
    return emitOpError("cuts ")
           << type.getShape()[0] << " rows into boxes of " << rows;
  size_t rank = getCoordinates().size();
  if (rank < 2 || rank > 5)
    return emitOpError("has a map of rank ") << rank << ", not 2 to 5";
  if (getRing() && failed(verifyPlace(*this, getStagedType())))
    return failure();
  return verifyRole(*this, 1);
}

LogicalResult OpenTurnsOp::verify() { return verifyRole(*this, 1); }
LogicalResult TakeTurnOp::verify() { return verifyRole(*this, 1); }
LogicalResult PassTurnOp::verify() { return verifyRole(*this, 1); }

/// Where fills or takes of a ring stand: "x" for each, "(..)" for each op with
/// regions around some, "|" between its regions.
template <typename OpTy>
static std::string walkOf(Region &region, Value ring) {
  std::string walk;
  for (Operation &op : region.getOps()) {
    auto access = dyn_cast<OpTy>(op);
    if (access && access.getRing() == ring)
      walk += 'x';
    std::string inner;
    for (Region &nested : op.getRegions())
      inner += walkOf<OpTy>(nested, ring) + '|';
    if (inner.find('x') != std::string::npos)
      walk += '(' + inner + ')';
  }
  return walk;
}

namespace {

/// How many slots of one ring may be held: bit n where n may be.
using Held = uint64_t;

class SlotCounter {
public:
  SlotCounter(Value ring)
      : ring(ring), slots(cast<RingType>(ring.getType()).getSlots()) {}

  FailureOr<Held> run(Region &region, Held held) {
    for (Operation &op : region.getOps()) {
      if (auto take = dyn_cast<RingTakeOp>(op);
          take && take.getRing() == ring) {
        held <<= 1;
        if (held >> (slots + 1))
          return take.emitOpError("may want another slot of ")
                 << slots << " while it holds " << slots;
      } else if (auto release = dyn_cast<RingReleaseOp>(op);
                 release && release.getRing() == ring) {
        Held kept = (Held(2) << release.getKeep()) - 1;
        held = (held & kept) | ((held & ~kept) >> 1);
      } else if (op.getNumRegions()) {
        FailureOr<Held> after = runNested(op, held);
        if (failed(after))
          return failure();
        held = *after;
      }
    }
    return held;
  }

private:
  FailureOr<Held> runNested(Operation &op, Held held) {
    auto branch = dyn_cast<RegionBranchOpInterface>(op);
    if (!branch)
      return held;
    // Regions of an op that loops follow each other in any number and order.
    bool loops = llvm::any_of(op.getRegions(), [&](Region &region) {
      return branch.isRepetitiveRegion(region.getRegionNumber());
    });
    Held before = held;
    bool always = !loops && op.getNumRegions() == 2 &&
                  !op.getRegion(0).empty() && !op.getRegion(1).empty();
    Held after = always ? 0 : held;
    while (true) {
      Held reached = after;
      for (Region &region : op.getRegions()) {
        FailureOr<Held> out = run(region, before);
        if (failed(out))
          return failure();
        reached |= *out;
      }
      if (!loops || reached == before)
        return reached;
      before = after = reached | before;
    }
  }

  Value ring;
  int64_t slots;
};

} // namespace

LogicalResult RolesOp::verifyRegions() {
  if (auto registers = getRegisters())
    if (registers->size() != 2)
      return emitOpError("says of two roles how many registers they have");
  llvm::SetVector<Value> rings;
  walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<RingType>(operand.getType()))
        rings.insert(operand);
  });
  bool hasProducer = getWarps() != 0;
  if (!hasProducer && !getProducer().front().empty())
    return emitOpError("has a producer of no warps");
  for (Value ring : rings) {
    if (hasProducer && walkOf<RingFillOp>(getProducer(), ring) !=
                           walkOf<RingTakeOp>(getConsumers(), ring))
      return emitOpError("has a producer and consumers that do not walk a ring "
                         "in the same way");
    FailureOr<Held> held = SlotCounter(ring).run(getConsumers(), 1);
    if (failed(held))
      return failure();
    if (*held != 1)
      return emitOpError("has consumers that may end without the release of ")
             << 63 - std::countl_zero(*held) << " slots";
  }
  return success();
}

} // namespace tesela::gpu
