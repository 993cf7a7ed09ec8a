//===- ProductOps.td - matrix products of tensor cores -----------------------===//

#ifndef TESELA_DIALECT_GPU_PRODUCTOPS_TD
#define TESELA_DIALECT_GPU_PRODUCTOPS_TD

include "dialect/gpu/Gpu.td"

def Gpu_StageOp : GpuOp<"stage", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "put a tile into shared memory";
  let description = [{
    For a product's operand that no bulk copy brings. All threads of the role
    take part; the memory is the op's own and is written anew each time it runs,
    after everybody has finished reading the last contents. With a ring it is
    that of the ring, `offset` bytes on: nothing may fill or take the ring in a
    run of the kernel in which the op runs.

    ```mlir
    %s = tgpu.stage %x : tensor<64x64xf16> -> !tgpu.staged<64x64xf16, axis = 1,
                                                           swizzle = 128>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Optional<Gpu_RingType>:$ring,
    DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs Gpu_StagedType:$staged);
  let assemblyFormat = [{
    $source (`into` $ring^ `:` type($ring) `at` $offset)? attr-dict
    `:` type($source) `->` type($staged)
  }];
}

def Gpu_UnstageOp : GpuOp<"unstage", [MemoryEffects<[MemRead]>]> {
  let summary = "read a tile from shared memory";
  let description = [{
    ```mlir
    %x = tgpu.unstage %s : !tgpu.staged<64x64xf16, axis = 1, swizzle = 128>
        -> tensor<64x64xf16>
    ```
  }];
  let arguments = (ins Gpu_StagedType:$staged);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$staged attr-dict `:` type($staged) `->` type($result)";
}

def Gpu_TransposeOp : GpuOp<"transpose_staged", [Pure]> {
  let summary = "the same memory, with its two axes exchanged";
  let description = [{
    ```mlir
    %t = tgpu.transpose_staged %s : !tgpu.staged<64x32xf16, axis = 1, swizzle = 64>
        -> !tgpu.staged<32x64xf16, axis = 0, swizzle = 64>
    ```
  }];
  let arguments = (ins Gpu_StagedType:$staged);
  let results = (outs Gpu_StagedType:$result);
  let assemblyFormat = "$staged attr-dict `:` type($staged) `->` type($result)";
  let hasVerifier = 1;
}

def Gpu_Factor : AnyTypeOf<[Gpu_StagedType, AnyRankedTensor]>;

def Gpu_WgmmaOp : GpuOp<"wgmma", [MemoryEffects<[MemRead]>,
    AllTypesMatch<["acc", "result"]>]> {
  let summary = "start a matrix product of warpgroups";
  let description = [{
    `result = acc + a * b`, as `tile.dot`, of which `result` must not be used
    before a `tgpu.wgmma_wait` has passed it on. `b` lies in shared memory; `a`
    there or in registers. A constant zero as `acc` costs nothing.

    ```mlir
    %r = tgpu.wgmma %a, %b, %c : !tgpu.staged<..>, !tgpu.staged<..>,
        tensor<64x64xf32>
    ```
  }];
  let arguments = (ins Gpu_Factor:$a, Gpu_StagedType:$b, AnyRankedTensor:$acc);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
}

def Gpu_WgmmaWaitOp : GpuOp<"wgmma_wait", [
    MemoryEffects<[MemRead, MemWrite]>,
    TypesMatchWith<"passes on what it is given", "accs", "results", "$_self",
                   "std::equal_to<>()">]> {
  let summary = "wait until at most so many products are under way";
  let description = [{
    Passes accumulators on; those of finished products may be used then. The
    others go to products, loops and waits alone.

    ```mlir
    %y = tgpu.wgmma_wait %x pending 0 : tensor<64x64xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$accs,
    ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = "$accs `pending` $pending attr-dict `:` type($accs)";
  let hasVerifier = 1;
}

def Gpu_MmaOp : GpuOp<"mma", [MemoryEffects<[MemRead]>,
    AllTypesMatch<["acc", "result"]>]> {
  let summary = "a matrix product of warps";
  let description = [{
    `result = acc + a * b`, as `tile.dot`, by `mma.sync`. Of a factor in shared
    memory only as much is in registers at a time as one step along the depth
    needs.

    ```mlir
    %r = tgpu.mma %a, %b, %c : !tgpu.staged<..>, !tgpu.staged<..>,
        tensor<64x64xf32>
    ```
  }];
  let arguments = (ins Gpu_Factor:$a, Gpu_Factor:$b, AnyRankedTensor:$acc);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
}

#endif // TESELA_DIALECT_GPU_PRODUCTOPS_TD
