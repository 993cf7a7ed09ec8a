//===- FeedRings.cpp - a ring that its consumers fill themselves ----------===//
//
//   roles producer warps 1 {              roles producer warps 0 {
//     for %i { fill %r at f(%i) }         } consumers {
//   } consumers {                           feed %r at f(0) when 0 < n
//     for %i .. {                           feed %r at f(1) when 1 < n
//       take %r                             for %i .. {
//       wgmma; wait pending 1        ==>      take %r
//       release %r keep 1                     wgmma; wait pending 1
//     }                                       release %r keep 1
//   }                                         feed %r at f(%i + 2) when ..
//                                           }
//                                         }
//
// for a ring of three slots. A warp more than a warpgroup takes as many
// registers as a whole one, so that without it twice as many blocks of four
// warps fit on a processor, whose copies and products fill each other's waits.
//
// Legal because one warpgroup runs its products together: when the thread that
// feeds has waited for those that read a slot, nobody reads it any more, and no
// mbarrier need say so. The feed of an iteration comes after the release of its
// predecessor's slot, which is the one that is `slots - 1` ahead.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/FeedRings.h"

#include "target/nvidia/LoopAhead.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tesela::nvidia {

namespace {

class Feeder {
public:
  explicit Feeder(gpu::RolesOp roles) : roles(roles) {}

  bool match();
  void rewrite();

private:
  bool matchProducer();
  bool matchConsumers();
  void feed(OpBuilder &builder, Value position, Value when);

  gpu::RolesOp roles;
  scf::ForOp producerLoop, loop;
  gpu::RingFillOp fill;
  gpu::RingReleaseOp release;
  int64_t slots = 0;
  IRMapping outside;
};

/// Pure ops and one loop of pure ops and one fill.
bool Feeder::matchProducer() {
  for (Operation &op : roles.getProducer().front()) {
    if (auto found = dyn_cast<scf::ForOp>(op); found && !producerLoop)
      producerLoop = found;
    else if (op.getNumRegions() != 0 || !isPure(&op))
      return false;
  }
  if (!producerLoop || producerLoop.getNumResults() != 0)
    return false;
  for (Operation &op : producerLoop.getBody()->without_terminator()) {
    if (auto found = dyn_cast<gpu::RingFillOp>(op); found && !fill)
      fill = found;
    else if (op.getNumRegions() != 0 || !isPure(&op))
      return false;
  }
  return bool(fill);
}

/// The same loop, which releases the slot before while its own product is under
/// way.
bool Feeder::matchConsumers() {
  unsigned takes = 0;
  roles.getConsumers().walk([&](Operation *op) {
    if (isa<gpu::RingTakeOp>(op)) {
      ++takes;
      loop = dyn_cast<scf::ForOp>(op->getParentOp());
    } else if (auto found = dyn_cast<gpu::RingReleaseOp>(op);
               found && found.getKeep() == 1) {
      release = found;
    }
  });
  slots = fill.getRing().getType().getSlots();
  return takes == 1 && loop && release && slots >= 2 &&
         loop->getBlock() == &roles.getConsumers().front() &&
         release->getBlock() == loop.getBody() &&
         LoopAhead::isPossible(loop, slots);
}

bool Feeder::match() {
  return roles.getWarps() == 1 && !roles.getRegisters() && matchProducer() &&
         matchConsumers();
}

void Feeder::feed(OpBuilder &builder, Value position, Value when) {
  IRMapping mapping = outside;
  mapping.map(producerLoop.getInductionVar(), position);
  SmallVector<Value> coordinates;
  for (Operation &op : producerLoop.getBody()->without_terminator())
    if (&op != fill)
      builder.clone(op, mapping);
  for (Value coordinate : fill.getCoordinates())
    coordinates.push_back(mapping.lookupOrDefault(coordinate));
  gpu::RingFeedOp::create(builder, fill.getLoc(), fill.getRing(),
                          fill.getMaps(), coordinates, when, fill.getRanks());
}

void Feeder::rewrite() {
  OpBuilder builder(loop);
  for (Operation &op : roles.getProducer().front())
    if (&op != producerLoop)
      builder.clone(op, outside);

  LoopAhead ahead(loop);
  for (int64_t steps = 0; steps != slots - 1; ++steps) {
    auto [position, when] = ahead.before(builder, steps);
    feed(builder, position, when);
  }
  builder.setInsertionPointAfter(release);
  auto [position, when] = ahead.within(builder, slots - 1);
  feed(builder, position, when);

  Block &producer = roles.getProducer().front();
  while (!producer.empty())
    producer.back().erase();
  roles.setWarps(0);
}

} // namespace

bool feedRing(gpu::RolesOp roles, unsigned numWarps) {
  Feeder feeder(roles);
  if (numWarps != 4 || !feeder.match())
    return false;
  feeder.rewrite();
  return true;
}

} // namespace tesela::nvidia
