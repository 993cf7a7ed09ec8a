//===- LayoutOps.td - from one layout to another --------------------------===//

#ifndef TESELA_DIALECT_GPU_LAYOUTOPS_TD
#define TESELA_DIALECT_GPU_LAYOUTOPS_TD

include "dialect/gpu/Gpu.td"

def Gpu_ConvertOp : GpuOp<"convert", [Pure, SameOperandsAndResultElementType,
    SameOperandsAndResultShape]> {
  let summary = "the same tile under another layout";
  let description = [{
    ```mlir
    %y = tgpu.convert %x : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

#endif // TESELA_DIALECT_GPU_LAYOUTOPS_TD
