//===- DotOperands.h - where the dots of a loop find their operands -------===//

#ifndef TESELA_TARGET_CPU_DOTOPERANDS_H
#define TESELA_TARGET_CPU_DOTOPERANDS_H

#include "target/cpu/Slices.h"

namespace tesela::cpu {

/// The next iterations of a loop that dots are computed for, as i64.
struct Iterations {
  /// How many times as many came before.
  mlir::Value number;
  /// How many there are.
  mlir::Value count;
  /// The loop's variable in the first, sign-extended.
  mlir::Value variable;
};

/// Decides, in the generated code, which operands the iterations have to copy,
/// and from where the dots read.
void findDotOperands(LoweringState &state, llvm::ArrayRef<LoopOperand> operands,
                     const Iterations &iterations);

/// Where an iteration, counted from the first of these, puts what it copies.
void placeParts(LoweringState &state, llvm::ArrayRef<LoopOperand> operands,
                mlir::Value iteration);

/// Before the first instance: nothing is kept yet.
void forgetKept(LoweringState &state);

/// After a step that writes memory: what is kept of there holds no longer.
void forgetWritten(LoweringState &state, mlir::Operation *store);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_DOTOPERANDS_H
