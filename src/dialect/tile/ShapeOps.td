//===- ShapeOps.td - making tiles and moving their elements ---------------===//

#ifndef TESELA_DIALECT_TILE_SHAPEOPS_TD
#define TESELA_DIALECT_TILE_SHAPEOPS_TD

include "dialect/tile/Tile.td"

def Tile_IotaOp : TileOp<"iota", [Pure]> {
  let summary = "consecutive whole numbers";
  let description = [{
    `result[i] = start + i`.

    ```mlir
    %i = tile.iota 0 : tensor<64xi32>
    ```
  }];
  let arguments = (ins I32Attr:$start);
  let results = (outs 1DTensorOf<[I32]>:$result);
  let assemblyFormat = "$start attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SplatOp : TileOp<"splat", [Pure,
    TypesMatchWith<"the value has the element type of the result",
        "result", "value",
        "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()">]> {
  let summary = "one value everywhere";
  let description = [{
    `result[i0, .., ik] = value`.

    ```mlir
    %t = tile.splat %x : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tile_Element:$value);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tile_ExpandDimsOp : TileOp<"expand_dims", [Pure]> {
  let summary = "insert an axis of extent one";
  let description = [{
    `result[.., i, 0, j, ..] = source[.., i, j, ..]`, the new axis at position
    `axis` of the result.

    ```mlir
    %t = tile.expand_dims %x axis 1 : tensor<8xf32> -> tensor<8x1xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$source, I32Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source `axis` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_BroadcastOp : TileOp<"broadcast", [Pure]> {
  let summary = "repeat along axes of extent one";
  let description = [{
    Source and result have the same rank; an axis of the source is as long as
    that of the result, or one, and then its element is repeated.

    ```mlir
    %t = tile.broadcast %x : tensor<8x1xf32> -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_ReshapeOp : TileOp<"reshape", [Pure]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    With `can_reorder` the elements may come in any order, the same for each
    execution of the op.

    ```mlir
    %t = tile.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$source, UnitAttr:$canReorder);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source (`can_reorder` $canReorder^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_PermuteOp : TileOp<"permute", [Pure]> {
  let summary = "reorder the axes";
  let description = [{
    Axis `d` of the result is axis `order[d]` of the source; a matrix is
    transposed by `[1, 0]`.

    ```mlir
    %t = tile.permute %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$source, DenseI32ArrayAttr:$order);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source $order attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_JoinOp : TileOp<"join", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "two tiles side by side along a new last axis";
  let description = [{
    `result[.., 0] = lhs[..]` and `result[.., 1] = rhs[..]`.

    ```mlir
    %t = tile.join %x, %y : tensor<8xf32> -> tensor<8x2xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$lhs, Tile_Tensor:$rhs);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_SplitOp : TileOp<"split", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "the two halves of a last axis of extent two";
  let description = [{
    `lhs[..] = source[.., 0]` and `rhs[..] = source[.., 1]`.

    ```mlir
    %x, %y = tile.split %t : tensor<8x2xf32> -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$lhs, Tile_Tensor:$rhs);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($lhs)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_CatOp : TileOp<"cat", [Pure]> {
  let summary = "one vector after the other";
  let description = [{
    `result = [lhs.., rhs..]`.

    ```mlir
    %t = tile.cat %x, %y : tensor<8xf32>, tensor<8xf32> -> tensor<16xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$lhs, Tile_Tensor:$rhs);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_GatherOp : TileOp<"gather", [Pure]> {
  let summary = "pick elements along one axis by their index";
  let description = [{
    `result[.., i, ..] = source[.., indices[.., i, ..], ..]` along `axis`. The
    other axes of source and indices are equally long. An index is taken modulo
    the extent of the source's axis, a power of two, so that -1 is the last.

    ```mlir
    %t = tile.gather %x[%i] axis 0
        : tensor<8xf32>[tensor<16xi32>] -> tensor<16xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$source, Tile_IntTensor:$indices,
    I32Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` `axis` $axis attr-dict
    `:` type($source) `[` type($indices) `]` `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TESELA_DIALECT_TILE_SHAPEOPS_TD
