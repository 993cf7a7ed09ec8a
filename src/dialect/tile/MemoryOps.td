//===- MemoryOps.td - loads and stores ------------------------------------===//

#ifndef TESELA_DIALECT_TILE_MEMORYOPS_TD
#define TESELA_DIALECT_TILE_MEMORYOPS_TD

include "dialect/tile/Tile.td"

def Tile_LoadOp : TileOp<"load", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "read through pointers";
  let description = [{
    Where `mask` is absent or true: `result[i] = *ptr[i]`. Elsewhere nothing is
    read and `result[i]` is `other[i]`, or any value, the same for every target,
    namely zero, where there is no `other`. A volatile load is neither removed,
    repeated nor reordered with other volatile loads, stores and barriers.

    ```mlir
    %x = tile.load %p mask %m : tensor<8xi1> other %z : tensor<8xf32>
        : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
    ```
  }];
  let arguments = (ins
    Arg<Tile_PtrLike, "where to read">:$ptr,
    Optional<Tile_BoolLike>:$mask,
    Optional<Tile_Any>:$other,
    DefaultValuedAttr<Tile_CacheModifier, "::tesela::tile::CacheModifier::None">:$cache,
    DefaultValuedAttr<Tile_EvictionPolicy, "::tesela::tile::EvictionPolicy::Normal">:$evict,
    UnitAttr:$isVolatile);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = [{
    $ptr (`mask` $mask^ `:` type($mask))? (`other` $other^ `:` type($other))?
    (`volatile` $isVolatile^)? attr-dict `:` type($ptr) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_StoreOp : TileOp<"store"> {
  let summary = "write through pointers";
  let description = [{
    Where `mask` is absent or true: `*ptr[i] = value[i]`. Where two elements
    write one address, one of them stays.

    ```mlir
    tile.store %p, %x mask %m : tensor<8xi1>
        : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
    ```
  }];
  let arguments = (ins
    Arg<Tile_PtrLike, "where to write", [MemWrite]>:$ptr,
    Tile_Any:$value,
    Optional<Tile_BoolLike>:$mask,
    DefaultValuedAttr<Tile_CacheModifier, "::tesela::tile::CacheModifier::None">:$cache,
    DefaultValuedAttr<Tile_EvictionPolicy, "::tesela::tile::EvictionPolicy::Normal">:$evict);
  let assemblyFormat = [{
    $ptr `,` $value (`mask` $mask^ `:` type($mask))? attr-dict
    `:` type($ptr) `,` type($value)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

//===----------------------------------------------------------------------===//
// Views: accesses whose address is a sum of one term an axis
//===----------------------------------------------------------------------===//
//
// Raising makes them; emission does not. Along axis d of the tile, element i
// has the coordinate
//
//   c_d(i) = offset_d + i       where offset_d is an i64: an affine axis
//   c_d(i) = offset_d[i]        where offset_d is a tensor<SIZE_d x i64>:
//                               an indexed axis
//
// and lies at base + sum over d of c_d * stride_d, counted in elements. With a
// bound, it exists only where 0 <= c_d < bound_d. `boundedAxes` lists the axes
// that have one, in increasing order, and `bounds` has one i64 for each.

def Tile_Coordinate : AnyTypeOf<[I64, Tile_I64Tensor]>;

def Tile_ViewLoadOp : TileOp<"view_load", [AttrSizedOperandSegments]> {
  let summary = "read a box of memory";
  let description = [{
    `result[i0, .., ik]` is the element at coordinates `c_0(i0), .., c_k(ik)` of
    the array at `base` with these strides, where every bounded coordinate is
    inside its bound and `mask` is absent or true; elsewhere nothing is read and
    it is `other`, or zero where there is none.

    ```mlir
    %x = tile.view_load %p[%i, %j] strides [%sm, %sk] bounds [%m, %k] axes [0, 1]
        : !tile.ptr<f32>[i64, i64] -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins
    Arg<Tile_PtrType, "the element at coordinates zero", [MemRead]>:$base,
    Variadic<Tile_Coordinate>:$offsets,
    Variadic<I64>:$strides,
    Variadic<I64>:$bounds,
    Optional<Tile_BoolTensor>:$mask,
    Optional<Tile_Any>:$other,
    DenseI32ArrayAttr:$boundedAxes,
    DefaultValuedAttr<Tile_CacheModifier, "::tesela::tile::CacheModifier::None">:$cache,
    DefaultValuedAttr<Tile_EvictionPolicy, "::tesela::tile::EvictionPolicy::Normal">:$evict);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $base `[` $offsets `]` `strides` `[` $strides `]`
    `bounds` `[` $bounds `]` `axes` $boundedAxes
    (`mask` $mask^ `:` type($mask))? (`other` $other^ `:` type($other))?
    attr-dict `:` qualified(type($base)) `[` type($offsets) `]` `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ViewStoreOp : TileOp<"view_store", [AttrSizedOperandSegments]> {
  let summary = "write a box of memory";
  let description = [{
    Writes `value[i0, .., ik]` to the element at coordinates `c_0(i0), ..,
    c_k(ik)`, where every bounded coordinate is inside its bound and `mask` is
    absent or true.

    ```mlir
    tile.view_store %x, %p[%i, %j] strides [%sm, %sk] bounds [%m] axes [0]
        : tensor<8x4xf32>, !tile.ptr<f32>[i64, i64]
    ```
  }];
  let arguments = (ins
    Tile_Tensor:$value,
    Arg<Tile_PtrType, "the element at coordinates zero", [MemWrite]>:$base,
    Variadic<Tile_Coordinate>:$offsets,
    Variadic<I64>:$strides,
    Variadic<I64>:$bounds,
    Optional<Tile_BoolTensor>:$mask,
    DenseI32ArrayAttr:$boundedAxes,
    DefaultValuedAttr<Tile_CacheModifier, "::tesela::tile::CacheModifier::None">:$cache,
    DefaultValuedAttr<Tile_EvictionPolicy, "::tesela::tile::EvictionPolicy::Normal">:$evict);
  let assemblyFormat = [{
    $value `,` $base `[` $offsets `]` `strides` `[` $strides `]`
    `bounds` `[` $bounds `]` `axes` $boundedAxes
    (`mask` $mask^ `:` type($mask))?
    attr-dict `:` type($value) `,` qualified(type($base)) `[` type($offsets) `]`
  }];
  let hasVerifier = 1;
}

#endif // TESELA_DIALECT_TILE_MEMORYOPS_TD
