//===- ProcessSymbols.h - what kernels may use of the C library -----------===//

#ifndef TESELA_TARGET_CPU_PROCESSSYMBOLS_H
#define TESELA_TARGET_CPU_PROCESSSYMBOLS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tesela::cpu {

/// The address of a memory or maths function of the C library; 0 for any other
/// name.
uint64_t findProcessSymbol(llvm::StringRef name);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_PROCESSSYMBOLS_H
