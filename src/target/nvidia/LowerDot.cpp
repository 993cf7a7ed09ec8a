//===- LowerDot.cpp - products of matrices in registers -------------------===//
//
// `mma.sync`, where operands and accumulators have the fragments' layouts, or
// plain multiplications and additions, for which both operands go to shared
// memory:
//
//   for %k = 0 to K
//     %a = A[rows of the thread, %k]; %b = B[%k, columns of the thread]
//     acc[r, c] += %a[r] * %b[c]
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Coordinates.h"
#include "target/nvidia/LayoutChoices.h"
#include "target/nvidia/SharedTransfer.h"

#include "layout/SharedLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

using namespace mlir;

namespace tesela::nvidia {

using layout::Dim;
using layout::LinearLayout;
using layout::Shape;

namespace {

LinearLayout layoutOfValue(Value tile) {
  return layoutOf(cast<RankedTensorType>(tile.getType()));
}

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

/// Shape and types of one instruction.
struct Instruction {
  Instruction(OpBuilder &b, Type element) {
    unsigned bits = element.getIntOrFloatBitWidth();
    depth = 256 / bits;
    packed = 32 / bits;
    if (element.isF16()) {
      type = NVVM::MMATypes::f16;
      operand = VectorType::get(2, element);
    } else {
      type = element.isBF16()  ? NVVM::MMATypes::bf16
             : element.isF32() ? NVVM::MMATypes::tf32
                               : NVVM::MMATypes::s8;
      operand = b.getI32Type();
    }
    isInteger = element.isInteger();
  }

  int64_t depth, packed;
  NVVM::MMATypes type;
  Type operand;
  bool isInteger;
};

class MmaLowering {
public:
  MmaLowering(OpBuilder &b, tile::DotOp dot, Value a, Value bb, Value acc)
      : b(b), loc(dot.getLoc()), aRegisters(layoutOfValue(dot.getA())),
        bRegisters(layoutOfValue(dot.getB())),
        accRegisters(layoutOfValue(dot.getAcc())),
        instruction(b, cast<VectorType>(a.getType()).getElementType()),
        depth(layoutOfValue(dot.getA()).shape().back()), a(a), bb(bb) {
    auto type = cast<VectorType>(acc.getType());
    for (int64_t reg = 0; reg < type.getNumElements(); ++reg)
      accs.push_back(vector::ExtractOp::create(b, loc, acc, reg));
    accType = type;
  }

  Value run() {
    // The registers that begin an instruction's 16 x 8 block.
    std::vector<Shape> blocks;
    for (const auto &[position, reg] : accRegisters.all())
      if (position[position.size() - 2] % 16 == 0 && position.back() % 8 == 0)
        blocks.push_back(position);
    for (int64_t k = 0; k < depth; k += instruction.depth)
      for (const Shape &block : blocks)
        multiply(block, k);
    return vector::FromElementsOp::create(b, loc, accType, accs);
  }

private:
  /// One 32-bit register of an operand: neighbours along K, of which `along`
  /// is the axis.
  Value word(Value registers, const RegisterIndex &index, Shape position,
             size_t along) {
    Values parts;
    for (int64_t i = 0; i < instruction.packed; ++i) {
      Shape at = position;
      at[along] += i;
      parts.push_back(
          vector::ExtractOp::create(b, loc, registers, index.at(at)));
    }
    if (instruction.type == NVVM::MMATypes::tf32) {
      // Rounds to nearest, where the hardware would cut bits off.
      return NVVM::ConvertFloatToTF32Op::create(
          b, loc, b.getI32Type(), parts[0], NVVM::FPRoundingMode::RNA,
          NVVM::SaturationMode::NONE, false);
    }
    auto type = VectorType::get(instruction.packed, parts[0].getType());
    Value packed = vector::FromElementsOp::create(b, loc, type, parts);
    if (packed.getType() == instruction.operand)
      return packed;
    auto one = VectorType::get(1, b.getI32Type());
    packed = vector::BitCastOp::create(b, loc, one, packed);
    return vector::ExtractOp::create(b, loc, packed, int64_t(0));
  }

  void multiply(const Shape &block, int64_t k) {
    size_t m = block.size() - 2, n = m + 1;
    int64_t half = instruction.depth / 2;
    Values as, bs, cs;
    for (int64_t kHalf : {int64_t(0), half})
      for (int64_t row : {0, 8}) {
        Shape position = block;
        position[m] += row;
        position[n] = k + kHalf;
        as.push_back(word(a, aRegisters, position, n));
      }
    for (int64_t kHalf : {int64_t(0), half}) {
      Shape position = block;
      position[m] = k + kHalf;
      bs.push_back(word(bb, bRegisters, position, m));
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
    Type element = accType.getElementType();
    auto result = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(4, element));
    std::optional<NVVM::MMAIntOverflow> overflow;
    if (instruction.isInteger)
      overflow = NVVM::MMAIntOverflow::wrapped;
    Value product = NVVM::MmaOp::create(
        b, loc, result, as, bs, cs, ArrayRef<int64_t>{16, 8, instruction.depth},
        std::nullopt, overflow, std::array{instruction.type, instruction.type},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (auto [number, reg] : llvm::enumerate(registers))
      accs[size_t(reg)] =
          LLVM::ExtractValueOp::create(b, loc, product, int64_t(number));
  }

  using Values = SmallVector<Value>;

  OpBuilder &b;
  Location loc;
  RegisterIndex aRegisters, bRegisters, accRegisters;
  Instruction instruction;
  int64_t depth;
  Value a, bb;
  Values accs;
  VectorType accType;
};

//===----------------------------------------------------------------------===//
// Multiplications and additions
//===----------------------------------------------------------------------===//

class FmaLowering {
public:
  FmaLowering(OpBuilder &b, tile::DotOp dot, ThreadLowering &threads)
      : b(b), loc(dot.getLoc()), dot(dot), threads(threads),
        layout(layoutOfValue(dot.getAcc())),
        positions(threads, b, loc, layout) {}

  Value run(Value a, Value bb, Value acc) {
    int64_t aOffset = 0, bOffset = share(dot.getA());
    threads.shared.lend(bOffset + share(dot.getB()));
    threads.barrier(b, loc);
    put(a, dot.getA(), aOffset);
    put(bb, dot.getB(), bOffset);
    threads.barrier(b, loc);

    int64_t depth = tileOf(dot.getA()).getShape().back();
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
    };
    // Where threads are is the same in each step.
    for (unsigned axis = 0; axis < layout.rank(); ++axis)
      positions.ofThread(axis);
    auto loop = scf::ForOp::create(b, loc, number(0), number(depth), number(1),
                                   ValueRange{acc});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      scf::YieldOp::create(b, loc,
                           step(loop.getInductionVar(),
                                loop.getRegionIterArg(0), aOffset, bOffset));
    }
    return loop.getResult(0);
  }

private:
  static RankedTensorType tileOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }
  int64_t share(Value operand) {
    RankedTensorType type = tileOf(operand);
    return llvm::alignTo(
        type.getNumElements() * sharedBytes(type.getElementType()), 16);
  }

  void put(Value registers, Value operand, int64_t offset) {
    LinearLayout from = layoutOfValue(operand);
    storeShared(threads, b, loc, registers, from,
                layout::dense(from.shape(), layout::rowMajor(from.rank())),
                threads.lentAddress(b, loc, offset));
  }

  /// Element [batch.., row, column] of an operand; nulls stand for the step.
  Value element(Value operand, int64_t offset, ArrayRef<Value> position) {
    RankedTensorType type = tileOf(operand);
    Value index;
    for (auto [axis, value] : llvm::enumerate(position)) {
      if (index)
        index = arith::MulIOp::create(
            b, loc, index,
            arith::ConstantIntOp::create(b, loc, b.getI32Type(),
                                         type.getShape()[axis]));
      index = index ? arith::AddIOp::create(b, loc, index, value).getResult()
                    : value;
    }
    Type held = type.getElementType();
    Value address = LLVM::GEPOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext(), 3), held,
        threads.lentAddress(b, loc, offset), ArrayRef<LLVM::GEPArg>{index});
    return widen(LLVM::LoadOp::create(b, loc, held, address));
  }

  Value widen(Value value) {
    Type to = tileOf(dot.getAcc()).getElementType();
    if (value.getType() == to)
      return value;
    if (isa<FloatType>(to))
      return arith::ExtFOp::create(b, loc, to, value);
    return arith::ExtSIOp::create(b, loc, to, value);
  }

  Value step(Value k, Value acc, int64_t aOffset, int64_t bOffset) {
    unsigned rank = layout.rank(), m = rank - 2, n = rank - 1;
    std::map<Shape, Value> as, bs;
    SmallVector<Value> results;
    bool isFloat = isa<FloatType>(tileOf(dot.getAcc()).getElementType());
    for (unsigned reg = 0; reg < layout.size(Dim::Register); ++reg) {
      Shape aKey, bKey;
      SmallVector<Value> aAt, bAt;
      for (unsigned axis = 0; axis < m; ++axis) {
        aKey.push_back(positions.ofRegister(axis, reg));
        aAt.push_back(positions.of(axis, reg));
      }
      bKey = aKey;
      bAt = aAt;
      aKey.push_back(positions.ofRegister(m, reg));
      bKey.push_back(positions.ofRegister(n, reg));
      Value &x = as[aKey], &y = bs[bKey];
      if (!x) {
        aAt.append({positions.of(m, reg), k});
        x = element(dot.getA(), aOffset, aAt);
      }
      if (!y) {
        bAt.append({k, positions.of(n, reg)});
        y = element(dot.getB(), bOffset, bAt);
      }
      Value sum = vector::ExtractOp::create(b, loc, acc, int64_t(reg));
      if (isFloat)
        sum = LLVM::FMAOp::create(b, loc, x, y, sum);
      else
        sum = arith::AddIOp::create(
            b, loc, sum, arith::MulIOp::create(b, loc, x, y).getResult());
      results.push_back(sum);
    }
    return vector::FromElementsOp::create(b, loc, acc.getType(), results);
  }

  OpBuilder &b;
  Location loc;
  tile::DotOp dot;
  ThreadLowering &threads;
  LinearLayout layout;
  Coordinates positions;
};

struct Dot : ThreadPattern<tile::DotOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::DotOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value result;
    if (op->hasAttr(mmaAttr))
      result =
          MmaLowering(b, op, adaptor.getA(), adaptor.getB(), adaptor.getAcc())
              .run();
    else
      result = FmaLowering(b, op, threads)
                   .run(adaptor.getA(), adaptor.getB(), adaptor.getAcc());
    b.replaceOp(op, result);
    return success();
  }
};

} // namespace

void addDotPatterns(RewritePatternSet &patterns, ThreadTypes &types,
                    ThreadLowering &threads) {
  patterns.add<Dot>(types, patterns.getContext(), threads);
}

} // namespace tesela::nvidia
