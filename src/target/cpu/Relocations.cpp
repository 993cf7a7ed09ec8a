//===- Relocations.cpp - how object code refers to places -----------------===//
//
// S is the symbol's address, A the addend, P the place; the psABI documents of
// x86-64 and AArch64 give the formulas. Calls go through a stub where the
// symbol lies outside the image, for it may be farther away than a call
// reaches.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Relocations.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm::ELF;

namespace tesela::cpu {

template <typename T> static FixupResult write(const Fixup &fixup, T value) {
  if (fixup.room < sizeof(T))
    return FixupResult::OutOfSection;
  std::memcpy(fixup.place, &value, sizeof(T));
  return FixupResult::Done;
}

static FixupResult write32Signed(const Fixup &fixup, int64_t value) {
  return llvm::isInt<32>(value) ? write(fixup, int32_t(value))
                                : FixupResult::OutOfRange;
}

static FixupResult applyX86(const Fixup &fixup) {
  uint64_t place = reinterpret_cast<uint64_t>(fixup.place);
  uint64_t target = fixup.symbol + uint64_t(fixup.addend);
  switch (fixup.type) {
  case R_X86_64_NONE:
    return FixupResult::Done;
  case R_X86_64_64:
    return write(fixup, target);
  case R_X86_64_PC64:
    return write(fixup, target - place);
  case R_X86_64_PC32:
  case R_X86_64_PLT32:
    if (fixup.stub)
      target = fixup.stub + uint64_t(fixup.addend);
    return write32Signed(fixup, int64_t(target - place));
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    if (!fixup.slot)
      return FixupResult::UnknownType;
    return write32Signed(fixup,
                         int64_t(fixup.slot + uint64_t(fixup.addend) - place));
  default:
    return FixupResult::UnknownType;
  }
}

/// Puts `value` into the bits of an instruction word that `mask` names.
static FixupResult patch(const Fixup &fixup, uint32_t mask, uint32_t value) {
  uint32_t word;
  if (fixup.room < sizeof(word))
    return FixupResult::OutOfSection;
  std::memcpy(&word, fixup.place, sizeof(word));
  return write(fixup, (word & ~mask) | (value & mask));
}

/// The page offset in a load, store or add: bits 10 to 21, in units of what is
/// accessed.
static FixupResult patchPageOffset(const Fixup &fixup, uint64_t target,
                                   unsigned shift) {
  uint64_t offset = target & 0xfff;
  if (offset & ((uint64_t(1) << shift) - 1))
    return FixupResult::OutOfRange;
  return patch(fixup, 0x003ffc00, uint32_t(offset >> shift) << 10);
}

/// The distance in pages in an ADRP.
static FixupResult patchPage(const Fixup &fixup, uint64_t target,
                             uint64_t place) {
  int64_t pages =
      int64_t((target & ~uint64_t(0xfff)) - (place & ~uint64_t(0xfff))) / 4096;
  if (!llvm::isInt<21>(pages))
    return FixupResult::OutOfRange;
  return patch(fixup, 0x60ffffe0,
               (uint32_t(pages & 3) << 29) |
                   ((uint32_t(pages >> 2) & 0x7ffff) << 5));
}

static FixupResult applyAArch64(const Fixup &fixup) {
  uint64_t place = reinterpret_cast<uint64_t>(fixup.place);
  uint64_t target = fixup.symbol + uint64_t(fixup.addend);
  switch (fixup.type) {
  case R_AARCH64_NONE:
    return FixupResult::Done;
  case R_AARCH64_ABS64:
    return write(fixup, target);
  case R_AARCH64_PREL64:
    return write(fixup, target - place);
  case R_AARCH64_PREL32:
    return write32Signed(fixup, int64_t(target - place));
  case R_AARCH64_CALL26:
  case R_AARCH64_JUMP26: {
    int64_t distance = int64_t((fixup.stub ? fixup.stub : target) - place);
    if (!llvm::isInt<28>(distance) || distance & 3)
      return FixupResult::OutOfRange;
    return patch(fixup, 0x03ffffff, uint32_t(distance >> 2));
  }
  case R_AARCH64_ADR_PREL_PG_HI21:
    return patchPage(fixup, target, place);
  case R_AARCH64_ADD_ABS_LO12_NC:
  case R_AARCH64_LDST8_ABS_LO12_NC:
    return patchPageOffset(fixup, target, 0);
  case R_AARCH64_LDST16_ABS_LO12_NC:
    return patchPageOffset(fixup, target, 1);
  case R_AARCH64_LDST32_ABS_LO12_NC:
    return patchPageOffset(fixup, target, 2);
  case R_AARCH64_LDST64_ABS_LO12_NC:
    return patchPageOffset(fixup, target, 3);
  case R_AARCH64_LDST128_ABS_LO12_NC:
    return patchPageOffset(fixup, target, 4);
  case R_AARCH64_ADR_GOT_PAGE:
    return fixup.slot ? patchPage(fixup, fixup.slot, place)
                      : FixupResult::UnknownType;
  case R_AARCH64_LD64_GOT_LO12_NC:
    return fixup.slot ? patchPageOffset(fixup, fixup.slot, 3)
                      : FixupResult::UnknownType;
  default:
    return FixupResult::UnknownType;
  }
}

FixupResult applyFixup(uint16_t machine, const Fixup &fixup) {
  return machine == EM_X86_64 ? applyX86(fixup) : applyAArch64(fixup);
}

} // namespace tesela::cpu
