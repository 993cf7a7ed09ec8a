//===- JoinObjects.cpp - one object file of two ---------------------------===//
//
//   first:   .text  calls f        joined:  .text   .text
//   second:  .text  f:        ==>           symbols: f is local
//
// Sections are put one after the other as they are; only what names a section
// or a symbol by its number is written anew: symbols, relocations and headers.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/JoinObjects.h"

#include "target/cpu/ElfTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;
using namespace llvm::ELF;

namespace tesela::cpu {

namespace {

struct Section {
  Elf64_Shdr header;
  StringRef name;
  StringRef contents;
  /// The file that it is from.
  unsigned file;
};

struct Symbol {
  Elf64_Sym raw;
  StringRef name;

  bool isDefined() const { return raw.st_shndx != SHN_UNDEF; }
  bool isHidden() const { return (raw.st_other & 3) == STV_HIDDEN; }
  bool isLocal() const {
    return raw.getBinding() == STB_LOCAL || (isDefined() && isHidden());
  }
};

class Joiner {
public:
  explicit Joiner(std::string &error) : error(error) {}

  bool add(StringRef file);
  std::string write();

private:
  bool fail(const Twine &reason) {
    error = ("the object files can't be joined: " + reason).str();
    return false;
  }

  bool addSections(StringRef file);
  bool addSymbols(StringRef file);
  void numberSymbols();
  std::string relocationsOf(const Section &section) const;

  std::string &error;
  Elf64_Ehdr header = {};
  std::vector<Section> sections;
  std::vector<Symbol> symbols;
  StringMap<unsigned> globals;
  /// By file: new numbers of sections, 0 where one was left out, and the place
  /// in `symbols` of each symbol.
  std::vector<std::vector<unsigned>> sectionNumbers, symbolPlaces;
  /// The new number of each of `symbols`, and how many of them are local.
  std::vector<unsigned> symbolNumbers;
  unsigned numLocals = 0;
};

/// The text at an offset of a table of them; empty where there is none.
StringRef nameAt(StringRef table, uint64_t offset) {
  return table.substr(offset).split('\0').first;
}

template <typename T>
void append(std::string &bytes, const T &value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

} // namespace

bool Joiner::addSections(StringRef file) {
  std::vector<Elf64_Ehdr> headers;
  std::vector<Elf64_Shdr> table;
  if (!readTable(file, 0, 1, headers))
    return fail("one is too short");
  const Elf64_Ehdr &own = headers.front();
  if (!own.checkMagic() || own.e_ident[EI_CLASS] != ELFCLASS64 ||
      own.e_ident[EI_DATA] != ELFDATA2LSB || own.e_type != ET_REL ||
      own.e_shentsize != sizeof(Elf64_Shdr))
    return fail("one is no relocatable 64-bit ELF file");
  if (sectionNumbers.empty())
    header = own;
  if (own.e_machine != header.e_machine)
    return fail("they are for different processors");
  if (!readTable(file, own.e_shoff, own.e_shnum, table) ||
      own.e_shstrndx >= table.size())
    return fail("a section table is damaged");

  auto contentsOf = [&](const Elf64_Shdr &section) {
    return section.sh_type == SHT_NOBITS
               ? StringRef()
               : file.substr(section.sh_offset, section.sh_size);
  };
  StringRef names = contentsOf(table[own.e_shstrndx]);
  std::vector<unsigned> &numbers = sectionNumbers.emplace_back();
  for (const Elf64_Shdr &section : table) {
    // Tables of names and numbers are made anew.
    bool isLeft =
        is_contained({SHT_NULL, SHT_SYMTAB, SHT_STRTAB}, section.sh_type) ||
        section.sh_type == SHT_LLVM_ADDRSIG;
    numbers.push_back(isLeft ? 0 : unsigned(sections.size() + 1));
    if (!isLeft)
      sections.push_back({section, nameAt(names, section.sh_name),
                          contentsOf(section),
                          unsigned(sectionNumbers.size() - 1)});
  }
  for (const Elf64_Shdr &section : table)
    if (section.sh_type == SHT_GROUP)
      return fail("one has groups of sections");
  return true;
}

bool Joiner::addSymbols(StringRef file) {
  std::vector<Elf64_Ehdr> headers;
  std::vector<Elf64_Shdr> table;
  std::vector<Elf64_Sym> raws;
  readTable(file, 0, 1, headers);
  readTable(file, headers.front().e_shoff, headers.front().e_shnum, table);
  auto found = find_if(table, [](const Elf64_Shdr &section) {
    return section.sh_type == SHT_SYMTAB;
  });
  if (found == table.end() || found->sh_link >= table.size() ||
      !readTable(file, found->sh_offset, found->sh_size / sizeof(Elf64_Sym),
                 raws))
    return fail("a symbol table is damaged");
  StringRef names = file.substr(table[found->sh_link].sh_offset,
                                table[found->sh_link].sh_size);

  ArrayRef<unsigned> numbers = sectionNumbers.back();
  std::vector<unsigned> &places = symbolPlaces.emplace_back();
  for (Elf64_Sym raw : raws) {
    // Both begin with the symbol that is none.
    if (places.empty() && !symbols.empty()) {
      places.push_back(0);
      continue;
    }
    Symbol symbol = {raw, nameAt(names, raw.st_name)};
    if (raw.st_shndx != SHN_UNDEF && raw.st_shndx < SHN_LORESERVE) {
      if (raw.st_shndx >= numbers.size() || !numbers[raw.st_shndx])
        return fail("a symbol is in no section");
      symbol.raw.st_shndx = uint16_t(numbers[raw.st_shndx]);
    }
    places.push_back(unsigned(symbols.size()));
    if (raw.getBinding() != STB_LOCAL) {
      auto [known, isNew] =
          globals.try_emplace(symbol.name, unsigned(symbols.size()));
      if (!isNew) {
        Symbol &other = symbols[known->second];
        if (other.isDefined() && symbol.isDefined())
          return fail("both define `" + symbol.name + "`");
        if (symbol.isDefined())
          other = symbol;
        places.back() = known->second;
        continue;
      }
    }
    symbols.push_back(symbol);
  }
  return true;
}

bool Joiner::add(StringRef file) {
  return addSections(file) && addSymbols(file);
}

/// Local symbols come first, as ELF wants them.
void Joiner::numberSymbols() {
  symbolNumbers.resize(symbols.size());
  unsigned next = 0;
  for (bool local : {true, false}) {
    for (auto [symbol, number] : zip_equal(symbols, symbolNumbers))
      if (symbol.isLocal() == local)
        number = next++;
    if (local)
      numLocals = next;
  }
}

std::string Joiner::relocationsOf(const Section &section) const {
  ArrayRef<unsigned> places = symbolPlaces[section.file];
  std::vector<Elf64_Rela> entries;
  readTable(section.contents, 0, section.contents.size() / sizeof(Elf64_Rela),
            entries);
  std::string bytes;
  for (Elf64_Rela &entry : entries) {
    unsigned place =
        entry.getSymbol() < places.size() ? places[entry.getSymbol()] : 0;
    entry.setSymbolAndType(symbolNumbers[place], entry.getType());
    append(bytes, entry);
  }
  return bytes;
}

std::string Joiner::write() {
  numberSymbols();
  std::string names(1, '\0');
  auto nameOf = [&](StringRef name) -> uint32_t {
    if (name.empty())
      return 0;
    auto offset = uint32_t(names.size());
    names.append(name.begin(), name.end());
    names += '\0';
    return offset;
  };

  std::string bytes(sizeof(Elf64_Ehdr), '\0');
  std::vector<Elf64_Shdr> table(1);
  auto put = [&](Elf64_Shdr entry, StringRef contents) {
    bytes.resize(
        alignTo(bytes.size(), std::max<uint64_t>(entry.sh_addralign, 1)));
    entry.sh_offset = bytes.size();
    bytes.append(contents.begin(), contents.end());
    table.push_back(entry);
  };
  auto symbolTable = uint32_t(sections.size() + 1);
  for (const Section &section : sections) {
    Elf64_Shdr entry = section.header;
    entry.sh_name = nameOf(section.name);
    if (entry.sh_type == SHT_RELA) {
      ArrayRef<unsigned> numbers = sectionNumbers[section.file];
      entry.sh_link = symbolTable;
      entry.sh_info =
          entry.sh_info < numbers.size() ? numbers[entry.sh_info] : 0;
      put(entry, relocationsOf(section));
    } else {
      put(entry, section.contents);
    }
  }

  std::vector<Elf64_Sym> raws(symbols.size());
  for (auto [symbol, number] : zip_equal(symbols, symbolNumbers)) {
    Elf64_Sym &raw = raws[number] = symbol.raw;
    raw.st_name = nameOf(symbol.name);
    if (symbol.isLocal()) {
      raw.setBinding(STB_LOCAL);
      raw.st_other = STV_DEFAULT;
    }
  }
  Elf64_Shdr entry = {};
  entry.sh_type = SHT_SYMTAB;
  entry.sh_name = nameOf(".symtab");
  entry.sh_size = raws.size() * sizeof(Elf64_Sym);
  entry.sh_entsize = sizeof(Elf64_Sym);
  entry.sh_addralign = 8;
  entry.sh_link = symbolTable + 1;
  entry.sh_info = numLocals;
  put(entry,
      StringRef(reinterpret_cast<const char *>(raws.data()), entry.sh_size));
  entry = {};
  entry.sh_type = SHT_STRTAB;
  entry.sh_name = nameOf(".strtab");
  entry.sh_size = names.size();
  entry.sh_addralign = 1;
  put(entry, names);

  bytes.resize(alignTo(bytes.size(), 8));
  header.e_shoff = bytes.size();
  header.e_shnum = uint16_t(table.size());
  header.e_shstrndx = uint16_t(table.size() - 1);
  for (const Elf64_Shdr &each : table)
    append(bytes, each);
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

std::string joinObjects(const std::string &first, const std::string &second,
                        std::string &error) {
  error.clear();
  Joiner joiner(error);
  if (!joiner.add(first) || !joiner.add(second))
    return {};
  return joiner.write();
}

} // namespace tesela::cpu
