//===- LowerWgmma.cpp - asynchronous products for one thread --------------===//
//
//   %r = tgpu.wgmma %a, %b, %acc      wgmma.fence
//                               ==>   wgmma.mma_async for each block of 64 rows
//                                       and up to 256 columns, and 32 bytes of
//                                       depth
//                                     wgmma.commit_group
//   %x = tgpu.wgmma_wait %r     ==>   wgmma.wait_group, which changes the
//                                       registers as far as LLVM knows
//
// The registers of an accumulator are operands and results of each instruction:
// what is done with them stays after the wait, what made them before the fence.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/WgmmaCode.h"

#include "layout/Fragments.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tesela::nvidia {

namespace {

/// ".f16".
StringRef factorSuffix(Type element) {
  if (element.isF16())
    return ".f16";
  if (element.isBF16())
    return ".bf16";
  if (element.isF32())
    return ".tf32";
  if (isa<Float8E4M3FNType>(element))
    return ".e4m3";
  if (isa<Float8E5M2Type>(element))
    return ".e5m2";
  return ".s8";
}

/// ".f32.f16.f16".
std::string typeSuffix(Type a, Type b) {
  return ((b.isInteger() ? ".s32" : ".f32") + factorSuffix(a) + factorSuffix(b))
      .str();
}

SmallVector<Value> elementsOf(DeviceCode &code, Value vector) {
  auto elements = vector::ToElementsOp::create(code.builder, code.loc, vector);
  return SmallVector<Value>(elements.getResults());
}

Value vectorOf(DeviceCode &code, Type type, ValueRange elements) {
  return vector::FromElementsOp::create(code.builder, code.loc,
                                        cast<VectorType>(type), elements);
}

/// One instruction: "{..}, .., p, 1, 1, ..".
class InstructionText {
public:
  InstructionText(const WgmmaTiling &tiling, Type elementA, Type element,
                  bool isRegistersA, bool isTransposedA, bool isTransposedB)
      : tiling(tiling), elementA(elementA), element(element),
        isRegistersA(isRegistersA), isTransposedA(isTransposedA),
        isTransposedB(isTransposedB) {}

  /// With `first` operand number of the factors; whether it adds to what is
  /// there.
  std::string text(int64_t first, bool adds) const {
    std::string s = "{\n.reg .pred p;\nsetp.ne.b32 p, ";
    s += adds ? "1" : "0";
    s += ", 0;\nwgmma.mma_async.sync.aligned.m64n" +
         std::to_string(tiling.columns) + "k" +
         std::to_string(256 / tiling.elementBits) +
         typeSuffix(elementA, element) + " " + list(0, tiling.accRegisters()) +
         ", ";
    s += isRegistersA ? list(first, 4) : "$" + std::to_string(first);
    s += ", $" + std::to_string(first + (isRegistersA ? 4 : 1)) + ", p";
    if (!element.isInteger())
      s += ", 1, 1";
    if (element.isF16() || element.isBF16()) {
      if (!isRegistersA)
        s += isTransposedA ? ", 1" : ", 0";
      s += isTransposedB ? ", 1" : ", 0";
    }
    return s + ";\n}";
  }
  StringRef constraints() const { return isRegistersA ? "r,r,r,r,l" : "l,l"; }

private:
  static std::string list(int64_t first, int64_t count) {
    std::string s = "{";
    for (int64_t i = 0; i != count; ++i)
      s += (i ? ", $" : "$") + std::to_string(first + i);
    return s + "}";
  }

  const WgmmaTiling &tiling;
  /// Of the first and of the second factor; they have one width.
  Type elementA, element;
  bool isRegistersA, isTransposedA, isTransposedB;
};

/// The registers that a product without an accumulator writes.
SmallVector<Value> ptxNew(DeviceCode &code, StringRef text, int64_t count,
                          Type element, StringRef constraints,
                          ValueRange operands) {
  std::string all;
  for (int64_t i = 0; i != count; ++i)
    all += element.isF32() ? "=f," : "=r,";
  auto type = LLVM::LLVMStructType::getLiteral(
      code.builder.getContext(), SmallVector<Type>(count, element));
  Value made = code.ptx(text, all + constraints.str(), type, operands);
  SmallVector<Value> results;
  for (int64_t i = 0; i != count; ++i)
    results.push_back(
        LLVM::ExtractValueOp::create(code.builder, code.loc, made, i));
  return results;
}

bool isZero(Value acc) {
  while (auto cast = acc.getDefiningOp<UnrealizedConversionCastOp>())
    acc = cast.getOperand(0);
  if (auto convert = acc.getDefiningOp<gpu::ConvertOp>())
    acc = convert.getSource();
  return matchPattern(acc, m_Zero()) || matchPattern(acc, m_AnyZeroFloat());
}

struct LowerWgmma : ThreadPattern<gpu::WgmmaOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult
  matchAndRewrite(gpu::WgmmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto accType = cast<RankedTensorType>(op.getType());
    auto bType = cast<gpu::StagedType>(op.getB().getType());
    auto aStaged = dyn_cast<gpu::StagedType>(op.getA().getType());
    Type element = bType.getElementType();
    int64_t depth = bType.getShape()[0];
    auto tiling = WgmmaTiling::of(
        accType, depth, element.getIntOrFloatBitWidth(), threads.numWarps);
    if (!tiling)
      return rewriter.notifyMatchFailure(op, "no accumulator of wgmma");
    if (!aStaged && !isFragment(op, *tiling))
      return rewriter.notifyMatchFailure(op, "no first factor of wgmma");

    Location loc = op.getLoc();
    DeviceCode code(rewriter, loc);
    auto [row, column] = warpgroup(code, op, tiling->grid);
    int64_t rows = tiling->rowBlocks * 64,
            columns = tiling->columnBlocks * tiling->columns;
    FactorDescriptor b(code, bType, false, adaptor.getB(), column, columns);
    std::optional<FactorDescriptor> a;
    SmallVector<Value> aRegisters;
    if (aStaged)
      a.emplace(code, aStaged, true, adaptor.getA(), row, rows);
    else
      aRegisters = packed(code, adaptor.getA(), element);

    bool adds = !isZero(op.getAcc());
    SmallVector<Value> acc;
    if (adds)
      acc = elementsOf(code, adaptor.getAcc());
    else
      acc.resize(accRegisters(*tiling));
    NVVM::WgmmaFenceAlignedOp::create(rewriter, loc);
    Type elementA =
        aStaged ? aStaged.getElementType()
                : cast<RankedTensorType>(op.getA().getType()).getElementType();
    InstructionText text(*tiling, elementA, element, !aStaged,
                         aStaged && !a->isDepthMajor(), !b.isDepthMajor());
    int64_t count = tiling->accRegisters();
    for (int64_t step = 0; step != tiling->steps; ++step)
      for (int64_t i = 0; i != tiling->rowBlocks; ++i)
        for (int64_t j = 0; j != tiling->columnBlocks; ++j) {
          SmallVector<Value> factors;
          if (a)
            factors.push_back(a->at(i * 64, step));
          else
            llvm::append_range(
                factors,
                ArrayRef(aRegisters).slice((i * tiling->steps + step) * 4, 4));
          factors.push_back(b.at(j * tiling->columns, step));
          auto block = MutableArrayRef<Value>(acc).slice(
              (i * tiling->columnBlocks + j) * count, count);
          SmallVector<Value> results =
              adds || step != 0 ? ptxInPlace(code, text.text(2 * count, true),
                                             block, text.constraints(), factors)
                                : ptxNew(code, text.text(count, false), count,
                                         accType.getElementType(),
                                         text.constraints(), factors);
          llvm::copy(results, block.begin());
        }
    NVVM::WgmmaGroupSyncAlignedOp::create(rewriter, loc);
    rewriter.replaceOp(
        op, vectorOf(code, getTypeConverter()->convertType(accType), acc));
    return success();
  }

private:
  static int64_t accRegisters(const WgmmaTiling &tiling) {
    return tiling.rowBlocks * tiling.columnBlocks * tiling.accRegisters();
  }

  bool isFragment(gpu::WgmmaOp op, const WgmmaTiling &tiling) const {
    auto type = cast<RankedTensorType>(op.getA().getType());
    return layoutOf(type) ==
           layout::operandAFragment(layout::MatrixUnit::Wgmma,
                                    layout::Shape(type.getShape()),
                                    {tiling.grid.rows * 4, tiling.grid.columns},
                                    unsigned(tiling.elementBits));
  }

  /// The warpgroup's row and column in the grid, null where it is always 0.
  std::pair<Value, Value> warpgroup(DeviceCode &code, gpu::WgmmaOp op,
                                    WarpgroupGrid grid) const {
    if (grid.rows * grid.columns == 1)
      return {};
    Value number = threads.warpgroup(code.builder, code.loc);
    OpBuilder::InsertionGuard guard(code.builder);
    code.builder.setInsertionPointAfterValue(number);
    Value row, column;
    if (grid.rows > 1)
      row = code.fold<arith::AndIOp>(number, code.i32(grid.rows - 1));
    if (grid.columns > 1)
      column =
          code.fold<arith::ShRUIOp>(number, code.i32(llvm::Log2_32(grid.rows)));
    return {row, column};
  }

  /// A factor's elements as registers of 32 bits, in the order in which the
  /// fragment has them: 4 for each step of each block of rows.
  static SmallVector<Value> packed(DeviceCode &code, Value vector,
                                   Type element) {
    auto type = cast<VectorType>(vector.getType());
    int64_t count =
        type.getNumElements() * element.getIntOrFloatBitWidth() / 32;
    auto words = VectorType::get(count, code.builder.getI32Type());
    return elementsOf(
        code, LLVM::BitcastOp::create(code.builder, code.loc, words, vector));
  }
};

struct LowerWgmmaWait : OpConversionPattern<gpu::WgmmaWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(gpu::WgmmaWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    DeviceCode code(rewriter, op.getLoc());
    std::string text = "wgmma.wait_group.sync.aligned " +
                       std::to_string(op.getPending()) + ";";
    SmallVector<Value> registers, results;
    for (Value acc : adaptor.getAccs()) {
      SmallVector<Value> elements = elementsOf(code, acc);
      if (!registers.empty() &&
          elements.front().getType() != registers.front().getType())
        return rewriter.notifyMatchFailure(op, "accumulators of two types");
      llvm::append_range(registers, elements);
    }
    if (registers.empty()) {
      code.ptx(text, "~{memory}", {}, {});
      rewriter.eraseOp(op);
      return success();
    }
    registers = ptxInPlace(code, text, registers);
    ArrayRef<Value> rest(registers);
    for (Value acc : adaptor.getAccs()) {
      auto type = cast<VectorType>(acc.getType());
      results.push_back(
          vectorOf(code, type, rest.take_front(type.getNumElements())));
      rest = rest.drop_front(type.getNumElements());
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct LowerTransposeStaged : OpConversionPattern<gpu::TransposeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(gpu::TransposeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getStaged());
    return success();
  }
};

} // namespace

void addWgmmaPatterns(RewritePatternSet &patterns, ThreadTypes &types,
                      ThreadLowering &threads) {
  patterns.add<LowerWgmma>(types, patterns.getContext(), threads);
  patterns.add<LowerWgmmaWait, LowerTransposeStaged>(types,
                                                     patterns.getContext());
}

} // namespace tesela::nvidia
