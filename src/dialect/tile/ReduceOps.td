//===- ReduceOps.td - combining the elements along an axis ----------------===//

#ifndef TESELA_DIALECT_TILE_REDUCEOPS_TD
#define TESELA_DIALECT_TILE_REDUCEOPS_TD

include "dialect/tile/Tile.td"

def Tile_ReduceOp : TileOp<"reduce", [
    RecursiveMemoryEffects, SameOperandsShape,
    SingleBlockImplicitTerminator<"::tesela::tile::YieldOp">]> {
  let summary = "combine the elements along one axis";
  let description = [{
    The region combines two elements, of all operands at once: it takes the
    left ones, then the right ones, and yields as many. Elements may be combined
    in any order and association. The result lacks the axis; the result of a
    vector is a scalar.

    ```mlir
    %s = tile.reduce %x axis 1 combine {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : (tensor<8x16xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$sources, I32Attr:$axis);
  let results = (outs Variadic<Tile_Any>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    $sources `axis` $axis `combine` $combine attr-dict
    `:` functional-type($sources, $results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The one op of the region that combines two elements of the one operand
    /// (such as `arith.addf`), or null where the region does more.
    ::mlir::Operation *getSingleCombiner();
  }];
}

def Tile_ScanOp : TileOp<"scan", [
    RecursiveMemoryEffects, SameOperandsShape,
    SingleBlockImplicitTerminator<"::tesela::tile::YieldOp">]> {
  let summary = "combine the elements along one axis up to each of them";
  let description = [{
    `result[.., i, ..]` combines `source[.., 0, ..]` up to `source[.., i, ..]`
    and, with `reverse`, `source[.., n - 1, ..]` down to `source[.., i, ..]`. The
    region combines two elements, of all operands at once, as that of
    `tile.reduce` does. Elements stay in this order, the left operand being what
    comes first; they may be combined in any association.

    ```mlir
    %s = tile.scan %x axis 1 combine {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : (tensor<8x16xf32>) -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$sources, I32Attr:$axis,
    UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    $sources `axis` $axis (`reverse` $reverse^)? `combine` $combine attr-dict
    `:` functional-type($sources, $results)
  }];
  let hasVerifier = 1;
}

def Tile_YieldOp : TileOp<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["::tesela::tile::ReduceOp", "::tesela::tile::ScanOp"]>]> {
  let summary = "the values that a region of a tile op gives";
  let description = [{
    Ends the region of `tile.reduce` or `tile.scan`, where there are examples.
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif // TESELA_DIALECT_TILE_REDUCEOPS_TD
