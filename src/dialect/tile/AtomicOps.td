//===- AtomicOps.td - read, change and write in one step ------------------===//

#ifndef TESELA_DIALECT_TILE_ATOMICOPS_TD
#define TESELA_DIALECT_TILE_ATOMICOPS_TD

include "dialect/tile/Tile.td"

// Instances that work on the same memory at one time do so through these. The
// elements of a tile are done in any order, each as one step of its own.
//
// `order` says what else is ordered: no access to memory that stands before a
// `release` in the program happens after it, none that stands after an
// `acquire` happens before it; `acq_rel` is both, `relaxed` neither. An instance
// that sees what a release wrote, by an acquire, sees all that was written
// before. The scope `cta` is the instance itself.
class AtomicOp<string mnemonic, list<Trait> traits = []>
    : TileOp<mnemonic, traits> {
  let hasVerifier = 1;
}

def Tile_AtomicRMWOp : AtomicOp<"atomic_rmw",
    [AllTypesMatch<["value", "result"]>]> {
  let summary = "combine what is in memory with a value";
  let description = [{
    Where `mask` is absent or true: `result[i] = *ptr[i]` and `*ptr[i] =
    kind(*ptr[i], value[i])` in one step. Elsewhere nothing is touched and
    `result[i]` is zero. Integers wrap.

    Floats are added as `arith.addf` does, except that a target may flush
    subnormal fp32 operands and sums to zero. `fmax` and `fmin` compare by
    IEEE 754's total order: -0 is less than +0, a NaN is greater than all numbers
    where its sign bit is clear, and less than all where it is set.

    ```mlir
    %old = tile.atomic_rmw fadd relaxed gpu %p, %x mask %m : tensor<8xi1>
        : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
    ```
  }];
  let arguments = (ins
    Tile_AtomicKind:$kind, Tile_MemoryOrder:$order, Tile_MemoryScope:$scope,
    Arg<Tile_PtrLike, "what to change", [MemRead, MemWrite]>:$ptr,
    Tile_Any:$value,
    Optional<Tile_BoolLike>:$mask);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = [{
    $kind $order $scope $ptr `,` $value (`mask` $mask^ `:` type($mask))?
    attr-dict `:` type($ptr) `,` type($value)
  }];
  let hasCanonicalizeMethod = 1;
}

def Tile_AtomicCasOp : AtomicOp<"atomic_cas",
    [AllTypesMatch<["expected", "value", "result"]>]> {
  let summary = "replace what is in memory where it is what is expected";
  let description = [{
    `result[i] = *ptr[i]`, and `*ptr[i] = value[i]` where that has the bits of
    `expected[i]`, in one step. Elements have 16, 32 or 64 bits.

    ```mlir
    %old = tile.atomic_cas acquire gpu %lock, %c0, %c1 : !tile.ptr<i32>, i32
    ```
  }];
  let arguments = (ins
    Tile_MemoryOrder:$order, Tile_MemoryScope:$scope,
    Arg<Tile_PtrLike, "what to change", [MemRead, MemWrite]>:$ptr,
    Tile_Any:$expected,
    Tile_Any:$value);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = [{
    $order $scope $ptr `,` $expected `,` $value attr-dict
    `:` type($ptr) `,` type($value)
  }];
}

#endif // TESELA_DIALECT_TILE_ATOMICOPS_TD
