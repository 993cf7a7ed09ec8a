//===- LowerRings.cpp - rings and roles as mbarriers and bulk copies ------===//
//
// A ring is shared memory: its slots, then a full and an empty mbarrier for
// each. Where a thread stands in it are numbers in the thread's own memory,
// which LLVM turns into registers:
//
//   next    the slot to fill or take
//   phase   of the mbarriers there: 0 in the first round, 1 in the second, ..
//   oldest  the slot to release
//   held    slots that are taken and not released
//   fed     the slot that the consumers fill next, where they do it themselves
//   base    where the ring lies
//
// Where a slot is always released in the block that takes it, the take says
// which one that is, and nothing is counted.
//
// Each ring has a speaker of its own among the threads of a warpgroup: arrivals
// of one thread that follow each other would become a branch around both.
//
// The parity form of a wait passes when the phase of that parity is complete:
// a slot is full once a fill of this round is; empty once a release of the
// round before is, which in the first round counts as complete.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/DeviceCode.h"
#include "target/nvidia/SharedTransfer.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tesela::nvidia {

static int64_t partBytes(Type part) {
  return llvm::alignTo(cast<gpu::StagedType>(part).getBytes(), stagedAlignment);
}

int64_t partOffset(gpu::RingType ring, size_t part) {
  int64_t bytes = 0;
  for (Type before : ring.getParts().take_front(part))
    bytes += partBytes(before);
  return bytes;
}

namespace {

constexpr int64_t barrierBytes = 8;

int64_t slotBytes(gpu::RingType ring) {
  return partOffset(ring, ring.getParts().size());
}

int64_t ringBytes(gpu::RingType ring) {
  return ring.getSlots() * (slotBytes(ring) + 2 * barrierBytes);
}

/// A ring as one thread sees it.
class RingCode : public DeviceCode {
public:
  enum Field : int32_t { Next, Phase, Oldest, Held, Fed, Base, NumFields };

  RingCode(OpBuilder &builder, Location loc, const ThreadLowering &threads,
           gpu::RingType type, Value position)
      : DeviceCode(builder, loc), threads(threads), type(type),
        position(position) {}

  Value get(Field field) {
    return LLVM::LoadOp::create(builder, loc, builder.getI32Type(),
                                at(position, field * 4), 4);
  }
  void set(Field field, Value value) {
    LLVM::StoreOp::create(builder, loc, value, at(position, field * 4), 4);
  }

  const RingUse &use(gpu::RingTakeOp op) const { return useOf(op.getRing()); }
  const RingUse &use(gpu::RingReleaseOp op) const {
    return useOf(op.getRing());
  }

  Value slot(Value number) { return at(base(), mul(number, slotBytes(type))); }
  /// Of a slot, where they begin.
  SmallVector<Value> parts(Value number) {
    SmallVector<Value> result;
    Value begin = slot(number);
    int64_t offset = 0;
    for (Type part : type.getParts()) {
      result.push_back(at(begin, offset));
      offset += partBytes(part);
    }
    return result;
  }
  Value full(Value number) { return barrier(number, 0); }
  Value empty(Value number) { return barrier(number, type.getSlots()); }

  /// The slot after this one, and whether that begins a round.
  std::pair<Value, Value> following(Value number) {
    Value after = add(number, i32(1));
    Value wraps = isEqual(after, type.getSlots());
    return {select(wraps, i32(0), after), wraps};
  }
  void advance(Value number, Value phase) {
    auto [after, wraps] = following(number);
    Value other = fold<arith::XOrIOp>(phase, i32(1));
    set(Next, after);
    set(Phase, select(wraps, other, phase));
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }

  /// One thread fills; each warpgroup releases. Where the consumers feed the
  /// ring, nobody waits for empty slots.
  void initBarriers() {
    auto init = [&](Value barrier, int64_t arrivals) {
      intrinsic("llvm.nvvm.mbarrier.init.shared", {}, {barrier, i32(arrivals)});
    };
    for (int64_t number = 0; number != type.getSlots(); ++number)
      init(full(i32(number)), 1);
    for (int64_t number = 0; threads.hasProducer && number != type.getSlots();
         ++number)
      init(empty(i32(number)), threads.numWarps / 4);
  }

  /// Returns when the phase of that parity is complete.
  void wait(Value barrier, Value parity) {
    scf::WhileOp::create(
        builder, loc, TypeRange(), ValueRange(),
        [&](OpBuilder &inner, Location at, ValueRange) {
          DeviceCode code(inner, at);
          Value complete = code.intrinsic(
              "llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta",
              inner.getI1Type(), {barrier, parity});
          Value again =
              arith::XOrIOp::create(inner, at, complete, code.flag(true));
          scf::ConditionOp::create(inner, at, again, ValueRange());
        },
        [&](OpBuilder &inner, Location at, ValueRange) {
          scf::YieldOp::create(inner, at);
        });
  }

private:
  const RingUse &useOf(Value ring) const {
    return threads.ringUses.find(ring.getDefiningOp())->second;
  }
  Value base() { return ringAddress(builder, loc, threads, position); }
  Value barrier(Value number, int64_t skipped) {
    int64_t offset = type.getSlots() * slotBytes(type) + skipped * barrierBytes;
    return at(base(), add(mul(number, barrierBytes), i32(offset)));
  }

  const ThreadLowering &threads;
  gpu::RingType type;
  Value position;
};

struct LowerAllocRing : ThreadPattern<gpu::AllocRingOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult
  matchAndRewrite(gpu::AllocRingOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    gpu::RingType type = op.getType();
    Location loc = op.getLoc();
    bool hasBarriers = threads.ringUses.at(op).hasBarriers;
    int64_t base = threads.shared.keep(
        hasBarriers ? ringBytes(type) : type.getSlots() * slotBytes(type),
        stagedAlignment);
    if (threads.lendsRings)
      threads.shared.offer(base, type.getSlots() * slotBytes(type));
    Value position = allocate(rewriter, loc);
    RingCode code(rewriter, loc, threads, type, position);
    for (RingCode::Field field :
         {RingCode::Next, RingCode::Phase, RingCode::Oldest, RingCode::Held,
          RingCode::Fed})
      code.set(field, code.i32(0));
    code.set(RingCode::Base, code.i32(base));
    rewriter.replaceOp(op, position);
    return success();
  }

private:
  /// Where the kernel begins, and as one array: LLVM takes only such memory
  /// apart at once.
  Value allocate(OpBuilder &builder, Location loc) const {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(threads.warp());
    auto fields =
        LLVM::LLVMArrayType::get(builder.getI32Type(), RingCode::NumFields);
    return LLVM::AllocaOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), fields,
        DeviceCode(builder, loc).i32(1), 4);
  }
};

struct LowerRingSlot : ThreadPattern<gpu::RingSlotOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult
  matchAndRewrite(gpu::RingSlotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    gpu::RingType type = op.getRing().getType();
    RingCode code(rewriter, op.getLoc(), threads, type, adaptor.getRing());
    rewriter.replaceOp(op, code.parts(adaptor.getNumber()));
    return success();
  }
};

struct LowerRoles : ThreadPattern<gpu::RolesOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult
  matchAndRewrite(gpu::RolesOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    DeviceCode code(rewriter, loc);
    if (!threads.hasProducer) {
      auto one = scf::IfOp::create(rewriter, loc,
                                   code.isEqual(threads.thread(), 0), false);
      {
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPointToStart(one.thenBlock());
        prepare(op, rewriter);
      }
      NVVM::BarrierOp::create(rewriter, loc);
      rewriter.inlineBlockBefore(&op.getConsumers().front(), op);
      rewriter.eraseOp(op);
      return success();
    }
    Value warp = code.uniform(threads.warp());
    Value isProducer = code.compare(arith::CmpIPredicate::uge, warp,
                                    code.i32(threads.numWarps));
    auto roles = scf::IfOp::create(rewriter, loc, isProducer, true);
    OpBuilder::InsertionGuard guard(rewriter);
    fill(op, roles, warp, rewriter);
    Block *consumers = roles.elseBlock();
    rewriter.setInsertionPointToStart(consumers);
    setRegisters(op, 1, rewriter);
    NVVM::BarrierOp::create(rewriter, loc, TypeRange(), code.i32(0),
                            code.i32(startThreads()),
                            NVVM::BarrierReductionAttr(), Value());
    rewriter.inlineBlockBefore(&op.getConsumers().front(),
                               consumers->getTerminator());
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Of the barrier that the consumers start at: with the producer's first
  /// warp.
  int64_t startThreads() const { return (int64_t(threads.numWarps) + 1) * 32; }

  /// What one thread does before rings are filled: the mbarriers are there for
  /// all threads, and for the copies.
  void prepare(gpu::RolesOp op, ConversionPatternRewriter &rewriter) const {
    DeviceCode code(rewriter, op.getLoc());
    llvm::SetVector<Value> maps, rings;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (isa<gpu::TensorMapType>(operand.getType()))
          maps.insert(operand);
        else if (isa<gpu::RingType>(operand.getType()))
          rings.insert(operand);
    });
    // LLVM writes the intrinsic for a parameter twice.
    for (Value map : maps)
      code.ptx("prefetch.tensormap [$0];", "l,~{memory}", {},
               rewriter.getRemappedValue(map));
    for (Value ring : rings)
      RingCode(rewriter, op.getLoc(), threads,
               cast<gpu::RingType>(ring.getType()),
               rewriter.getRemappedValue(ring))
          .initBarriers();
    NVVM::FenceMbarrierInitOp::create(rewriter, op.getLoc());
  }

  /// The thread that fills sets up what it needs, says so, and goes on: it
  /// waits for nobody.
  void fill(gpu::RolesOp op, scf::IfOp roles, Value warp,
            ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    rewriter.setInsertionPointToStart(roles.thenBlock());
    setRegisters(op, 0, rewriter);
    DeviceCode code(rewriter, loc);
    if (op.getWarps() > 1) {
      auto first = scf::IfOp::create(
          rewriter, loc, code.isEqual(warp, threads.numWarps), false);
      rewriter.setInsertionPointToStart(first.thenBlock());
    }
    Value elected =
        NVVM::ElectSyncOp::create(rewriter, loc, rewriter.getI1Type(), Value());
    auto one = scf::IfOp::create(rewriter, loc, elected, false);
    rewriter.setInsertionPointToStart(one.thenBlock());
    prepare(op, rewriter);
    // One thread arrives for its warp.
    code.ptx("barrier.cta.arrive 0, " + std::to_string(startThreads()) + ";",
             "~{memory}", {}, {});
    rewriter.inlineBlockBefore(&op.getProducer().front(),
                               one.thenBlock()->getTerminator());
  }

  /// Threads of the roles start with equally many registers.
  void setRegisters(gpu::RolesOp op, unsigned role, OpBuilder &builder) const {
    if (!op.getRegisters())
      return;
    NVVM::SetMaxRegisterOp::create(
        builder, op.getLoc(), (*op.getRegisters())[role],
        role == 0 ? NVVM::SetMaxRegisterAction::decrease
                  : NVVM::SetMaxRegisterAction::increase);
  }
};

/// A copy for each panel, whose box is as wide as the swizzle.
void startCopy(RingCode &code, gpu::StagedType part, Value map,
               ValueRange coordinates, Value address, Value full) {
  int64_t elementBits = part.getElementType().getIntOrFloatBitWidth();
  int64_t width = part.getSwizzle() * 8 / elementBits;
  int64_t rows = part.getShape()[1 - part.getAxis()];
  int64_t panels = part.getShape()[part.getAxis()] / width;
  std::string name = ("llvm.nvvm.cp.async.bulk.tensor.g2s.cta.tile." +
                      Twine(coordinates.size()) + "d")
                         .str();
  for (int64_t panel = 0; panel != panels; ++panel) {
    SmallVector<Value> operands = {
        code.at(address, panel * rows * part.getSwizzle()), full, map};
    llvm::append_range(operands, coordinates);
    operands[3] = code.add(operands[3], code.i32(panel * width));
    operands.append({code.i64(0), code.flag(false)});
    code.intrinsic(name, {}, operands);
  }
}

/// Announces the bytes of a slot and starts the copies of its parts.
void startCopies(RingCode &code, gpu::RingType type, Value number,
                 ValueRange maps, ValueRange coordinates,
                 ArrayRef<int32_t> ranks) {
  int64_t bytes = 0;
  for (Type part : type.getParts())
    bytes += cast<gpu::StagedType>(part).getBytes();
  Value full = code.full(number), slot = code.slot(number);
  code.intrinsic("llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta",
                 code.builder.getI64Type(), {full, code.i32(bytes)});
  int64_t offset = 0;
  for (auto [part, map, rank] : llvm::zip_equal(type.getParts(), maps, ranks)) {
    startCopy(code, cast<gpu::StagedType>(part), map,
              coordinates.take_front(rank), code.at(slot, offset), full);
    coordinates = coordinates.drop_front(rank);
    offset += partBytes(part);
  }
}

struct LowerRingFill : ThreadPattern<gpu::RingFillOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult
  matchAndRewrite(gpu::RingFillOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    gpu::RingType type = op.getRing().getType();
    RingCode code(rewriter, op.getLoc(), threads, type, adaptor.getRing());
    Value number = code.get(RingCode::Next), phase = code.get(RingCode::Phase);
    code.wait(code.empty(number), code.fold<arith::XOrIOp>(phase, code.i32(1)));

    startCopies(code, type, number, adaptor.getMaps(), adaptor.getCoordinates(),
                op.getRanks());
    code.advance(number, phase);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerRingFeed : ThreadPattern<gpu::RingFeedOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult
  matchAndRewrite(gpu::RingFeedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    gpu::RingType type = op.getRing().getType();
    RingCode code(rewriter, op.getLoc(), threads, type, adaptor.getRing());
    Value number = code.get(RingCode::Fed);
    code.set(RingCode::Fed, code.following(number).first);
    Value feeds = code.fold<arith::AndIOp>(adaptor.getWhen(),
                                           code.isEqual(threads.thread(), 0));
    auto branch = scf::IfOp::create(rewriter, op.getLoc(), feeds, false);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    startCopies(code, type, number, adaptor.getMaps(), adaptor.getCoordinates(),
                op.getRanks());
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerRingTake : ThreadPattern<gpu::RingTakeOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult
  matchAndRewrite(gpu::RingTakeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    gpu::RingType type = op.getRing().getType();
    RingCode code(rewriter, op.getLoc(), threads, type, adaptor.getRing());
    Value number = code.get(RingCode::Next), phase = code.get(RingCode::Phase);
    code.wait(code.full(number), phase);
    SmallVector<Value> parts = code.parts(number);
    code.advance(number, phase);
    if (code.use(op).isPaired)
      code.set(RingCode::Oldest, number);
    else
      code.set(RingCode::Held, code.add(code.get(RingCode::Held), code.i32(1)));
    rewriter.replaceOp(op, parts);
    return success();
  }
};

struct LowerRingRelease : ThreadPattern<gpu::RingReleaseOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult
  matchAndRewrite(gpu::RingReleaseOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // Who feeds the ring knows from its own products.
    if (!threads.hasProducer) {
      rewriter.eraseOp(op);
      return success();
    }
    Location loc = op.getLoc();
    RingCode code(rewriter, loc, threads, op.getRing().getType(),
                  adaptor.getRing());
    const RingUse &use = code.use(op);
    Value oldest = code.get(RingCode::Oldest);
    Value barrier = code.empty(oldest);
    // One thread speaks for its warpgroup, whose products are finished in all
    // its threads at once.
    Value inGroup = code.fold<arith::AndIOp>(threads.thread(), code.i32(127));
    Value speaks = code.isEqual(inGroup, use.speaker);
    if (!use.isPaired) {
      Value held = code.get(RingCode::Held);
      Value any =
          code.compare(arith::CmpIPredicate::sgt, held, code.i32(op.getKeep()));
      speaks = code.fold<arith::AndIOp>(speaks, any);
      code.set(RingCode::Oldest,
               code.select(any, code.following(oldest).first, oldest));
      code.set(RingCode::Held,
               code.select(any, code.add(held, code.i32(-1)), held));
    }
    code.ptx("@$1 mbarrier.arrive.shared::cta.b64 _, [$0];", "r,b,~{memory}",
             {}, {barrier, speaks});
    rewriter.eraseOp(op);
    return success();
  }
};

/// Barriers 0 and 1 are everybody's and the consumers'; each warpgroup has one
/// that itself and the one before it meet at.
constexpr int64_t firstTurnBarrier = 2;

struct LowerTakeTurn : ThreadPattern<gpu::TakeTurnOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult
  matchAndRewrite(gpu::TakeTurnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    DeviceCode code(rewriter, op.getLoc());
    Value own = code.add(threads.warpgroup(rewriter, op.getLoc()),
                         code.i32(firstTurnBarrier));
    code.ptx("bar.sync $0, 256;", "r,~{memory}", {}, own);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerPassTurn : ThreadPattern<gpu::PassTurnOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult
  matchAndRewrite(gpu::PassTurnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    DeviceCode code(rewriter, op.getLoc());
    Value number = threads.warpgroup(rewriter, op.getLoc());
    Value isLast = code.isEqual(number, threads.numWarps / 4 - 1);
    Value next = arith::SelectOp::create(
        rewriter, op.getLoc(), isLast, code.i32(firstTurnBarrier),
        code.add(number, code.i32(firstTurnBarrier + 1)));
    code.ptx("bar.arrive $0, 256;", "r,~{memory}", {}, next);
    rewriter.eraseOp(op);
    return success();
  }
};

/// As if the last warpgroup had passed its turn on.
struct LowerOpenTurns : ThreadPattern<gpu::OpenTurnsOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult
  matchAndRewrite(gpu::OpenTurnsOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    DeviceCode code(rewriter, op.getLoc());
    Value isLast = code.isEqual(threads.warpgroup(rewriter, op.getLoc()),
                                threads.numWarps / 4 - 1);
    auto branch = scf::IfOp::create(rewriter, op.getLoc(), isLast, false);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    code.ptx("bar.arrive $0, 256;", "r,~{memory}", {},
             code.i32(firstTurnBarrier));
    rewriter.eraseOp(op);
    return success();
  }
};

/// Whether takes and releases of a ring follow each other one by one in each
/// block, with no others between them.
bool isPaired(gpu::AllocRingOp ring) {
  llvm::MapVector<Block *, SmallVector<Operation *>> blocks;
  for (Operation *user : ring->getUsers())
    if (isa<gpu::RingTakeOp, gpu::RingReleaseOp>(user))
      blocks[user->getBlock()].push_back(user);
  for (auto &[block, ops] : blocks) {
    llvm::sort(
        ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    if (ops.size() % 2 != 0)
      return false;
    for (size_t i = 0; i != ops.size(); i += 2) {
      auto release = dyn_cast<gpu::RingReleaseOp>(ops[i + 1]);
      if (!isa<gpu::RingTakeOp>(ops[i]) || !release || release.getKeep() != 0)
        return false;
      for (auto &[other, theirs] : blocks) {
        Operation *at = other == block
                            ? nullptr
                            : block->findAncestorOpInBlock(*theirs.front());
        if (at && ops[i]->isBeforeInBlock(at) && at->isBeforeInBlock(release))
          return false;
      }
    }
  }
  return true;
}

} // namespace

llvm::DenseMap<Operation *, RingUse> findRingUses(func::FuncOp kernel) {
  llvm::DenseMap<Operation *, RingUse> uses;
  unsigned number = 0;
  kernel.walk([&](gpu::AllocRingOp ring) {
    bool isNumbered = llvm::any_of(ring->getUsers(), [](Operation *user) {
      return isa<gpu::RingSlotOp>(user);
    });
    uses[ring] = {isPaired(ring), number++ % 4 * 32, !isNumbered};
  });
  return uses;
}

Value ringAddress(OpBuilder &b, Location loc, const ThreadLowering &threads,
                  Value ring) {
  DeviceCode code(b, loc);
  Value base = LLVM::LoadOp::create(b, loc, b.getI32Type(),
                                    code.at(ring, RingCode::Base * 4), 4);
  return code.at(threads.keptAddress(b, loc, 0), base);
}

void addRingPatterns(RewritePatternSet &patterns, ThreadTypes &types,
                     ThreadLowering &threads) {
  types.addConversion([](gpu::RingType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  patterns.add<LowerAllocRing, LowerRingSlot, LowerRoles, LowerRingFill,
               LowerRingFeed, LowerRingTake, LowerRingRelease, LowerOpenTurns,
               LowerTakeTurn, LowerPassTurn>(types, patterns.getContext(),
                                             threads);
}

} // namespace tesela::nvidia
