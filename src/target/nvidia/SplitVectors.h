//===- SplitVectors.h - vectors become registers --------------------------===//

#ifndef TESELA_TARGET_NVIDIA_SPLITVECTORS_H
#define TESELA_TARGET_NVIDIA_SPLITVECTORS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tesela::nvidia {

/// Takes vectors apart into scalars and pairs of halves, all but those that
/// loads, stores and inline assembly need.
void splitVectors(llvm::Module &module);

/// Approximations that are marked `afn` become the PTX instructions that have
/// the errors of docs/maths.md. On scalars.
void chooseInstructions(llvm::Module &module);

/// In kernels that are tight on registers, what can wait is computed where it
/// is needed.
void sinkLoads(llvm::Module &module);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_SPLITVECTORS_H
