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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
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
  int64_t slots = 0, step = 0;
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
  if (takes != 1 || !loop || !release || loop.getUnsignedCmp() ||
      loop->getBlock() != &roles.getConsumers().front() ||
      release->getBlock() != loop.getBody())
    return false;
  std::optional<int64_t> constant = getConstantIntValue(loop.getStep());
  slots = fill.getRing().getType().getSlots();
  if (!constant || *constant < 1 || *constant > INT32_MAX / slots || slots < 2)
    return false;
  step = *constant;
  return true;
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
  Location loc = fill.getLoc();
  Type type = loop.getInductionVar().getType();
  OpBuilder builder(loop);
  for (Operation &op : roles.getProducer().front())
    if (&op != producerLoop)
      builder.clone(op, outside);

  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  };
  // How far it is from a position to the loop's end, as unsigned.
  auto isWithin = [&](Value position, int64_t steps) -> Value {
    Value left = builder.createOrFold<arith::SubIOp>(loc, loop.getUpperBound(),
                                                     position);
    return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ugt,
                                               left, constant(steps * step));
  };
  Value lower = loop.getLowerBound();
  Value runs = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                     lower, loop.getUpperBound());
  for (int64_t ahead = 0; ahead != slots - 1; ++ahead) {
    Value when = ahead == 0 ? runs
                            : builder.createOrFold<arith::AndIOp>(
                                  loc, runs, isWithin(lower, ahead));
    feed(
        builder,
        builder.createOrFold<arith::AddIOp>(loc, lower, constant(ahead * step)),
        when);
  }
  builder.setInsertionPointAfter(release);
  Value position = loop.getInductionVar();
  Value when = isWithin(position, slots - 1);
  feed(builder,
       builder.createOrFold<arith::AddIOp>(loc, position,
                                           constant((slots - 1) * step)),
       when);

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
