//===- Threads.cpp - what patterns of lower-threads build with ------------===//

#include "target/nvidia/Threads.h"

#include "dialect/tile/Float8.h"
#include "target/nvidia/DeviceCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tesela::nvidia {

using layout::Dim;
using layout::LinearLayout;

/// The symbol of the block's dynamic shared memory.
static constexpr llvm::StringLiteral sharedSymbol = "shared_memory";
/// Where the region that ops lend in turn begins; set when all is kept.
static constexpr llvm::StringLiteral lentSymbol = "lent_memory";

ThreadTypes::ThreadTypes() {
  addConversion([](Type type) { return type; });
  addConversion([](FloatType type) -> Type {
    return tile::isFloat8(type) ? Type(IntegerType::get(type.getContext(), 8))
                                : type;
  });
  addConversion([](tile::PtrType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), 1);
  });
  addConversion([](gpu::TensorMapType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  addConversion([](gpu::StagedType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), 3);
  });
  addConversion([](RankedTensorType type) -> std::optional<Type> {
    if (!isa_and_present<gpu::LayoutAttr>(type.getEncoding()))
      return std::nullopt;
    Type element = type.getElementType();
    if (isa<tile::PtrType>(element))
      element = IntegerType::get(type.getContext(), 64);
    if (tile::isFloat8(element))
      element = IntegerType::get(type.getContext(), 8);
    return VectorType::get(int64_t(layoutOf(type).size(Dim::Register)),
                           element);
  });
}

int64_t SharedMemory::keep(int64_t bytes, int64_t alignment) {
  int64_t offset = llvm::alignTo(kept, alignment);
  kept = offset + bytes;
  return offset;
}

void SharedMemory::offer(int64_t offset, int64_t bytes) {
  if (bytes <= offeredBytes)
    return;
  offered = offset;
  offeredBytes = bytes;
}

int64_t SharedMemory::lentOffset() const {
  return lent <= offeredBytes ? offered : llvm::alignTo(kept, lentAlignment);
}

int64_t SharedMemory::bytes() const {
  return lent ? std::max(kept, lentOffset() + lent) : kept;
}

/// Five blocks to a processor have so much each. Where small blocks copy what
/// they multiply, eight of them get less from the L2 cache together than five,
/// and are better only where they are all there are.
static constexpr int64_t crowdedBytes = 44 * 1024;

static Value i32(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
}

ThreadLowering::ThreadLowering(func::FuncOp kernel, unsigned numWarps,
                               unsigned capability)
    : kernel(kernel), numWarps(numWarps), capability(capability),
      accessWidths(findAccessWidths(kernel)), ringUses(findRingUses(kernel)) {
  OpBuilder b(kernel.getContext());
  b.setInsertionPointToStart(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  threadNumber = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
  laneNumber = arith::AndIOp::create(b, loc, threadNumber, i32(b, loc, 31));
  warpNumber = arith::ShRUIOp::create(b, loc, threadNumber, i32(b, loc, 5));
}

Value ThreadLowering::warpgroup(OpBuilder &b, Location loc) const {
  // Found once, where the kernel begins.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(warpNumber);
  DeviceCode code(b, loc);
  return code.fold<arith::ShRUIOp>(code.uniform(warpNumber), code.i32(2));
}

void ThreadLowering::barrier(OpBuilder &b, Location loc) const {
  // Barrier 1 is the consumers'; barrier 0 has every thread of the block.
  NVVM::BarrierOp::create(b, loc, TypeRange(), i32(b, loc, 1),
                          i32(b, loc, int64_t(numWarps) * 32),
                          NVVM::BarrierReductionAttr(), Value());
}

/// Of the first warpgroup; barriers before it are those of turns.
static constexpr int64_t firstWarpgroupBarrier = 8;

void ThreadLowering::warpgroupBarrier(OpBuilder &b, Location loc) const {
  if (numWarps <= 4)
    return barrier(b, loc);
  DeviceCode code(b, loc);
  NVVM::BarrierOp::create(
      b, loc, TypeRange(),
      code.add(warpgroup(b, loc), code.i32(firstWarpgroupBarrier)),
      code.i32(128), NVVM::BarrierReductionAttr(), Value());
}

/// `@name + offset`, declaring the symbol where it is missing.
static Value sharedAddress(OpBuilder &b, Location loc, func::FuncOp kernel,
                           StringRef name, int64_t offset) {
  auto module = kernel->getParentOfType<ModuleOp>();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 3);
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
    // Not where it is first used: that may be a place in an inlined function.
    LLVM::GlobalOp::create(b, kernel.getLoc(), type, /*isConstant=*/false,
                           LLVM::Linkage::External, name, Attribute(),
                           /*alignment=*/1024, /*addrSpace=*/3);
  }
  Value base = LLVM::AddressOfOp::create(b, loc, pointer, name);
  if (offset == 0)
    return base;
  return LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{int32_t(offset)},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value ThreadLowering::keptAddress(OpBuilder &b, Location loc,
                                  int64_t offset) const {
  return sharedAddress(b, loc, kernel, sharedSymbol, offset);
}

Value ThreadLowering::lentAddress(OpBuilder &b, Location loc,
                                  int64_t offset) const {
  return sharedAddress(b, loc, kernel, lentSymbol, offset);
}

void ThreadLowering::finish() {
  auto module = kernel->getParentOfType<ModuleOp>();
  int64_t begin = shared.lentOffset();
  if (auto symbol = module.lookupSymbol<LLVM::GlobalOp>(lentSymbol)) {
    kernel.walk([&](LLVM::AddressOfOp use) {
      if (use.getGlobalName() != lentSymbol)
        return;
      OpBuilder b(use);
      use.replaceAllUsesWith(keptAddress(b, use.getLoc(), begin));
      use.erase();
    });
    symbol.erase();
  }
  OpBuilder b(kernel.getContext());
  kernel->setAttr(sharedBytesAttr, b.getI64IntegerAttr(shared.bytes()));
  if (!hasProducer && shared.bytes() < crowdedBytes)
    kernel->setAttr(crowdedBytesAttr, b.getI64IntegerAttr(crowdedBytes));
  // Tensor maps are passed by value.
  auto mapBytes = LLVM::LLVMArrayType::get(b.getI8Type(), 128);
  for (unsigned i = 0; i != kernel.getNumArguments(); ++i) {
    if (!kernel.removeArgAttr(i, b.getStringAttr(gpu::tensorMapAttr)))
      continue;
    kernel.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(mapBytes));
    kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                      b.getI64IntegerAttr(64));
  }
  int64_t warps = numWarps;
  if (auto more = kernel->getAttrOfType<IntegerAttr>(producerWarpsAttr))
    warps += more.getInt();
  kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                  b.getDenseI32ArrayAttr({int32_t(warps * 32)}));
}

} // namespace tesela::nvidia
