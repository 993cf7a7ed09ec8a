//===- RingOps.td - rings of shared memory and the roles around them ------===//

#ifndef TESELA_DIALECT_GPU_RINGOPS_TD
#define TESELA_DIALECT_GPU_RINGOPS_TD

include "dialect/gpu/Gpu.td"

def Gpu_AllocRingOp : GpuOp<"alloc_ring", [MemoryEffects<[MemAlloc]>]> {
  let summary = "shared memory and mbarriers of a ring";
  let description = [{
    Stands before the roles. A slot is empty when each warpgroup of the consumers
    has released it. A ring whose slots are known by their numbers
    (`tgpu.ring_slot`) has no mbarriers and needs no roles.

    ```mlir
    %r = tgpu.alloc_ring : !tgpu.ring<4 x (!tgpu.staged<64x32xf16, axis = 1,
                                                        swizzle = 64>)>
    ```
  }];
  let results = (outs Gpu_RingType:$ring);
  let assemblyFormat = "attr-dict `:` type($ring)";
}

def Gpu_RolesOp : GpuOp<"roles", [RecursiveMemoryEffects, NoRegionArguments,
    SingleBlock, NoTerminator]> {
  let summary = "a producer beside the consumers";
  let description = [{
    The producer's region is run by one thread of `warps` warps of its own, the
    consumers' by all threads of the launch's warps. They start together and
    meet only at rings. `registers` says how many a thread of the producer and
    of the consumers may have, where they are not to be shared out evenly; then
    there are whole warpgroups of both. With `warps` of 0 there is no producer,
    its region is empty, and the consumers feed the rings themselves.

    ```mlir
    tgpu.roles producer warps 1 { .. } consumers { .. }
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$warps,
    OptionalAttr<DenseI32ArrayAttr>:$registers);
  let regions = (region SizedRegion<1>:$producer, SizedRegion<1>:$consumers);
  let assemblyFormat = [{
    `producer` `warps` $warps (`registers` $registers^)? $producer
    `consumers` $consumers attr-dict
  }];
  let hasRegionVerifier = 1;
}

def Gpu_RingFillOp : GpuOp<"ring_fill", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "fill the next slot by bulk copies";
  let description = [{
    Waits until the slot is empty, then starts one copy a panel of each part and
    goes on. Each part has a map and as many coordinates, innermost first, as
    the map has dimensions; `ranks` says how many. Only in a producer.

    ```mlir
    tgpu.ring_fill %r maps(%a, %b) at [%k, %m, %n, %k] ranks [2, 2]
        : !tgpu.ring<..>
    ```
  }];
  let arguments = (ins Gpu_RingType:$ring, Variadic<Gpu_TensorMapType>:$maps,
    Variadic<I32>:$coordinates, DenseI32ArrayAttr:$ranks);
  let assemblyFormat = [{
    $ring `maps` `(` $maps `)` `at` `[` $coordinates `]` `ranks` $ranks
    attr-dict `:` type($ring)
  }];
  let hasVerifier = 1;
}

def Gpu_RingFeedOp : GpuOp<"ring_feed", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "fill the next slot from among the consumers";
  let description = [{
    As `tgpu.ring_fill`, but one of the consumers' threads does it, where `when`
    holds, and does not wait: nobody may still read the slot. Once `when` does
    not hold, nothing may be taken beyond what was fed. Only in consumers without
    a producer.

    ```mlir
    tgpu.ring_feed %r maps(%a, %b) at [%k, %m, %n, %k] ranks [2, 2] when %more
        : !tgpu.ring<..>
    ```
  }];
  let arguments = (ins Gpu_RingType:$ring, Variadic<Gpu_TensorMapType>:$maps,
    Variadic<I32>:$coordinates, I1:$when, DenseI32ArrayAttr:$ranks);
  let assemblyFormat = [{
    $ring `maps` `(` $maps `)` `at` `[` $coordinates `]` `ranks` $ranks
    `when` $when attr-dict `:` type($ring)
  }];
  let hasVerifier = 1;
}

def Gpu_RingTakeOp : GpuOp<"ring_take", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait until the next slot is full";
  let description = [{
    Gives the slot's parts. Only in consumers.

    ```mlir
    %a, %b = tgpu.ring_take %r : !tgpu.ring<..> -> !tgpu.staged<..>, ..
    ```
  }];
  let arguments = (ins Gpu_RingType:$ring);
  let results = (outs Variadic<Gpu_StagedType>:$parts);
  let assemblyFormat = "$ring attr-dict `:` type($ring) `->` type($parts)";
  let hasVerifier = 1;
}

def Gpu_RingReleaseOp : GpuOp<"ring_release",
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the oldest slot that was taken may be filled again";
  let description = [{
    Where more than `keep` slots were taken and not released, everything that
    reads the oldest of them has finished, and it is released. Only in
    consumers.

    ```mlir
    tgpu.ring_release %r keep 1 : !tgpu.ring<..>
    ```
  }];
  let arguments = (ins Gpu_RingType:$ring,
    DefaultValuedAttr<ConfinedAttr<I32Attr, [IntNonNegative]>, "0">:$keep);
  let assemblyFormat = "$ring (`keep` $keep^)? attr-dict `:` type($ring)";
  let hasVerifier = 1;
}

def Gpu_BulkStoreOp : GpuOp<"bulk_store", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "store a matrix by bulk copies";
  let description = [{
    The tile goes through shared memory, in panels of `swizzle` bytes along its
    second axis as `!tgpu.staged` has them, and on to the array of the map at
    the coordinates, innermost first, as many as the map has dimensions. The
    map's boxes are `rows` rows of one panel. What is beyond the map's extents
    is not stored. Nobody knows before the kernel ends what is there. Only in
    consumers.

    With a ring, the tile takes the place of a part that has as many rows, panel
    for panel, in one slot after the other. No slot is filled or taken any more,
    and of that part a warpgroup has read the rows alone that it has of the tile.

    ```mlir
    tgpu.bulk_store %x to %map at [%j, %i] rows 16 swizzle 128
        over %r part 0 : !tgpu.ring<..> : tensor<128x64xf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, Gpu_TensorMapType:$map,
    Variadic<I32>:$coordinates, Optional<Gpu_RingType>:$ring, I64Attr:$rows,
    I64Attr:$swizzle, DefaultValuedAttr<I64Attr, "0">:$part);
  let assemblyFormat = [{
    $value `to` $map `at` `[` $coordinates `]` `rows` $rows `swizzle` $swizzle
    (`over` $ring^ `part` $part `:` type($ring))? attr-dict `:` type($value)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The tile in shared memory.
    StagedType getStagedType();
  }];
}

class GpuTurnOp<string mnemonic>
    : GpuOp<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Gpu_OpenTurnsOp : GpuTurnOp<"open_turns"> {
  let summary = "give the first warpgroup its first turn";
  let description = [{
    Warpgroups of the consumers may take turns, round and round: what stands
    between `tgpu.take_turn` and `tgpu.pass_turn` is done by one after the other.
    Stands before these, once.
  }];
}

def Gpu_TakeTurnOp : GpuTurnOp<"take_turn"> {
  let summary = "wait until it is this warpgroup's turn";
}

def Gpu_PassTurnOp : GpuTurnOp<"pass_turn"> {
  let summary = "let the next warpgroup have its turn";
}

#endif // TESELA_DIALECT_GPU_RINGOPS_TD
