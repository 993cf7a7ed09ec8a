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

def HoistSplat : Pass<"hoist-splat", "::mlir::func::FuncOp"> {
  let summary = "compute on the scalar, then splat";
  let description = [{
    An elementwise op of splats becomes a splat of the op on scalars. Keeps every
    bit.
  }];
  let dependentDialects = ["::tesela::tile::TileDialect"];
  let statistics = [Statistic<"numHoisted", "hoisted", "ops that now compute one scalar">];
}

def VersionWraps : Pass<"version-wraps", "::mlir::func::FuncOp"> {
  let summary = "make a version of the kernel without wrapped axes";
  let description = [{
    Where indices are `(start + iota) % n` and the tile lies inside of `n`, what
    follows works on `start + iota`; the rest works as before. Keeps every bit.
    Wraps whose excess no store writes are left to `raise-views`.
  }];
  let options = [Option<"general", "general", "bool", "false",
    "assume nothing that would need a precondition">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numVersioned", "versioned", "wraps that one version lacks">];
}

def RaiseViews : Pass<"raise-views", "::mlir::ModuleOp"> {
  let summary = "turn accesses through affine pointers into views";
  let description = [{
    `tile.load` and `tile.store` become `tile.view_load` and `tile.view_store`
    where the address is a base plus one term an axis. What must hold for that
    and is not proved becomes `@NAME.precondition` beside the kernel. Indices
    `(start + iota) % n` become bounds where no store writes what is beyond.
    Keeps every bit of a launch for which that holds.
  }];
  let options = [Option<"general", "general", "bool", "false",
    "assume nothing that would need a precondition">];
  let dependentDialects = ["::tesela::tile::TileDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numRaised", "raised", "accesses that became views">];
}

def DropDeadCarried : Pass<"drop-dead-carried", "::mlir::func::FuncOp"> {
  let summary = "stop carrying what only its own next value needs";
  let description = [{
    A value that a loop carries and that nothing but its own successor is
    computed from is no longer changed, so that folding removes it. Keeps every
    bit.
  }];
  let statistics = [Statistic<"numDropped", "dropped", "values no longer carried">];
}

#endif // TESELA_PASSES_PASSES_TD
