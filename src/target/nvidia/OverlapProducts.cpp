//===- OverlapProducts.cpp - one product under way while the next begins --===//
//
//   for j {                              first product of j0; rest of j0
//     first product of j; wait           for j from j1 {
//     rest of j                            take the turn
//     second product of j; wait   ==>      start the first product of j
//   }                                      start the second product of j - 1
//                                          pass the turn
//                                          wait for the first
//                                          reductions of j
//                                          wait for the second
//                                          other rest of j
//                                        }
//                                        second product of the last; wait
//
// So the tensor cores work on one product while the rest of the loop, such as a
// softmax, works on the other. What needs the second product's result comes
// after its wait, and so does what makes its first factor: registers of a
// factor may not change while a product is under way. Sums are the same in the
// same order.
//
// The wait stands behind the last reduction that the factor needs, although
// more could go on meanwhile: ptxas moves it there anyway, and the slot is
// released with it. What is done for each row alone comes before, so that the
// rescaling of the sums mixes with what is done for each element.
//
// Four warpgroups take turns, so that one works on its rest while the tensor
// cores have the products of another; two of them keep each other's distance
// without, and were 1 to 4 % faster so.
//
// The producer's loop is turned in the same way, with the second product's
// slots one iteration late, so that both walk their rings alike.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/OverlapProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tesela::nvidia {

namespace {

/// Registers of a thread that both accumulators and the factor may take: what
/// is left of all by addresses and by what is known of each row.
int64_t mostRegisters(unsigned numWarps) { return numWarps > 8 ? 80 : 168; }

/// A product of the loop with what stands around it.
struct Product {
  gpu::RingTakeOp take;
  gpu::WgmmaOp start;
  gpu::WgmmaWaitOp wait;
  gpu::RingReleaseOp release;
};

class LoopOfTwo {
public:
  /// Whether the loop is of the form that is turned.
  bool match(scf::ForOp consumers, unsigned numWarps);
  bool matchProducer(gpu::RingFillOp firstFill, gpu::RingFillOp secondFill);
  void turn();

  Product first, second;
  /// Whether warpgroups take turns with their products.
  bool takesTurns = false;

private:
  bool matchProduct(gpu::WgmmaOp start, Product &product);
  void findLate();
  bool isRest(Operation *op) const { return !products.contains(op); }
  void turnConsumers();
  void turnProducer();

  Value start(OpBuilder &b, Product &product, IRMapping &mapping,
              bool takesTurn = false);
  void emitRest(OpBuilder &b, Value secondProduct, IRMapping &mapping,
                IRMapping &before);
  void addOperands(llvm::DenseSet<Operation *> &set, Operation *op);
  llvm::DenseSet<Operation *> neededBy(Value value);
  llvm::DenseSet<Operation *> neededByReductions();
  bool isOfRows(Operation *op);
  Value waitForSecond(OpBuilder &b, Value product, IRMapping &mapping,
                      ArrayRef<Operation *> rest);
  static void cloneFrom(Block *body, OpBuilder &b, Value value,
                        IRMapping &mapping);
  /// The second iteration's induction variable, or the end.
  static Value secondOf(OpBuilder &b, scf::ForOp loop);
  static Value runsAtAll(OpBuilder &b, scf::ForOp loop);

  scf::ForOp loop, producer;
  gpu::RingFillOp firstFill, secondFill;
  /// The iteration argument that the second product adds to.
  unsigned carried = 0;
  /// Takes, products, waits, releases, and transpositions of slots.
  llvm::SetVector<Operation *> products;
  /// Of the rest, what has to follow the wait for the second product.
  llvm::DenseSet<Operation *> late;
};

bool LoopOfTwo::matchProduct(gpu::WgmmaOp op, Product &product) {
  product.start = op;
  Value b = op.getB();
  while (auto transpose = b.getDefiningOp<gpu::TransposeOp>()) {
    if (!transpose->hasOneUse() || transpose->getBlock() != loop.getBody())
      return false;
    products.insert(transpose);
    b = transpose.getStaged();
  }
  product.take = b.getDefiningOp<gpu::RingTakeOp>();
  if (!product.take || product.take->getBlock() != loop.getBody() ||
      product.take->getNumResults() != 1 || !b.hasOneUse() ||
      !op.getResult().hasOneUse())
    return false;
  product.wait = dyn_cast<gpu::WgmmaWaitOp>(*op.getResult().getUsers().begin());
  if (!product.wait || product.wait->getBlock() != loop.getBody() ||
      product.wait.getPending() != 0 || product.wait->getNumResults() != 1)
    return false;
  for (Operation *user : product.take.getRing().getUsers())
    if (auto release = dyn_cast<gpu::RingReleaseOp>(user))
      if (release->getBlock() == loop.getBody() && release.getKeep() == 0)
        product.release = release;
  if (!product.release)
    return false;
  products.insert_range(
      ArrayRef<Operation *>{product.take, op, product.wait, product.release});
  return true;
}

bool LoopOfTwo::match(scf::ForOp consumers, unsigned numWarps) {
  loop = consumers;
  SmallVector<gpu::WgmmaOp> starts;
  unsigned others = 0;
  loop.getBody()->walk([&](Operation *op) {
    if (auto start = dyn_cast<gpu::WgmmaOp>(op))
      starts.push_back(start);
    others += isa<gpu::RingTakeOp, gpu::RingReleaseOp, gpu::StageOp>(op);
  });
  if (starts.size() != 2 || others != 4 ||
      starts[0]->getBlock() != loop.getBody() ||
      starts[1]->getBlock() != loop.getBody() ||
      !matchProduct(starts[0], first) || !matchProduct(starts[1], second) ||
      first.take.getRing() == second.take.getRing())
    return false;
  // The first needs nothing of the loop but its slot.
  if (!loop.isDefinedOutsideOfLoop(first.start.getA()) ||
      !loop.isDefinedOutsideOfLoop(first.start.getAcc()))
    return false;
  // The second has a factor in registers, and its result is carried.
  auto a = dyn_cast<RankedTensorType>(second.start.getA().getType());
  Value result = second.wait.getResult(0);
  if (!a || loop.isDefinedOutsideOfLoop(second.start.getA()) ||
      !result.hasOneUse() ||
      *result.getUsers().begin() != loop.getBody()->getTerminator())
    return false;
  carried = result.getUses().begin()->getOperandNumber();
  auto words = [&](Type type) {
    auto tile = cast<RankedTensorType>(type);
    return tile.getNumElements() * tile.getElementTypeBitWidth() / 32 /
           (32 * numWarps);
  };
  if (words(first.start.getType()) + words(second.start.getType()) + words(a) >
      mostRegisters(numWarps))
    return false;
  findLate();
  takesTurns = numWarps > 8;
  return true;
}

void LoopOfTwo::findLate() {
  if (Operation *made = second.start.getA().getDefiningOp())
    late.insert(made);
  Value sum = loop.getRegionIterArgs()[carried];
  for (Operation &op : *loop.getBody()) {
    bool needs = late.contains(&op);
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        needs =
            needs || operand == sum ||
            (operand.getDefiningOp() && late.contains(operand.getDefiningOp()));
    });
    if (needs && isRest(&op))
      late.insert(&op);
  }
}

bool LoopOfTwo::matchProducer(gpu::RingFillOp a, gpu::RingFillOp b) {
  firstFill = a;
  secondFill = b;
  producer = dyn_cast<scf::ForOp>(a->getParentOp());
  if (!producer || b->getBlock() != a->getBlock() ||
      producer->getNumResults() != 0)
    return false;
  unsigned fills = 0;
  producer.getBody()->walk([&](gpu::RingFillOp) { ++fills; });
  // What the coordinates are made of can be made anew.
  for (Operation &op : producer.getBody()->without_terminator())
    if (&op != firstFill && &op != secondFill &&
        (op.getNumRegions() != 0 || !isPure(&op)))
      return false;
  return fills == 2;
}

/// Adds what an op of the body uses of the body.
void LoopOfTwo::addOperands(llvm::DenseSet<Operation *> &set, Operation *op) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *made = operand.getDefiningOp())
        if ((made = loop.getBody()->findAncestorOpInBlock(*made)))
          set.insert(made);
  });
}

/// The ops of the body that make a value.
llvm::DenseSet<Operation *> LoopOfTwo::neededBy(Value value) {
  llvm::DenseSet<Operation *> needed;
  if (Operation *made = value.getDefiningOp())
    needed.insert(made);
  for (Operation &op : llvm::reverse(*loop.getBody()))
    if (needed.contains(&op))
      addOperands(needed, &op);
  return needed;
}

/// The reductions that the next factor needs and what they need; all ops where
/// there is no reduction.
llvm::DenseSet<Operation *> LoopOfTwo::neededByReductions() {
  llvm::DenseSet<Operation *> forFactor = neededBy(second.start.getA()), needed;
  for (Operation &op : loop.getBody()->without_terminator())
    if (isa<tile::ReduceOp>(op) && forFactor.contains(&op))
      needed.insert(&op);
  if (needed.empty())
    for (Operation &op : loop.getBody()->without_terminator())
      needed.insert(&op);
  for (Operation &op : llvm::reverse(*loop.getBody()))
    if (needed.contains(&op))
      addOperands(needed, &op);
  return needed;
}

/// Whether an op works on scalars and on tiles of fewer axes than a product's.
bool LoopOfTwo::isOfRows(Operation *op) {
  auto isSmall = [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return !tile || tile.getRank() < 2;
  };
  return op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperandTypes(), isSmall) &&
         llvm::all_of(op->getResultTypes(), isSmall);
}

/// Passes on what is known of the first product and used later, too, so that
/// nothing that makes the next factor moves before the wait.
Value LoopOfTwo::waitForSecond(OpBuilder &b, Value product, IRMapping &mapping,
                               ArrayRef<Operation *> rest) {
  llvm::SetVector<Value> crossing;
  Type element = tile::elementType(product.getType());
  for (Operation *op : rest)
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        auto type = dyn_cast<RankedTensorType>(operand.getType());
        Operation *made = operand.getDefiningOp();
        if (made && made->getBlock() == loop.getBody() &&
            mapping.contains(operand) && type && type.getRank() == 2 &&
            type.getElementType() == element)
          crossing.insert(operand);
      }
    });
  SmallVector<Value> values = {product};
  for (Value value : crossing)
    values.push_back(mapping.lookup(value));
  auto wait = gpu::WgmmaWaitOp::create(
      b, second.wait.getLoc(), ValueRange(values).getTypes(), values, 0);
  for (auto [value, passed] :
       llvm::zip_equal(crossing, wait.getResults().drop_front()))
    mapping.map(value, passed);
  return wait.getResult(0);
}

void LoopOfTwo::emitRest(OpBuilder &b, Value secondProduct, IRMapping &mapping,
                         IRMapping &before) {
  llvm::DenseSet<Operation *> needed = neededByReductions();
  SmallVector<Operation *> rest;
  for (Operation &op : loop.getBody()->without_terminator())
    if (isRest(&op) && needed.contains(&op) && !late.contains(&op))
      b.clone(op, mapping);
    else if (isRest(&op))
      rest.push_back(&op);
  llvm::erase_if(rest, [&](Operation *op) {
    bool isReady = isOfRows(op) && !late.contains(op) &&
                   llvm::all_of(op->getOperands(), [&](Value operand) {
                     return loop.isDefinedOutsideOfLoop(operand) ||
                            mapping.contains(operand);
                   });
    if (isReady)
      b.clone(*op, mapping);
    return isReady;
  });
  mapping.map(loop.getRegionIterArgs()[carried],
              waitForSecond(b, secondProduct, mapping, rest));
  b.clone(*second.release, before);
  for (Operation *op : rest)
    b.clone(*op, mapping);
}

/// What a value is made of in a loop's body, made anew.
void LoopOfTwo::cloneFrom(Block *body, OpBuilder &b, Value value,
                          IRMapping &mapping) {
  Operation *op = value.getDefiningOp();
  if (mapping.contains(value) || !op || op->getBlock() != body)
    return;
  for (Value operand : op->getOperands())
    cloneFrom(body, b, operand, mapping);
  b.clone(*op, mapping);
}

/// Takes the slot and starts the product.
Value LoopOfTwo::start(OpBuilder &b, Product &product, IRMapping &mapping,
                       bool takesTurn) {
  b.clone(*product.take, mapping);
  cloneFrom(loop.getBody(), b, product.start.getB(), mapping);
  if (takesTurn)
    gpu::TakeTurnOp::create(b, product.start.getLoc());
  return b.clone(*product.start, mapping)->getResult(0);
}

Value LoopOfTwo::runsAtAll(OpBuilder &b, scf::ForOp loop) {
  return arith::CmpIOp::create(b, loop.getLoc(),
                               loop.getUnsignedCmp()
                                   ? arith::CmpIPredicate::ult
                                   : arith::CmpIPredicate::slt,
                               loop.getLowerBound(), loop.getUpperBound());
}

Value LoopOfTwo::secondOf(OpBuilder &b, scf::ForOp loop) {
  Location loc = loop.getLoc();
  Value next =
      arith::AddIOp::create(b, loc, loop.getLowerBound(), loop.getStep());
  // Where the sum would pass the greatest number, there is no second one.
  Value left =
      arith::SubIOp::create(b, loc, loop.getUpperBound(), loop.getLowerBound());
  Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, left,
                                     loop.getStep());
  return arith::SelectOp::create(b, loc, more, next, loop.getUpperBound());
}

void LoopOfTwo::turnConsumers() {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Operation *yield = loop.getBody()->getTerminator();
  auto branch = scf::IfOp::create(b, loc, loop.getResultTypes(),
                                  runsAtAll(b, loop), true);
  b.setInsertionPointToEnd(&branch.getElseRegion().front());
  scf::YieldOp::create(b, loc, loop.getInitArgs());

  b.setInsertionPointToEnd(&branch.getThenRegion().front());
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), loop.getLowerBound());
  mapping.map(loop.getRegionIterArgs(), loop.getInitArgs());
  start(b, first, mapping);
  b.clone(*first.wait, mapping);
  b.clone(*first.release, mapping);
  for (Operation &op : loop.getBody()->without_terminator())
    if (isRest(&op))
      b.clone(op, mapping);

  // Carries what the loop does, with what the second product adds to in place
  // of its result, and its first factor.
  SmallVector<Value> inits;
  auto carry = [&](IRMapping &values) {
    SmallVector<Value> next;
    for (Value value : yield->getOperands())
      next.push_back(values.lookupOrDefault(value));
    next[carried] = values.lookupOrDefault(second.start.getAcc());
    next.push_back(values.lookupOrDefault(second.start.getA()));
    return next;
  };
  inits = carry(mapping);
  auto turned = scf::ForOp::create(b, loc, secondOf(b, loop),
                                   loop.getUpperBound(), loop.getStep(), inits);
  turned.setUnsignedCmp(loop.getUnsignedCmp());
  auto bindSecond = [&](IRMapping &values, ValueRange from) {
    values.map(second.start.getAcc(), from[carried]);
    values.map(second.start.getA(), from.back());
  };
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(turned.getBody());
    IRMapping inside, before;
    bindSecond(before, turned.getRegionIterArgs());
    inside.map(loop.getInductionVar(), turned.getInductionVar());
    for (unsigned i = 0; i != loop.getNumRegionIterArgs(); ++i)
      if (i != carried)
        inside.map(loop.getRegionIterArgs()[i], turned.getRegionIterArgs()[i]);
    Value scores = start(b, first, inside, takesTurns);
    start(b, second, before);
    if (takesTurns)
      gpu::PassTurnOp::create(b, loc);
    auto wait = gpu::WgmmaWaitOp::create(
        b, first.wait.getLoc(), TypeRange(scores.getType()), scores, 1);
    inside.map(first.wait.getResult(0), wait.getResult(0));
    b.clone(*first.release, inside);
    emitRest(b, before.lookup(second.start.getResult()), inside, before);
    scf::YieldOp::create(b, loc, carry(inside));
  }
  IRMapping last;
  bindSecond(last, turned.getResults());
  start(b, second, last);
  b.clone(*second.wait, last);
  b.clone(*second.release, last);
  SmallVector<Value> results(turned.getResults().drop_back());
  results[carried] = last.lookup(second.wait.getResult(0));
  scf::YieldOp::create(b, loc, results);
  loop.replaceAllUsesWith(branch.getResults());
  loop.erase();
}

void LoopOfTwo::turnProducer() {
  OpBuilder b(producer);
  Location loc = producer.getLoc();
  auto branch = scf::IfOp::create(b, loc, runsAtAll(b, producer), false);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  auto fill = [&](gpu::RingFillOp op, Value iteration) {
    IRMapping mapping;
    mapping.map(producer.getInductionVar(), iteration);
    for (Value coordinate : op.getCoordinates())
      cloneFrom(producer.getBody(), b, coordinate, mapping);
    b.clone(*op, mapping);
  };
  fill(firstFill, producer.getLowerBound());
  auto turned = scf::ForOp::create(b, loc, secondOf(b, producer),
                                   producer.getUpperBound(), producer.getStep(),
                                   ValueRange(producer.getLowerBound()));
  turned.setUnsignedCmp(producer.getUnsignedCmp());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(turned.getBody());
    fill(firstFill, turned.getInductionVar());
    fill(secondFill, turned.getRegionIterArgs()[0]);
    scf::YieldOp::create(b, loc, turned.getInductionVar());
  }
  fill(secondFill, turned.getResult(0));
  producer.erase();
}

void LoopOfTwo::turn() {
  turnConsumers();
  turnProducer();
}

} // namespace

void overlapProducts(gpu::RolesOp roles, unsigned numWarps) {
  // The nth take of a ring is that of what the nth fill of it brings.
  llvm::MapVector<Value, SmallVector<Operation *>> fills, takes;
  roles.getProducer().walk(
      [&](gpu::RingFillOp fill) { fills[fill.getRing()].push_back(fill); });
  roles.getConsumers().walk(
      [&](gpu::RingTakeOp take) { takes[take.getRing()].push_back(take); });
  auto fillOf = [&](gpu::RingTakeOp take) {
    auto &all = takes[take.getRing()];
    return cast<gpu::RingFillOp>(
        fills[take.getRing()][llvm::find(all, take) - all.begin()]);
  };
  // Of loops that share their rings the first is the longest as a rule; code of
  // the others stays small.
  SmallVector<LoopOfTwo> found;
  llvm::DenseSet<Value> turned;
  roles.getConsumers().walk([&](scf::ForOp loop) {
    LoopOfTwo two;
    if (two.match(loop, numWarps) &&
        two.matchProducer(fillOf(two.first.take), fillOf(two.second.take)) &&
        turned.insert(two.first.take.getRing()).second)
      found.push_back(std::move(two));
  });
  OpBuilder b(roles.getContext());
  b.setInsertionPointToStart(&roles.getConsumers().front());
  if (llvm::any_of(found, [](LoopOfTwo &two) { return two.takesTurns; }))
    gpu::OpenTurnsOp::create(b, roles.getLoc());
  for (LoopOfTwo &two : found)
    two.turn();
}

} // namespace tesela::nvidia
