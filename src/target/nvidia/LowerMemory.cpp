//===- LowerMemory.cpp - loads and stores of a thread's elements ----------===//
//
//   %x = tile.view_load %p[%i, %j] strides [%s, %c1] bounds [%n] axes [1]
//     ==>
//   %at = getelementptr %p[(%i + row of the thread) * %s + %j + column]
//   %x0 = load vector<4xf32> at %at                 and so on, each predicated
//   %x = vector<16xf32> of them
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/GlobalMemory.h"
#include "target/nvidia/ViewAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tesela::nvidia {

using layout::Dim;
using layout::LinearLayout;
using layout::VectorAccess;

namespace {

/// Values that stand for absent ones.
Value otherOf(OpBuilder &b, Location loc, Value other, VectorType type,
              ArrayRef<unsigned> registers) {
  if (!other)
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  if (!isa<VectorType>(other.getType()))
    return vector::BroadcastOp::create(b, loc, type, other);
  SmallVector<Value> parts;
  for (unsigned reg : registers)
    parts.push_back(vector::ExtractOp::create(b, loc, other, int64_t(reg)));
  return vector::FromElementsOp::create(b, loc, type, parts);
}

SmallVector<unsigned> registersOf(const VectorAccess &vector, unsigned access) {
  SmallVector<unsigned> registers;
  for (unsigned i = 0; i < 1u << vector.vectorBits; ++i)
    registers.push_back(unsigned(vector.registerOf(access, i)));
  return registers;
}

template <typename Op>
CacheHints hintsOf(Op op) {
  return {op.getCache(), op.getEvict(), false};
}

struct ViewLoad : ThreadPattern<tile::ViewLoadOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::ViewLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    auto held = cast<VectorType>(getTypeConverter()->convertType(type));
    ViewAccess access(b, loc, threads, ViewOperands::of(adaptor),
                      op.getOffsets(), type, threads.accessWidths.at(op));
    const VectorAccess &vectors = access.vectors();
    auto moved = VectorType::get(int64_t(1) << vectors.vectorBits,
                                 held.getElementType());
    CacheHints hints = hintsOf(op);
    hints.mayBeLate = threads.lateLoads.contains(op);
    SmallVector<Value> elements(size_t(held.getNumElements()));
    for (unsigned number = 0; number < vectors.accesses(); ++number) {
      SmallVector<unsigned> registers = registersOf(vectors, number);
      Value inside = access.isInside(registers[0]);
      Value other;
      if (inside)
        other = otherOf(b, loc, adaptor.getOther(), moved, registers);
      Value loaded = loadGlobal(b, loc, moved, access.address(registers[0]),
                                inside, other, hints);
      for (auto [lane, reg] : llvm::enumerate(registers))
        elements[reg] =
            vector::ExtractOp::create(b, loc, loaded, int64_t(lane));
    }
    b.replaceOpWithNewOp<vector::FromElementsOp>(op, held, elements);
    return success();
  }
};

struct ViewStore : ThreadPattern<tile::ViewStoreOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::ViewStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getValue().getType());
    ViewAccess access(b, loc, threads, ViewOperands::of(adaptor),
                      op.getOffsets(), type, threads.accessWidths.at(op));
    const VectorAccess &vectors = access.vectors();
    Type element =
        cast<VectorType>(adaptor.getValue().getType()).getElementType();
    auto moved = VectorType::get(int64_t(1) << vectors.vectorBits, element);
    uint64_t copies = layoutOf(type).freeBits().reg;
    Value isWriter = access.positions().isWriter();
    for (unsigned number = 0; number < vectors.accesses(); ++number) {
      SmallVector<unsigned> registers = registersOf(vectors, number);
      if (registers[0] & copies)
        continue;
      SmallVector<Value> parts;
      for (unsigned reg : registers)
        parts.push_back(vector::ExtractOp::create(b, loc, adaptor.getValue(),
                                                  int64_t(reg)));
      Value value = vector::FromElementsOp::create(b, loc, moved, parts);
      storeGlobal(b, loc, value, access.address(registers[0]),
                  conjunction(b, loc, access.isInside(registers[0]), isWriter),
                  hintsOf(op));
    }
    b.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Through pointers
//===----------------------------------------------------------------------===//

Value toPointer(OpBuilder &b, Location loc, Value address) {
  if (isa<LLVM::LLVMPointerType>(address.getType()))
    return address;
  return LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), 1), address);
}

/// A scalar as a vector of one element; a pointer as its address.
Value asVector(OpBuilder &b, Location loc, Value value) {
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    value = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), value);
  return vector::FromElementsOp::create(
      b, loc, VectorType::get(1, value.getType()), value);
}

Value elementAt(OpBuilder &b, Location loc, Value value, unsigned reg) {
  if (!value || !isa<VectorType>(value.getType()))
    return value;
  return vector::ExtractOp::create(b, loc, value, int64_t(reg));
}

struct Load : ThreadPattern<tile::LoadOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = getTypeConverter()->convertType(op.getType());
    auto vector = dyn_cast<VectorType>(type);
    Type element = vector ? vector.getElementType() : type;
    bool isPointer = isa<LLVM::LLVMPointerType>(element);
    auto one = VectorType::get(1, isPointer ? Type(b.getI64Type()) : element);
    CacheHints hints = hintsOf(op);
    hints.isVolatile = op.getIsVolatile();
    // What changes meanwhile is the same for all threads if one reads it.
    bool isShared = hints.isVolatile && !vector;
    SmallVector<Value> elements;
    for (int64_t reg = 0; reg < (vector ? vector.getNumElements() : 1); ++reg) {
      unsigned r = unsigned(reg);
      Value mask = elementAt(b, loc, adaptor.getMask(), r);
      Value other;
      if (mask)
        other = adaptor.getOther()
                    ? asVector(b, loc, elementAt(b, loc, adaptor.getOther(), r))
                    : arith::ConstantOp::create(b, loc, b.getZeroAttr(one))
                          .getResult();
      Value loaded =
          loadGlobal(b, loc, one,
                     toPointer(b, loc, elementAt(b, loc, adaptor.getPtr(), r)),
                     mask, other, hints);
      elements.push_back(vector::ExtractOp::create(b, loc, loaded, int64_t(0)));
    }
    if (isShared)
      elements[0] = fromFirstThread(b, loc, threads, elements[0]);
    if (vector)
      b.replaceOpWithNewOp<vector::FromElementsOp>(op, vector, elements);
    else if (isPointer)
      b.replaceOpWithNewOp<LLVM::IntToPtrOp>(op, type, elements[0]);
    else
      b.replaceOp(op, elements[0]);
    return success();
  }
};

struct Store : ThreadPattern<tile::StoreOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
    Value isWriter;
    uint64_t copies = 0;
    unsigned registers = 1;
    if (type) {
      LinearLayout layout = layoutOf(type);
      copies = layout.freeBits().reg;
      registers = unsigned(layout.size(Dim::Register));
      isWriter = Coordinates(threads, b, loc, layout).isWriter();
    } else {
      Value zero = arith::ConstantIntOp::create(b, loc, b.getI32Type(), 0);
      isWriter = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       threads.thread(), zero);
    }
    for (unsigned reg = 0; reg < registers; ++reg) {
      if (reg & copies)
        continue;
      Value mask = elementAt(b, loc, adaptor.getMask(), reg);
      storeGlobal(b, loc,
                  asVector(b, loc, elementAt(b, loc, adaptor.getValue(), reg)),
                  toPointer(b, loc, elementAt(b, loc, adaptor.getPtr(), reg)),
                  conjunction(b, loc, mask, isWriter), hintsOf(op));
    }
    b.eraseOp(op);
    return success();
  }
};

struct Barrier : ThreadPattern<tile::BarrierOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    threads.barrier(b, op.getLoc());
    b.eraseOp(op);
    return success();
  }
};

} // namespace

void addMemoryPatterns(RewritePatternSet &patterns, ThreadTypes &types,
                       ThreadLowering &threads) {
  patterns.add<ViewLoad, ViewStore, Load, Store, Barrier>(
      types, patterns.getContext(), threads);
}

} // namespace tesela::nvidia
