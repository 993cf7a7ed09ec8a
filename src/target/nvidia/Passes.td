//===- Passes.td - passes of the NVIDIA target ----------------------------===//

#ifndef TESELA_TARGET_NVIDIA_PASSES_TD
#define TESELA_TARGET_NVIDIA_PASSES_TD

include "mlir/Pass/PassBase.td"

def NvidiaAssignLayouts : Pass<"nvidia-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "give every tile a layout";
  let description = [{
    Tiles get `#tgpu.layout` as the encoding of their type; `tgpu.convert`
    stands where one is wanted under another layout. Keeps every bit.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", "4",
           "that compute one instance">,
    Option<"processor", "processor", "std::string", "\"sm_90a\"",
           "as LLVM names it">,
  ];
  let dependentDialects = ["::tesela::gpu::GpuDialect"];
}

def NvidiaSpecialiseWarps : Pass<"nvidia-specialise-warps",
                                 "::mlir::ModuleOp"> {
  let summary = "a producer warp copies what the dots of a loop eat";
  let description = [{
    Loads of views that feed the dots of a loop become rings that a producer
    fills by bulk copies, or one warpgroup by itself, and those dots
    `tgpu.wgmma`; stores of what these give become `tgpu.bulk_store`. What the
    host must compute for the tensor maps joins `@NAME.launch`, which takes the
    place of `@NAME.precondition`. Dots may reassociate; else it keeps every bit.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", "4",
           "that compute one instance">,
    Option<"numStages", "num-stages", "unsigned", "3",
           "how many slots a ring has">,
    Option<"overlap", "overlap", "bool", "true",
           "a loop's second product with the first of the next iteration">,
    Option<"feed", "feed", "bool", "true",
           "no producer where one warpgroup can fill its ring itself">,
    Option<"storeInBulk", "store-in-bulk", "bool", "true",
           "products leave by bulk copies">,
    Option<"explain", "explain", "bool", "false",
           "remark on what is left as it is">,
  ];
  let dependentDialects = ["::tesela::gpu::GpuDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def NvidiaWidenDots : Pass<"nvidia-widen-dots", "::mlir::func::FuncOp"> {
  let summary = "products of 8-bit floats are products of halves";
  let description = [{
    Factors of `tile.dot` that are 8-bit floats become halves, which hold each of
    them. Keeps every bit.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def NvidiaGroupInstances : Pass<"nvidia-group-instances",
                                "::mlir::func::FuncOp"> {
  let summary = "blocks that run together compute a patch of the result";
  let description = [{
    In a kernel that multiplies matrices, which of the two-dimensional grid's
    instances a block computes follows a grouped order. Keeps every bit.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def NvidiaCopyFactors : Pass<"nvidia-copy-factors", "::mlir::func::FuncOp"> {
  let summary = "factors of products come through shared memory";
  let description = [{
    In loops without roles, loads that feed the dots of `mma.sync` become
    asynchronous copies, iterations ahead, into rings, and those dots `tgpu.mma`.
    Other factors that take many registers are put into shared memory. Keeps
    every bit.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", "4",
           "that compute one instance">,
    Option<"numStages", "num-stages", "unsigned", "3",
           "how many slots a ring has">,
    Option<"processor", "processor", "std::string", "\"sm_80\"",
           "as LLVM names it">,
  ];
  let dependentDialects = ["::tesela::gpu::GpuDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def NvidiaOrderMemory : Pass<"nvidia-order-memory", "::mlir::func::FuncOp"> {
  let summary = "barriers between accesses of different threads";
  let description = [{
    Puts `tile.barrier` before an access that may touch what another thread of
    the block has touched since the last barrier, where one of them writes.
  }];
  let dependentDialects = ["::tesela::tile::TileDialect"];
}

def NvidiaLowerThreads : Pass<"nvidia-lower-threads", "::mlir::ModuleOp"> {
  let summary = "tiles become the registers of one thread";
  let description = [{
    A tile of layout L becomes a vector of as many elements as L has registers.
    Reductions and dots may reassociate; else it keeps every bit.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", "4",
           "that compute one instance">,
    Option<"processor", "processor", "std::string", "\"sm_90a\"",
           "as LLVM names it">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
  ];
}

def NvidiaMarkKernels : Pass<"nvidia-mark-kernels", "::mlir::ModuleOp"> {
  let summary = "the kernel becomes an entry, everything else private";
  let description = [{
    In the LLVM dialect: a function with `tile.kernel` gets `nvvm.kernel`, and
    others become internal and are inlined. Attributes of the tile dialect go.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def NvidiaExpandMath : Pass<"nvidia-expand-math", "::mlir::ModuleOp"> {
  let summary = "elementary functions as instructions and straight-line code";
  let description = [{
    Replaces `math` ops, on scalars and vectors, by what PTX has instructions
    for: some functions of f32 are one, marked `fastmath<afn>`, and all others
    polynomials in `arith` and `math.fma`. Halves are computed in f32 where
    there is no instruction for them. docs/maths.md has the functions and their
    errors.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // TESELA_TARGET_NVIDIA_PASSES_TD
