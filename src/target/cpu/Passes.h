//===- Passes.h - passes of the CPU target --------------------------------===//

#ifndef TESELA_TARGET_CPU_PASSES_H
#define TESELA_TARGET_CPU_PASSES_H

#include "support/TargetFacts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tesela::cpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "target/cpu/Passes.h.inc"

/// `cpu-expand-math` with the options that suit a processor.
std::unique_ptr<mlir::Pass> createCpuExpandMath(const TargetFacts &facts);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_PASSES_H
