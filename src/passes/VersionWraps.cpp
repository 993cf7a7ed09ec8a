//===- VersionWraps.cpp - a version of the kernel without wrapped axes ----===//
//
//   %i = start + iota                       %inside = 0 <= start, last < %n
//   %r = tile.remsi %i, splat(%n)    ==>    scf.if %inside {
//   .. = f(%r)                                .. = f(%i)
//                                           } else {
//                                             .. = f(%r)
//                                           }
//
// Legal because a remainder changes nothing between zero and the divisor. Then
// the indices are consecutive and raising makes an affine axis of them, where
// the wrap makes an indexed one; only the tiles at an edge pay for it. One
// condition for all wraps of the kernel: there are two versions, not more.
// Wraps that raising replaces by bounds (Wraps.h) need none.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "passes/Wraps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tesela {
#define GEN_PASS_DEF_VERSIONWRAPS
#include "passes/Passes.h.inc"

namespace {

/// Larger kernels are not worth compiling twice.
constexpr unsigned mostOps = 600;

/// In 64 bits, in which nothing wraps: 0 <= start + first, and start + last is
/// less than the divisor.
Value emitInside(OpBuilder &builder, Wrap wrap) {
  Location loc = wrap.op.getLoc();
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  };
  Value start = arith::ExtSIOp::create(builder, loc, i64, wrap.indices.start);
  Value divisor = arith::ExtSIOp::create(builder, loc, i64, wrap.divisor);
  Value last =
      arith::AddIOp::create(builder, loc, start, constant(wrap.indices.last));
  Value natural = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                        start, constant(-wrap.indices.first));
  Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      last, divisor);
  return arith::AndIOp::create(builder, loc, natural, below);
}

struct VersionWraps : impl::VersionWrapsBase<VersionWraps> {
  using VersionWrapsBase::VersionWrapsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(tile::kernelAttr) || !kernel.getBody().hasOneBlock() ||
        kernel.getNumResults() != 0)
      return;
    Block &block = kernel.front();
    SmallVector<Wrap> wraps;
    Preconditions preconditions(kernel, general);
    for (auto op : block.getOps<tile::RemSIOp>())
      if (auto wrap = matchWrap(op); wrap && !willBeBound(*wrap, preconditions))
        wraps.push_back(*wrap);
    unsigned count = 0;
    kernel.walk([&](Operation *) { ++count; });
    if (wraps.empty() || count > mostOps)
      return;
    Operation *last = wraps.back().op;
    auto derived = derivedBefore(wraps, last);
    if (!derived)
      return;
    split(block, wraps, last, *derived);
    numVersioned += wraps.size();
  }

  /// Whether raising replaces it, which makes a version of its own needless.
  static bool willBeBound(const Wrap &wrap, Preconditions &preconditions) {
    return !preconditions.isGeneral() && findUnseenExcess(wrap) &&
           assumeNatural(wrap, preconditions);
  }

  /// What was computed from the wraps up to `last`; nothing where that cannot
  /// be computed twice.
  std::optional<llvm::SetVector<Operation *>>
  derivedBefore(ArrayRef<Wrap> wraps, Operation *last) {
    llvm::SetVector<Operation *> derived;
    llvm::SmallPtrSet<Operation *, 4> wrapOps;
    for (Wrap wrap : wraps)
      wrapOps.insert(wrap.op);
    for (Operation &op : *last->getBlock()) {
      if (&op == last->getNextNode())
        break;
      bool uses = false;
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (Operation *from = operand.getDefiningOp())
            uses |= wrapOps.contains(from) || derived.contains(from);
      });
      if (!uses || wrapOps.contains(&op))
        continue;
      if (!isPure(&op))
        return std::nullopt;
      derived.insert(&op);
    }
    // A wrap of a wrap: its own start is not that of the version.
    for (Wrap wrap : wraps)
      for (Value value : {wrap.indices.start, wrap.divisor, wrap.op.getLhs()})
        if (Operation *from = value.getDefiningOp())
          if (wrapOps.contains(from) || derived.contains(from))
            return std::nullopt;
    return derived;
  }

  void split(Block &block, ArrayRef<Wrap> wraps, Operation *last,
             const llvm::SetVector<Operation *> &derived) {
    SmallVector<Operation *> rest;
    for (Operation *op = last->getNextNode(); op != block.getTerminator();
         op = op->getNextNode())
      rest.push_back(op);
    OpBuilder builder(last->getContext());
    builder.setInsertionPointAfter(last);
    Value inside;
    for (Wrap wrap : wraps) {
      Value holds = emitInside(builder, wrap);
      inside =
          inside ? arith::AndIOp::create(builder, last->getLoc(), inside, holds)
                 : holds;
    }
    auto branch = scf::IfOp::create(builder, last->getLoc(), inside,
                                    /*withElseRegion=*/true);
    Block *wrapped = branch.elseBlock(), *plain = branch.thenBlock();
    for (Operation *op : rest)
      op->moveBefore(wrapped->getTerminator());
    builder.setInsertionPoint(plain->getTerminator());
    IRMapping mapping;
    for (Wrap wrap : wraps)
      mapping.map(wrap.op.getResult(), wrap.op.getLhs());
    for (Operation *op : derived)
      builder.clone(*op, mapping);
    for (Operation *op : rest)
      builder.clone(*op, mapping);
  }
};

} // namespace
} // namespace tesela
