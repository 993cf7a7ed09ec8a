//===- Extent.cpp - the bytes that a view may touch -----------------------===//

#include "target/cpu/Extent.h"

#include "target/cpu/Pointwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tesela::cpu {

Value originOf(LoweringState &state, Slices &slices, const Box &box,
               Location loc) {
  OpBuilder &b = state.b;
  Value start = state.index(0);
  for (auto [offset, stride] : llvm::zip(box.offsets, box.strides))
    start = slices.add(start, slices.multiply(offset, stride, loc), loc);
  return LLVM::GEPOp::create(b, loc, box.base.getType(), movedType(box.element),
                             box.base, ArrayRef<LLVM::GEPArg>{start});
}

Extent extentOf(LoweringState &state, Slices &slices, const Box &box,
                Value origin, Location loc) {
  OpBuilder &b = state.b;
  Value bytes = state.index(storedBytes(box.element)), zero = state.index(0);
  Value low = zero, high = bytes;
  for (auto [stride, count] : llvm::zip(box.strides, box.counts)) {
    Value last = slices.add(count, state.index(-1), loc);
    Value reach =
        slices.multiply(slices.multiply(stride, bytes, loc), last, loc);
    low =
        slices.add(low, b.createOrFold<arith::MinSIOp>(loc, reach, zero), loc);
    high =
        slices.add(high, b.createOrFold<arith::MaxSIOp>(loc, reach, zero), loc);
  }
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), origin);
  return {arith::AddIOp::create(b, loc, address, low),
          arith::AddIOp::create(b, loc, address, high)};
}

Value overlap(OpBuilder &b, const Extent &lhs, const Extent &rhs,
              Location loc) {
  auto isBelow = [&](Value one, Value two) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, one, two)
        .getResult();
  };
  return arith::AndIOp::create(b, loc, isBelow(lhs.first, rhs.end),
                               isBelow(rhs.first, lhs.end));
}

} // namespace tesela::cpu
