//===- WidenDots.cpp - products of 8-bit floats as products of halves -----===//
//
//   %r = tile.dot %a, %b, %c : tensor<16x32xf8E4M3FN>, ..
//     ==>
//   %x = arith.extf %a : tensor<16x32xf8E4M3FN> to tensor<16x32xf16>
//   %y = arith.extf %b
//   %r = tile.dot %x, %y, %c : tensor<16x32xf16>, ..
//
// What has not become an asynchronous product is multiplied by `mma.sync` or by
// plain fused operations. A half holds every 8-bit float, so that every bit of
// the result is what it was.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Passes.h"

#include "dialect/tile/Float8.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tesela::nvidia {
#define GEN_PASS_DEF_NVIDIAWIDENDOTS
#include "target/nvidia/Passes.h.inc"

namespace {

struct NvidiaWidenDots : impl::NvidiaWidenDotsBase<NvidiaWidenDots> {
  void runOnOperation() override {
    getOperation().walk([](tile::DotOp dot) {
      OpBuilder b(dot);
      for (OpOperand *factor : {&dot.getAMutable(), &dot.getBMutable()}) {
        Type type = factor->get().getType();
        if (!tile::isFloat8(type))
          continue;
        factor->set(arith::ExtFOp::create(
            b, dot.getLoc(), tile::withElementType(type, b.getF16Type()),
            factor->get()));
      }
    });
  }
};

} // namespace
} // namespace tesela::nvidia
