//===- DotOps.td - matrix products ----------------------------------------===//

#ifndef TESELA_DIALECT_TILE_DOTOPS_TD
#define TESELA_DIALECT_TILE_DOTOPS_TD

include "dialect/tile/Tile.td"

def Tile_DotOp : TileOp<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix product, accumulated";
  let description = [{
    `result[.., m, n] = acc[.., m, n] + sum over k of a[.., m, k] * b[.., k, n]`,
    of matrices or of equally many matrices (rank 3). Integers are signed,
    widened to the accumulator's type and wrap. Floats are multiplied and added
    in the accumulator's type, in any order, with or without fused steps;
    `precision` says how fp32 operands may be rounded first, which a target may
    ignore by being more exact.

    ```mlir
    %r = tile.dot %a, %b, %c precision ieee
        : tensor<16x8xf16>, tensor<8x32xf16>, tensor<16x32xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$a, Tile_Tensor:$b, Tile_Tensor:$acc,
    DefaultValuedAttr<Tile_InputPrecision, "::tesela::tile::InputPrecision::Default">:$precision);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`precision` $precision^)? attr-dict
    `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
}

#endif // TESELA_DIALECT_TILE_DOTOPS_TD
