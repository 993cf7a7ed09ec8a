//===- Detour.h - loads whose memory a store may overwrite ----------------===//

#ifndef TESELA_TARGET_CPU_DETOUR_H
#define TESELA_TARGET_CPU_DETOUR_H

#include "target/cpu/Slices.h"

namespace tesela::cpu {

/// Finds out whether `store` overlaps what `load` reads, and if so copies that
/// to scratch. From then on the load reads where it is safe to.
void lowerDetour(LoweringState &state, tile::ViewLoadOp load,
                 tile::ViewStoreOp store);

/// Whether both are of a kind that a detour can be made for.
bool canDetour(mlir::Operation *load, mlir::Operation *store);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_DETOUR_H
