//===- Passes.td - passes of the NVIDIA target ----------------------------===//

#ifndef TESELA_TARGET_NVIDIA_PASSES_TD
#define TESELA_TARGET_NVIDIA_PASSES_TD

include "mlir/Pass/PassBase.td"

def NvidiaMarkKernels : Pass<"nvidia-mark-kernels", "::mlir::ModuleOp"> {
  let summary = "the kernel becomes an entry, everything else private";
  let description = [{
    In the LLVM dialect: a function with `tile.kernel` gets `nvvm.kernel`, and
    others become internal and are inlined. Attributes of the tile dialect go.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

#endif // TESELA_TARGET_NVIDIA_PASSES_TD
