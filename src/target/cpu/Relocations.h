//===- Relocations.h - how object code refers to places -------------------===//

#ifndef TESELA_TARGET_CPU_RELOCATIONS_H
#define TESELA_TARGET_CPU_RELOCATIONS_H

#include <cstdint>

namespace tesela::cpu {

/// What a relocation needs to know.
struct Fixup {
  /// The ELF number of its kind.
  uint32_t type = 0;
  /// Where it is in memory, and how many bytes of its section are left there.
  uint8_t *place = nullptr;
  uint64_t room = 0;
  /// What it refers to.
  uint64_t symbol = 0;
  int64_t addend = 0;
  /// 8 bytes that hold the symbol's address, and code that jumps to it; 0 where
  /// the symbol has none.
  uint64_t slot = 0;
  uint64_t stub = 0;
};

enum class FixupResult { Done, UnknownType, OutOfSection, OutOfRange };

/// Writes the place of one relocation of an object of this ELF machine.
FixupResult applyFixup(uint16_t machine, const Fixup &fixup);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_RELOCATIONS_H
