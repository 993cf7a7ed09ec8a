//===- LowerMma.cpp - products of matrices by tensor cores of warps -------===//
//
//   %r = tgpu.mma %a, %b, %c   ==>   for each step along the depth
//                                      for each 16 x 8 block of %c
//                                        mma.sync.m16n8k16
//
// `tile.dot` is done so where its operands and its accumulator have the
// fragments' layouts; `tgpu.mma` may have factors in shared memory, too, of
// which a step's registers are read when it begins. The blocks of a step go
// down the side that has more registers, so that of these few are needed.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Coordinates.h"
#include "target/nvidia/MmaFactors.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tesela::nvidia {

using layout::LinearLayout;
using layout::MatrixUnit;
using layout::Shape;
using layout::WarpGrid;

namespace {

class MmaLowering {
public:
  MmaLowering(OpBuilder &b, Location loc, MmaFactor &a, MmaFactor &bb,
              Type element, RankedTensorType accType)
      : b(b), loc(loc), a(a), bb(bb), instruction(element),
        isInteger(element.isInteger()), accRegisters(layoutOf(accType)) {}

  Value run(Value acc, int64_t depth) {
    accType = cast<VectorType>(acc.getType());
    for (int64_t reg = 0; reg < accType.getNumElements(); ++reg)
      accs.push_back(vector::ExtractOp::create(b, loc, acc, reg));
    std::vector<Shape> blocks = findBlocks();
    for (int64_t k = 0; k < depth; k += instruction.depth)
      for (const Shape &block : blocks)
        multiply(block, k);
    return vector::FromElementsOp::create(b, loc, accType, accs);
  }

private:
  /// Where the instructions' 16 x 8 blocks begin.
  std::vector<Shape> findBlocks() const {
    std::vector<Shape> blocks;
    size_t rows = 0, first = 0;
    for (const auto &[position, reg] : accRegisters.all()) {
      size_t n = position.size() - 1;
      if (position[n - 1] % 16 != 0 || position[n] % 8 != 0)
        continue;
      blocks.push_back(position);
      rows += position[n] == 0;
      first += position[n - 1] == 0;
    }
    // Of a step the first factor has 4 registers a row, the second 2 a column.
    if (4 * rows <= 2 * first)
      llvm::sort(blocks, [](const Shape &x, const Shape &y) {
        return std::pair(x.back(), x) < std::pair(y.back(), y);
      });
    return blocks;
  }

  void multiply(const Shape &block, int64_t k) {
    size_t m = block.size() - 2, n = m + 1;
    int64_t half = instruction.depth / 2;
    SmallVector<Value> as, bs, cs;
    for (int64_t kHalf : {int64_t(0), half})
      for (int64_t row : {0, 8}) {
        Shape position = block;
        position[m] += row;
        position[n] = k + kHalf;
        as.push_back(a.word(position));
      }
    for (int64_t kHalf : {int64_t(0), half}) {
      Shape position = block;
      position[m] = k + kHalf;
      bs.push_back(bb.word(position));
    }
    SmallVector<int64_t> registers;
    for (int64_t row : {0, 8})
      for (int64_t column : {0, 1}) {
        Shape position = block;
        position[m] += row;
        position[n] += column;
        registers.push_back(accRegisters.at(position));
        cs.push_back(accs[size_t(registers.back())]);
      }
    auto result = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(4, accType.getElementType()));
    std::optional<NVVM::MMAIntOverflow> overflow;
    if (isInteger)
      overflow = NVVM::MMAIntOverflow::wrapped;
    Value product = NVVM::MmaOp::create(
        b, loc, result, as, bs, cs, ArrayRef<int64_t>{16, 8, instruction.depth},
        std::nullopt, overflow, std::array{instruction.type, instruction.type},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (auto [number, reg] : llvm::enumerate(registers))
      accs[size_t(reg)] =
          LLVM::ExtractValueOp::create(b, loc, product, int64_t(number));
  }

  OpBuilder &b;
  Location loc;
  MmaFactor &a, &bb;
  MmaInstruction instruction;
  bool isInteger;
  RegisterIndex accRegisters;
  SmallVector<Value> accs;
  VectorType accType;
};

struct MmaDot : ThreadPattern<tile::DotOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::DotOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (!op->hasAttr(mmaAttr))
      return b.notifyMatchFailure(op, "no tensor core does it");
    Location loc = op.getLoc();
    auto type = [](Value tile) {
      return cast<RankedTensorType>(tile.getType());
    };
    unsigned rank = unsigned(type(op.getA()).getRank());
    auto first = MmaFactor::inRegisters(b, loc, layoutOf(type(op.getA())),
                                        adaptor.getA(), rank - 1);
    auto second = MmaFactor::inRegisters(b, loc, layoutOf(type(op.getB())),
                                         adaptor.getB(), rank - 2);
    b.replaceOp(op,
                MmaLowering(b, loc, *first, *second,
                            type(op.getA()).getElementType(), type(op.getAcc()))
                    .run(adaptor.getAcc(), type(op.getA()).getShape().back()));
    return success();
  }
};

struct LowerMma : ThreadPattern<gpu::MmaOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(gpu::MmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto accType = cast<RankedTensorType>(op.getType());
    std::optional<WarpGrid> grid = gridOf(accType);
    if (!grid)
      return op.emitError("has no accumulator of mma.sync");
    std::unique_ptr<MmaFactor> factors[2];
    Type element;
    for (unsigned number : {0, 1}) {
      Value before = op->getOperand(number),
            after = adaptor.getOperands()[number];
      unsigned axis = 1 - number;
      if (auto tile = dyn_cast<RankedTensorType>(before.getType())) {
        element = tile.getElementType();
        factors[number] =
            MmaFactor::inRegisters(b, op.getLoc(), layoutOf(tile), after, axis);
        continue;
      }
      auto staged = cast<gpu::StagedType>(before.getType());
      element = staged.getElementType();
      unsigned bits = element.getIntOrFloatBitWidth();
      Shape shape(staged.getShape());
      LinearLayout fragment =
          number == 0
              ? layout::operandAFragment(MatrixUnit::Mma, shape, *grid, bits)
              : layout::operandBFragment(shape, *grid, bits);
      factors[number] = MmaFactor::inShared(threads, b, op.getLoc(), fragment,
                                            staged, after, axis);
    }
    b.replaceOp(op, MmaLowering(b, op.getLoc(), *factors[0], *factors[1],
                                element, accType)
                        .run(adaptor.getAcc(), depthOf(op)));
    return success();
  }

private:
  static int64_t depthOf(gpu::MmaOp op) {
    if (auto staged = dyn_cast<gpu::StagedType>(op.getA().getType()))
      return staged.getShape()[1];
    return cast<RankedTensorType>(op.getA().getType()).getShape()[1];
  }

  /// How the warps share an accumulator.
  std::optional<WarpGrid> gridOf(RankedTensorType acc) const {
    LinearLayout layout = layoutOf(acc);
    for (unsigned m = 1; m <= threads.numWarps; m *= 2) {
      WarpGrid grid{m, threads.numWarps / m};
      if (layout::accumulatorFragment(MatrixUnit::Mma, Shape(acc.getShape()),
                                      grid) == layout)
        return grid;
    }
    return std::nullopt;
  }
};

} // namespace

void addMmaPatterns(RewritePatternSet &patterns, ThreadTypes &types,
                    ThreadLowering &threads) {
  patterns.add<MmaDot, LowerMma>(types, patterns.getContext(), threads);
}

} // namespace tesela::nvidia
