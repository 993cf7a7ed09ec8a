//===- Passes.td - passes that several targets use ------------------------===//

#ifndef TESELA_TARGET_PASSES_TD
#define TESELA_TARGET_PASSES_TD

include "mlir/Pass/PassBase.td"

def AllowContraction : Pass<"allow-contraction"> {
  let summary = "multiply and add may become one fused operation";
  let description = [{
    Marks every multiplication, addition and subtraction of floats with
    `fastmath<contract>`. Changes rounding only as a fused operation does.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CheckStage : Pass<"check-stage", "::mlir::ModuleOp"> {
  let summary = "an error at the first op that should not have survived";
  let description = [{
    After the stage `loops` there are no tile ops and no tiles, after `math` also
    no elementary functions, after `llvm` nothing but the LLVM
    dialect and those of instructions.
  }];
  let options = [
    Option<"stage", "stage", "std::string", "\"loops\"",
           "the stage that is done: loops, math or llvm">,
  ];
}

def EndLoops : Pass<"end-loops"> {
  let summary = "loops end before their variable wraps";
  let description = [{
    Where a step past the last value may be no number of the variable's type,
    the loop compares without a sign, if it begins at a natural number, or counts
    its iterations.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def SplitCode : Pass<"split-code", "::mlir::ModuleOp"> {
  let summary = "halves of a kernel's code, for two threads";
  let description = [{
    Machine code is generated in proportion to the operations. Where these are
    many, functions are marked `tile.second_half`, so that about half of the
    operations are in them; loops that an instance runs once become functions,
    where that helps. Keeps every bit.
  }];
  let options = [
    Option<"fewest", "fewest", "unsigned", "200",
           "operations that are worth a second thread">,
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
  let statistics = [
    Statistic<"numOutlined", "outlined", "loops that became functions">,
  ];
}

def ToLlvm : Pass<"to-llvm", "::mlir::ModuleOp"> {
  let summary = "scalars and vectors of upstream's dialects to LLVM's";
  let description = [{
    Functions, loops, branches and ops on scalars and 1-D vectors become those of
    the LLVM dialect; index becomes i64. Keeps every bit. Ops of other dialects,
    and those without a form there, stay.
  }];
  let options = [
    Option<"bf16IsBits", "bf16-is-bits", "bool", "false",
           "a bf16, which nothing computes with, is an i16">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TESELA_TARGET_PASSES_TD
