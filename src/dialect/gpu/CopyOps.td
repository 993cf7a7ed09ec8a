//===- CopyOps.td - asynchronous copies of single threads -----------------===//

#ifndef TESELA_DIALECT_GPU_COPYOPS_TD
#define TESELA_DIALECT_GPU_COPYOPS_TD

include "dialect/gpu/Gpu.td"

def Gpu_RingSlotOp : GpuOp<"ring_slot", [Pure]> {
  let summary = "the parts of a slot, by its number";
  let description = [{
    For a ring that nobody takes slots of: who copies into it counts for
    himself. `number` is at least 0 and below the number of slots.

    ```mlir
    %a, %b = tgpu.ring_slot %r[%n] : !tgpu.ring<..> -> !tgpu.staged<..>, ..
    ```
  }];
  let arguments = (ins Gpu_RingType:$ring, I32:$number);
  let results = (outs Variadic<Gpu_StagedType>:$parts);
  let assemblyFormat = [{
    $ring `[` $number `]` attr-dict `:` type($ring) `->` type($parts)
  }];
  let hasVerifier = 1;
}

def Gpu_Pointer : Type<CPred<"::llvm::isa<::tesela::tile::PtrType>($_self)">,
                       "pointer", "::tesela::tile::PtrType">;
def Gpu_Coordinate : AnyTypeOf<[I64, RankedTensorOf<[I64]>]>;

def Gpu_CopyViewOp : GpuOp<"copy_view", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "start to copy a box of memory into shared memory";
  let description = [{
    What `tile.view_load` of these operands would read, with zeros elsewhere,
    goes to `staged`, each thread its part, where `when` holds; else nothing is
    touched. It is there for a thread that waits (`tgpu.copy_wait`) for the
    group that the next `tgpu.copy_commit` ends. `tile` is the tile's type; its
    layout says what each thread copies.

    ```mlir
    tgpu.copy_view %p[%i, %j] strides [%sm, %sk] bounds [%m] axes [0] to %s
        when %c : !tile.ptr<f16>[i64, i64] to !tgpu.staged<..>
        as tensor<64x32xf16>
    ```
  }];
  let arguments = (ins
    Arg<Gpu_Pointer, "the element at coordinates zero">:$base,
    Variadic<Gpu_Coordinate>:$offsets,
    Variadic<I64>:$strides,
    Variadic<I64>:$bounds,
    Optional<RankedTensorOf<[I1]>>:$mask,
    Gpu_StagedType:$staged,
    I1:$when,
    DenseI32ArrayAttr:$boundedAxes,
    TypeAttrOf<AnyRankedTensor>:$tile);
  let assemblyFormat = [{
    $base `[` $offsets `]` `strides` `[` $strides `]`
    `bounds` `[` $bounds `]` `axes` $boundedAxes
    (`mask` $mask^ `:` type($mask))? `to` $staged `when` $when attr-dict `:`
    qualified(type($base)) `[` type($offsets) `]` `to` type($staged) `as` $tile
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTileType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getTile());
    }
  }];
}

def Gpu_CopyCommitOp : GpuOp<"copy_commit",
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "end a group of copies";
  let description = [{
    All copies since the last one are a group, which may be empty.
  }];
  let assemblyFormat = "attr-dict";
}

def Gpu_CopyWaitOp : GpuOp<"copy_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait until at most so many groups of copies are under way";
  let description = [{
    Waits for the older groups of all threads of the block, and for the threads
    themselves: what they copied may be read, and what they have read may be
    copied over.

    ```mlir
    tgpu.copy_wait pending 1
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "`pending` $pending attr-dict";
}

#endif // TESELA_DIALECT_GPU_COPYOPS_TD
