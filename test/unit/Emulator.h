//===- Emulator.h - AArch64 programs on any host --------------------------===//

#ifndef TESELA_TEST_UNIT_EMULATOR_H
#define TESELA_TEST_UNIT_EMULATOR_H

#include "support/TargetFacts.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tesela::test {

/// A processor that the emulator has.
TargetFacts emulatedFacts();

/// Whether clang, lld and qemu-aarch64 are here.
bool canEmulate();

/// Links an object file for AArch64 with C text whose `int run(void)` uses it,
/// and gives what the program writes when it reads `input`. No C library is
/// linked; before `run` stand
///
///   word read(void *memory, word bytes)     as many as there are
///   void write(const void *memory, word bytes)
///
/// and memcpy, memmove and memset. Nothing, with the reason in `error`, where
/// that fails or `run` gives something else than 0.
std::optional<std::string> emulate(llvm::StringRef object, llvm::StringRef text,
                                   llvm::StringRef input, std::string &error);

} // namespace tesela::test

#endif // TESELA_TEST_UNIT_EMULATOR_H
