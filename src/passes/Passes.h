//===- Passes.h - passes from tile to tile --------------------------------===//

#ifndef TESELA_PASSES_PASSES_H
#define TESELA_PASSES_PASSES_H

#include "dialect/tile/Tile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tesela {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

} // namespace tesela

#endif // TESELA_PASSES_PASSES_H
