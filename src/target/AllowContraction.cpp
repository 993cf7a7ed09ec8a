//===- AllowContraction.cpp - multiply and add may become one -------------===//
//
//   %p = arith.mulf %a, %b              %p = arith.mulf %a, %b
//   fastmath<contract> %s = arith.addf %p, %c       ==>    %s = arith.addf %p,
//   %c fastmath<contract>
//
// LLVM then fuses them where the processor has the instruction. Runs before
// elementary functions are expanded: their formulas say themselves what is
// fused.
//
//===----------------------------------------------------------------------===//

#include "target/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tesela {
#define GEN_PASS_DEF_ALLOWCONTRACTION
#include "target/Passes.h.inc"

namespace {

struct AllowContraction : impl::AllowContractionBase<AllowContraction> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (!isa<arith::MulFOp, arith::AddFOp, arith::SubFOp>(op))
        return;
      auto fast = cast<arith::ArithFastMathInterface>(op);
      arith::FastMathFlags flags = fast.getFastMathFlagsAttr().getValue();
      op->setAttr(
          fast.getFastMathAttrName(),
          arith::FastMathFlagsAttr::get(
              op->getContext(), flags | arith::FastMathFlags::contract));
    });
  }
};

} // namespace
} // namespace tesela
