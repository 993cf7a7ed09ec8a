//===- Passes.td - passes of the CPU target -------------------------------===//

#ifndef TESELA_TARGET_CPU_PASSES_TD
#define TESELA_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def CpuLowerTiles : Pass<"cpu-lower-tiles", "::mlir::ModuleOp"> {
  let summary = "tiles become loops over vectors, kernels become entries";
  let description = [{
    Each kernel becomes a function as `CpuEntry` has it, its `.precondition`
    one as `CpuPrecondition` has it. Reductions and dots may reassociate, and
    dots may fuse products with sums; else it keeps every bit.
    The entry's attribute `cpu.scratch_bytes` is the scratch memory it wants.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "unsigned", "32",
           "of a vector register">,
    Option<"vectorRegisters", "vector-registers", "unsigned", "16",
           "how many vector registers there are">,
    Option<"multipliesPairs", "multiplies-pairs", "bool", "false",
           "x86's `pmaddwd` exists for vectors so large">,
    Option<"cacheBytes", "cache-bytes", "uint64_t", "128 << 20",
           "a launch that writes more writes past the caches">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect",
  ];
}

def CpuShareNests : Pass<"cpu-share-nests", "::mlir::ModuleOp"> {
  let summary = "large loops that are equal become calls of one function";
  let description = [{
    A kernel that treats its last block apart has its dots twice. Loops without
    results that are equal but for the values from outside become calls of one
    function, which takes these values. Keeps every bit.
  }];
  let options = [
    Option<"fewest", "fewest", "unsigned", "64",
           "operations that a loop must have to be worth a call">,
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
  let statistics = [
    Statistic<"numShared", "shared", "loops that became calls">,
  ];
}

def CpuExpandMath : Pass<"cpu-expand-math", "::mlir::ModuleOp"> {
  let summary = "elementary functions as straight-line vector code";
  let description = [{
    Replaces `math` ops, on scalars and vectors, by polynomials in `arith` and
    `math.fma`, `arith.remf` by an exact loop, arithmetic on bf16 by arithmetic
    on f32, and narrowing to bf16 by integer code. What is left of `math` are
    instructions. docs/maths.md has the functions and their errors.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
  let options = [
    Option<"hasFma", "fma", "bool", "true",
           "the processor multiplies and adds in one operation; without it "
           "every function calls the C library">,
    Option<"hasScale", "scale", "bool", "false",
           "the processor has AVX-512's `scalef`">,
  ];
}

#endif // TESELA_TARGET_CPU_PASSES_TD
