//===- Blocks.h - the kernel's blocks, step by step -----------------------===//

#ifndef TESELA_TARGET_CPU_BLOCKS_H
#define TESELA_TARGET_CPU_BLOCKS_H

#include "target/cpu/Slices.h"

namespace tesela::cpu {

/// Where an instance stands in the grid, as i32.
struct ProgramPosition {
  mlir::Value id[3];
  mlir::Value count[3];
};

/// Writes a block's steps at the insertion point, without its terminator.
void lowerBlock(LoweringState &state, mlir::Block &block,
                const ProgramPosition &position);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_BLOCKS_H
