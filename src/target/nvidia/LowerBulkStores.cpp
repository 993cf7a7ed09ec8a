//===- LowerBulkStores.cpp - registers, shared memory, bulk copies --------===//
//
//   tgpu.bulk_store %x to %map at [%j, %i] rows 16 swizzle 128
//     ==>
//   barrier                           who used that memory is done with it
//   stmatrix ..; fence                a panel of the warp's rows, for copies
//   one lane: copy box to (%j + column, %i + row), commit
//   .. the other panels
//   that lane: wait until the copies have read
//
// A warp that holds whole boxes, as it does of products, stores them alone,
// each as soon as it is in shared memory. Else all threads write the tile, and
// the warps share its boxes.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/DeviceCode.h"
#include "target/nvidia/SharedTransfer.h"

#include "layout/MemoryAccess.h"
#include "target/nvidia/Coordinates.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tesela::nvidia {

using layout::Dim;
using layout::LinearLayout;
using layout::Place;
using layout::PlaceMap;

namespace {

/// The boxes of a tile in shared memory, numbered in the order of their
/// addresses: down the rows, then to the next panel.
struct Boxes {
  explicit Boxes(gpu::BulkStoreOp op) {
    gpu::StagedType type = op.getStagedType();
    rows = int64_t(op.getRows());
    elementBytes = sharedBytes(type.getElementType());
    width = type.getSwizzle() / elementBytes;
    perPanel = type.getShape()[0] / rows;
    count = perPanel * (type.getShape()[1] / width);
  }

  uint64_t elements() const { return uint64_t(rows * width); }
  int64_t bytes() const { return rows * width * elementBytes; }

  int64_t rows, width, elementBytes, perPanel, count;
};

/// Which boxes warps hold: those of register bits and of warp bits, together.
struct WarpBoxes {
  /// Null where warps do not hold whole boxes.
  static std::optional<WarpBoxes> of(const LinearLayout &layout,
                                     const LinearLayout &memory,
                                     const Boxes &boxes);

  /// Whether what the warp's number gives is below a number.
  bool areBelow(int64_t number) const {
    return llvm::all_of(warpBits,
                        [&](uint64_t box) { return box < uint64_t(number); });
  }

  /// The number that bit `i` of the warp's number stands for.
  SmallVector<uint64_t> warpBits;
};

std::optional<WarpBoxes> WarpBoxes::of(const LinearLayout &layout,
                                       const LinearLayout &memory,
                                       const Boxes &boxes) {
  if (layout.freeBits() != Place())
    return std::nullopt;
  PlaceMap offsets = *layout::locate(layout, memory);
  uint64_t size = boxes.elements();
  WarpBoxes result;
  uint64_t ofWarps = 0, ofRegisters = 0;
  for (unsigned bit = 0; bit != layout.bits(Dim::Lane); ++bit)
    if (offsets.column(Dim::Lane, bit).offset >= size)
      return std::nullopt;
  for (unsigned bit = 0; bit != layout.bits(Dim::Warp); ++bit) {
    uint64_t offset = offsets.column(Dim::Warp, bit).offset;
    if (offset % size != 0)
      return std::nullopt;
    result.warpBits.push_back(offset / size);
    ofWarps |= offset / size;
  }
  for (unsigned bit = 0; bit != layout.bits(Dim::Register); ++bit)
    ofRegisters |= offsets.column(Dim::Register, bit).offset / size;
  return ofWarps & ofRegisters ? std::nullopt
                               : std::optional<WarpBoxes>(std::move(result));
}

class BulkStoreCode : public DeviceCode {
public:
  BulkStoreCode(OpBuilder &builder, gpu::BulkStoreOp op,
                gpu::BulkStoreOp::Adaptor operands, ThreadLowering &threads)
      : DeviceCode(builder, op.getLoc()), op(op), operands(operands),
        threads(threads), boxes(op),
        layout(layoutOf(cast<RankedTensorType>(op.getValue().getType()))),
        memory(memoryOf(op.getStagedType())) {}

  void run() {
    warp = uniform(threads.warp());
    elected =
        NVVM::ElectSyncOp::create(builder, loc, builder.getI1Type(), Value());
    auto own = WarpBoxes::of(layout, memory, boxes);
    auto matrices = layout::matrixAccess(layout, memory, 16);
    bool hasMatrices = matrices && matrices->wavefronts == 1;
    bool hasOwn = own && hasMatrices;
    if (hasOwn && op.getRing() && own->areBelow(boxes.perPanel)) {
      threads.warpgroupBarrier(builder, loc);
      base = ringAddress(builder, loc, threads, operands.getRing());
      ring = op.getRing().getType();
      storeOwnBoxes(*own);
    } else {
      threads.shared.lend(op.getStagedType().getBytes(), stagedAlignment);
      threads.barrier(builder, loc);
      base = threads.lentAddress(builder, loc);
      hasOwn ? storeOwnBoxes(*own) : storeTogether(hasMatrices);
    }
    // Before anybody else may use the memory, or the block may end.
    byOne(
        [&] { ptx("cp.async.bulk.wait_group.read 0;", "~{memory}", {}, {}); });
  }

private:
  /// Where a panel begins, from the base.
  int64_t panelBegin(int64_t panel) {
    int64_t bytes = boxes.perPanel * boxes.bytes();
    if (!ring)
      return panel * bytes;
    unsigned part = unsigned(op.getPart());
    int64_t perSlot = cast<gpu::StagedType>(ring.getParts()[part]).getPanels();
    return panel / perSlot * partOffset(ring, ring.getParts().size()) +
           partOffset(ring, part) + panel % perSlot * bytes;
  }

  void storeOwnBoxes(const WarpBoxes &own) {
    MatrixStores stores(threads, builder, loc, operands.getValue(), layout,
                        memory, base);
    llvm::MapVector<int64_t, SmallVector<unsigned>> byBox;
    for (unsigned number = 0; number != stores.count(); ++number)
      byBox[int64_t(stores.offset(number) / boxes.elements())].push_back(
          number);
    // Those that the warp's number gives: the panel, and the row in it.
    auto ofWarp = [&](uint64_t mask) {
      return emitLinear(
          builder, loc, threads.lane(), 0, warp, unsigned(own.warpBits.size()),
          [&](Dim, unsigned bit) { return own.warpBits[bit] & mask; });
    };
    uint64_t rowMask = uint64_t(boxes.perPanel) - 1;
    Value row = ofWarp(rowMask), panel = ofWarp(~rowMask);
    uint64_t panelElements = boxes.elements() * uint64_t(boxes.perPanel);
    for (auto &[box, numbers] : byBox) {
      int64_t begin = panelBegin(box / boxes.perPanel);
      for (unsigned number : numbers)
        stores.emit(number, stores.offset(number) % panelElements, begin);
      fence();
      intrinsic("llvm.nvvm.bar.warp.sync", {}, i32(-1));
      byOne([&] {
        Value own = add(row, i32(box % boxes.perPanel));
        Value moved = add(mul(add(own, panel), boxes.bytes()), i32(begin));
        copy(own,
             add(fold<arith::ShRUIOp>(panel, i32(panelShift())),
                 i32(box / boxes.perPanel)),
             moved);
        ptx("cp.async.bulk.commit_group;", "~{memory}", {}, {});
      });
    }
  }

  void storeTogether(bool hasMatrices) {
    (hasMatrices ? storeMatrices : storeShared)(
        threads, builder, loc, operands.getValue(), layout, memory, base);
    fence();
    threads.barrier(builder, loc);
    int64_t numWarps = threads.numWarps;
    byOne([&] {
      for (int64_t box = 0; box < boxes.count; box += numWarps) {
        Value number = add(warp, i32(box));
        if (box + numWarps <= boxes.count) {
          copyBox(number);
          continue;
        }
        auto any = scf::IfOp::create(
            builder, loc,
            compare(arith::CmpIPredicate::ult, number, i32(boxes.count)),
            false);
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(any.thenBlock());
        copyBox(number);
      }
      ptx("cp.async.bulk.commit_group;", "~{memory}", {}, {});
    });
  }

  /// What threads have written is there for copies.
  void fence() {
    NVVM::FenceProxyOp::create(
        builder, loc, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(builder.getContext(),
                                   NVVM::SharedSpace::shared_cta));
  }

  /// The same lane of each warp every time: it waits for its own copies alone.
  void byOne(llvm::function_ref<void()> code) {
    auto one = scf::IfOp::create(builder, loc, elected, false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(one.thenBlock());
    code();
  }

  int64_t panelShift() const {
    return int64_t(llvm::Log2_64(uint64_t(boxes.perPanel)));
  }

  void copyBox(Value box) {
    copy(fold<arith::AndIOp>(box, i32(boxes.perPanel - 1)),
         fold<arith::ShRUIOp>(box, i32(panelShift())), mul(box, boxes.bytes()));
  }

  /// The box of a row of boxes, in a panel, that lies so far from the base.
  void copy(Value row, Value panel, Value distance) {
    SmallVector<Value> inputs = {at(base, distance), operands.getMap()};
    unsigned rank = unsigned(operands.getCoordinates().size());
    llvm::append_range(inputs, operands.getCoordinates());
    inputs[2] = add(inputs[2], mul(panel, boxes.width));
    inputs[3] = add(inputs[3], mul(row, boxes.rows));
    inputs.append({i64(0), flag(false)});
    intrinsic("llvm.nvvm.cp.async.bulk.tensor.s2g.tile." +
                  std::to_string(rank) + "d",
              {}, inputs);
  }

  gpu::BulkStoreOp op;
  gpu::BulkStoreOp::Adaptor operands;
  ThreadLowering &threads;
  Boxes boxes;
  LinearLayout layout, memory;
  /// Whose slots have the tile, if they do.
  gpu::RingType ring;
  Value base, warp, elected;
};

struct LowerBulkStore : ThreadPattern<gpu::BulkStoreOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult
  matchAndRewrite(gpu::BulkStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    BulkStoreCode(rewriter, op, adaptor, threads).run();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void addBulkStorePatterns(RewritePatternSet &patterns, ThreadTypes &types,
                          ThreadLowering &threads) {
  patterns.add<LowerBulkStore>(types, patterns.getContext(), threads);
}

} // namespace tesela::nvidia
