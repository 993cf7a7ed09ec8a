//===- Passes.td - passes of the CPU target -------------------------------===//

#ifndef TESELA_TARGET_CPU_PASSES_TD
#define TESELA_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // TESELA_TARGET_CPU_PASSES_TD
