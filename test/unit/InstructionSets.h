//===- InstructionSets.h - the host without some instructions -------------===//

#ifndef TESELA_TEST_UNIT_INSTRUCTIONSETS_H
#define TESELA_TEST_UNIT_INSTRUCTIONSETS_H

#include "target/cpu/Cpu.h"
#include "target/cpu/Machine.h"

#include <optional>

namespace tesela::test {

/// What code has to do without, one at a time; those that build on it go too.
constexpr const char *instructionSets[] = {
#ifdef __x86_64__
    "avx512f", "avx2", "fma", "f16c", "avx",
#else
    "sve",
    "bf16",
    "dotprod",
    "fullfp16",
#endif
};

/// Nothing where the host has no such instructions anyway.
inline std::optional<TargetFacts> hostWithout(const char *feature) {
  TargetFacts facts = cpu::hostFacts();
  if (!cpu::hasFeature(facts, feature) ||
      !cpu::switchOff(facts, feature).empty())
    return std::nullopt;
  return facts;
}

} // namespace tesela::test

#endif // TESELA_TEST_UNIT_INSTRUCTIONSETS_H
