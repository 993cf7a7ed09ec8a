//===- Passes.td - passes from tile to tile -------------------------------===//

#ifndef TESELA_PASSES_PASSES_TD
#define TESELA_PASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseDotAcc : Pass<"fuse-dot-acc", "::mlir::func::FuncOp"> {
  let summary = "let a dot start from what is added to it";
  let description = [{
    `x + dot(a, b, 0)` becomes `dot(a, b, x)`. Changes rounding only as the order
    of a dot's additions may.
  }];
  let dependentDialects = ["::tesela::tile::TileDialect"];
  let statistics = [Statistic<"numFused", "fused", "additions that a dot took in">];
}

#endif // TESELA_PASSES_PASSES_TD
