//===- EmulatedKernel.h - kernels as AArch64 code under the emulator ------===//

#ifndef TESELA_TEST_UNIT_EMULATEDKERNEL_H
#define TESELA_TEST_UNIT_EMULATEDKERNEL_H

#include "generate/Differential.h"

namespace tesela::test {

/// The tile passes and the CPU target for `emulatedFacts()`. As
/// `compiledForCpu` does, it runs the later half of the instances first on
/// poisoned scratch memory, and the general code where a precondition does not
/// hold. Object files must be well formed, and need nothing but the C library's
/// memory functions.
Implementation emulatedOnAArch64();

} // namespace tesela::test

#endif // TESELA_TEST_UNIT_EMULATEDKERNEL_H
