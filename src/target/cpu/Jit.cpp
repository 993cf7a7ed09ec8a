//===- Jit.cpp - object code in this process ------------------------------===//
//
//   file:   [ELF header | sections | symbols | relocations]
//   memory: [code, stubs | constants | data]   one mapping, W^X
//
// A kernel's object is a few sections and a few kinds of relocation, so that a
// loader which checks every offset before it is used is short, and takes
// microseconds. What comes from a damaged file gives a reason; nothing outside
// the mapping is ever written. (LLVM's linkers trust their input, and take
// milliseconds to set up.)
//
// Names outside the object are the C library's memory and maths functions in
// the table below, nothing else of the process.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Cpu.h"
#include "target/cpu/ElfTable.h"
#include "target/cpu/ProcessSymbols.h"
#include "target/cpu/Relocations.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;
using namespace llvm::ELF;

namespace tesela::cpu {

#if defined(__x86_64__)
static constexpr uint16_t hostMachine = EM_X86_64;
#elif defined(__aarch64__)
static constexpr uint16_t hostMachine = EM_AARCH64;
#else
#error "Tesela runs on x86-64 and AArch64"
#endif

/// A page on every system with one of these processors divides this.
static constexpr uint64_t pageAlignment = 65536;
/// No kernel comes near it; a damaged file may ask for anything.
static constexpr uint64_t largestImage = uint64_t(1) << 30;
/// Of a stub: the code, and from byte 8 on the address that it jumps to.
static constexpr uint64_t stubBytes = 16;

struct LoadedObject::State {
  uint8_t *base = nullptr;
  uint64_t size = 0;
  StringMap<void *> symbols;

  ~State() {
    if (base)
      munmap(base, size);
  }
};

namespace {

class Loader {
public:
  Loader(StringRef file, std::string &error) : file(file), error(error) {}

  /// Fills the state; false with a reason where the object can't be loaded.
  bool load(uint8_t *&base, uint64_t &size, StringMap<void *> &symbols);

private:
  enum Region { Code, Constants, Data, numRegions };

  struct Symbol {
    StringRef name;
    uint64_t address = 0;
    uint64_t stub = 0;
    bool isOutside = false;
  };

  bool fail(const Twine &reason) {
    error = ("the object file can't be loaded: " + reason).str();
    return false;
  }

  bool readSections();
  bool readSymbols();
  bool layOut();
  bool place(uint8_t *base);
  bool resolve(uint8_t *base);
  bool relocate(uint8_t *base);
  bool protect(uint8_t *base);

  static Region regionOf(const Elf64_Shdr &section) {
    if (section.sh_flags & SHF_EXECINSTR)
      return Code;
    return section.sh_flags & SHF_WRITE ? Data : Constants;
  }

  StringRef file;
  std::string &error;
  std::vector<Elf64_Shdr> sections;
  /// Of each section in the image; only of those that are in it.
  std::vector<uint64_t> offsets;
  std::vector<Elf64_Sym> rawSymbols;
  std::vector<Symbol> symbols;
  StringRef symbolNames;
  uint64_t regionEnds[numRegions] = {};
  uint64_t stubsAt = 0;
};

bool Loader::readSections() {
  std::vector<Elf64_Ehdr> headers;
  if (!readTable(file, 0, 1, headers))
    return fail("it is too short");
  const Elf64_Ehdr &header = headers.front();
  if (!header.checkMagic() || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_REL)
    return fail("it is no relocatable 64-bit ELF file");
  if (header.e_machine != hostMachine)
    return fail("it is for another processor");
  if (header.e_shentsize != sizeof(Elf64_Shdr) ||
      !readTable(file, header.e_shoff, header.e_shnum, sections))
    return fail("its section table is damaged");

  for (const Elf64_Shdr &section : sections) {
    if (section.sh_type == SHT_NULL || section.sh_type == SHT_NOBITS)
      continue;
    if (section.sh_offset > file.size() ||
        section.sh_size > file.size() - section.sh_offset)
      return fail("a section lies outside the file");
  }
  return true;
}

bool Loader::readSymbols() {
  const Elf64_Shdr *table = nullptr;
  for (const Elf64_Shdr &section : sections)
    if (section.sh_type == SHT_SYMTAB)
      table = &section;
  if (!table)
    return fail("it has no symbols");
  if (table->sh_entsize != sizeof(Elf64_Sym) ||
      !readTable(file, table->sh_offset, table->sh_size / sizeof(Elf64_Sym),
                 rawSymbols) ||
      table->sh_link >= sections.size() ||
      sections[table->sh_link].sh_type != SHT_STRTAB)
    return fail("its symbol table is damaged");

  const Elf64_Shdr &strings = sections[table->sh_link];
  symbolNames = file.substr(strings.sh_offset, strings.sh_size);
  if (!symbolNames.ends_with(StringRef("\0", 1)))
    return fail("its symbols' names are damaged");

  symbols.resize(rawSymbols.size());
  for (auto [raw, symbol] : zip_equal(rawSymbols, symbols)) {
    if (raw.st_name >= symbolNames.size())
      return fail("a symbol's name is damaged");
    symbol.name = StringRef(symbolNames.data() + raw.st_name);
  }
  return true;
}

/// Gives every section that takes memory its place in the image.
bool Loader::layOut() {
  offsets.assign(sections.size(), 0);
  uint64_t end = 0;
  for (unsigned region = 0; region < numRegions; ++region) {
    for (auto [section, offset] : zip_equal(sections, offsets)) {
      if (!(section.sh_flags & SHF_ALLOC) || regionOf(section) != region)
        continue;
      if (section.sh_flags & SHF_TLS)
        return fail("it has thread-local data");
      uint64_t alignment = std::max<uint64_t>(section.sh_addralign, 1);
      if (!isPowerOf2_64(alignment) || alignment > 4096)
        return fail("a section's alignment is damaged");
      if (section.sh_size > largestImage)
        return fail("it is too large");
      offset = alignTo(end, alignment);
      end = offset + section.sh_size;
      if (end > largestImage)
        return fail("it is too large");
    }
    if (region == Code) {
      stubsAt = alignTo(end, stubBytes);
      end = stubsAt + symbols.size() * stubBytes;
    }
    end = alignTo(end, pageAlignment);
    regionEnds[region] = end;
  }
  return end <= largestImage || fail("it is too large");
}

bool Loader::place(uint8_t *base) {
  for (auto [section, offset] : zip_equal(sections, offsets))
    if (section.sh_flags & SHF_ALLOC && section.sh_type != SHT_NOBITS &&
        section.sh_size)
      std::memcpy(base + offset, file.data() + section.sh_offset,
                  section.sh_size);
  return true;
}

/// Finds each symbol's address, and writes a stub for those that other files
/// may name or define.
bool Loader::resolve(uint8_t *base) {
  for (auto [index, raw] : enumerate(rawSymbols)) {
    Symbol &symbol = symbols[index];
    unsigned section = raw.st_shndx;
    if (index == 0 || raw.getType() == STT_FILE)
      continue;
    if (section == SHN_UNDEF) {
      symbol.isOutside = true;
      symbol.address = findProcessSymbol(symbol.name);
      if (!symbol.address)
        return fail("it needs `" + symbol.name + "`, which is not provided");
    } else if (section == SHN_ABS) {
      symbol.address = raw.st_value;
    } else if (section >= sections.size()) {
      return fail("the symbol `" + symbol.name + "` is in no section");
    } else if (!(sections[section].sh_flags & SHF_ALLOC)) {
      continue;
    } else if (raw.st_value > sections[section].sh_size) {
      return fail("the symbol `" + symbol.name + "` is outside its section");
    } else {
      symbol.address =
          reinterpret_cast<uint64_t>(base) + offsets[section] + raw.st_value;
    }

    if (raw.getBinding() == STB_LOCAL)
      continue;
    uint8_t *stub = base + stubsAt + index * stubBytes;
    if (hostMachine == EM_X86_64) {
      // jmp *2(%rip)
      const uint8_t jump[8] = {0xff, 0x25, 0x02, 0x00, 0x00, 0x00, 0xcc, 0xcc};
      std::memcpy(stub, jump, sizeof(jump));
    } else {
      // ldr x16, #8; br x16
      const uint32_t jump[2] = {0x58000050, 0xd61f0200};
      std::memcpy(stub, jump, sizeof(jump));
    }
    std::memcpy(stub + 8, &symbol.address, sizeof(symbol.address));
    symbol.stub = reinterpret_cast<uint64_t>(stub);
  }
  return true;
}

bool Loader::relocate(uint8_t *base) {
  std::vector<Elf64_Rela> entries;
  for (const Elf64_Shdr &table : sections) {
    if (table.sh_type != SHT_RELA && table.sh_type != SHT_REL)
      continue;
    if (table.sh_info >= sections.size())
      return fail("a relocation table is damaged");
    const Elf64_Shdr &section = sections[table.sh_info];
    if (!(section.sh_flags & SHF_ALLOC))
      continue;
    if (table.sh_type == SHT_REL || table.sh_entsize != sizeof(Elf64_Rela) ||
        section.sh_type == SHT_NOBITS ||
        !readTable(file, table.sh_offset, table.sh_size / sizeof(Elf64_Rela),
                   entries))
      return fail("a relocation table is damaged");

    uint64_t sectionAt = offsets[table.sh_info];
    for (const Elf64_Rela &entry : entries) {
      if (entry.getSymbol() >= symbols.size())
        return fail("a relocation names no symbol");
      if (entry.r_offset > section.sh_size)
        return fail("a relocation lies outside its section");
      const Symbol &symbol = symbols[entry.getSymbol()];
      Fixup fixup;
      fixup.type = entry.getType();
      fixup.place = base + sectionAt + entry.r_offset;
      fixup.room = section.sh_size - entry.r_offset;
      fixup.symbol = symbol.address;
      fixup.addend = entry.r_addend;
      fixup.slot = symbol.stub ? symbol.stub + 8 : 0;
      fixup.stub = symbol.isOutside ? symbol.stub : 0;
      switch (applyFixup(hostMachine, fixup)) {
      case FixupResult::Done:
        break;
      case FixupResult::UnknownType:
        return fail("relocation type " + Twine(fixup.type) + " is unknown");
      case FixupResult::OutOfSection:
        return fail("a relocation lies outside its section");
      case FixupResult::OutOfRange:
        return fail("a relocation does not reach `" + symbol.name + "`");
      }
    }
  }
  return true;
}

bool Loader::protect(uint8_t *base) {
  const int access[numRegions] = {PROT_READ | PROT_EXEC, PROT_READ,
                                  PROT_READ | PROT_WRITE};
  uint64_t begin = 0;
  for (unsigned region = 0; region < numRegions; ++region) {
    uint64_t end = regionEnds[region];
    if (end > begin && mprotect(base + begin, end - begin, access[region]))
      return fail(std::strerror(errno));
    begin = end;
  }
  __builtin___clear_cache(reinterpret_cast<char *>(base),
                          reinterpret_cast<char *>(base + regionEnds[Code]));
  return true;
}

bool Loader::load(uint8_t *&base, uint64_t &size, StringMap<void *> &found) {
  if (!readSections() || !readSymbols() || !layOut())
    return false;
  size = regionEnds[numRegions - 1];
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return fail(std::strerror(errno));
  base = static_cast<uint8_t *>(memory);
  if (!place(base) || !resolve(base) || !relocate(base) || !protect(base))
    return false;
  for (auto [raw, symbol] : zip_equal(rawSymbols, symbols))
    if (raw.getBinding() == STB_GLOBAL && !symbol.isOutside && symbol.address)
      found[symbol.name] = reinterpret_cast<void *>(symbol.address);
  return true;
}

} // namespace

std::unique_ptr<LoadedObject> LoadedObject::load(const std::string &object,
                                                 std::string &error) {
  error.clear();
  auto state = std::make_unique<State>();
  Loader loader(object, error);
  if (!loader.load(state->base, state->size, state->symbols))
    return nullptr;
  return std::unique_ptr<LoadedObject>(new LoadedObject(std::move(state)));
}

LoadedObject::LoadedObject(std::unique_ptr<State> state)
    : state(std::move(state)) {}

LoadedObject::~LoadedObject() = default;

void *LoadedObject::find(const std::string &symbol) const {
  return state->symbols.lookup(symbol);
}

} // namespace tesela::cpu
