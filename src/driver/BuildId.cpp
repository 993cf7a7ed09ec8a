//===- BuildId.cpp - which build of the library this is -------------------===//

#include "driver/BuildId.h"

#include "llvm/ADT/StringExtras.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>

namespace tesela::driver {

namespace {
struct Search {
  uintptr_t address;
  std::string id;
  std::string file;
};
} // namespace

static bool contains(const dl_phdr_info &info, uintptr_t address) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto &header = info.dlpi_phdr[i];
    uintptr_t begin = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && address >= begin &&
        address < begin + header.p_memsz)
      return true;
  }
  return false;
}

/// The note that `ld --build-id` leaves.
static std::string findNote(const char *begin, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    auto *note = reinterpret_cast<const ElfW(Nhdr) *>(begin);
    size_t nameSize = (note->n_namesz + 3) & ~3u;
    size_t whole = sizeof(ElfW(Nhdr)) + nameSize + ((note->n_descsz + 3) & ~3u);
    if (whole > size)
      break;
    const char *name = begin + sizeof(ElfW(Nhdr));
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
        llvm::StringRef(name, 4) == llvm::StringRef("GNU\0", 4))
      return llvm::toHex(llvm::StringRef(name + nameSize, note->n_descsz));
    begin += whole;
    size -= whole;
  }
  return "";
}

static int visit(dl_phdr_info *info, size_t, void *context) {
  auto &search = *static_cast<Search *>(context);
  if (!contains(*info, search.address))
    return 0;
  search.file = info->dlpi_name;
  for (int i = 0; i < info->dlpi_phnum && search.id.empty(); ++i) {
    const auto &header = info->dlpi_phdr[i];
    if (header.p_type == PT_NOTE)
      search.id = findNote(
          reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr),
          header.p_memsz);
  }
  return 1;
}

const std::string &buildId() {
  static const std::string id = [] {
    Search search = {reinterpret_cast<uintptr_t>(&visit), "", ""};
    dl_iterate_phdr(visit, &search);
    if (!search.id.empty())
      return search.id;
    // Linked without a note: the file's size and time will do.
    struct stat status;
    std::string file = search.file.empty() ? "/proc/self/exe" : search.file;
    if (stat(file.c_str(), &status) != 0)
      return std::string("unknown");
    return std::to_string(status.st_size) + "-" +
           std::to_string(status.st_mtim.tv_sec) + "-" +
           std::to_string(status.st_mtim.tv_nsec);
  }();
  return id;
}

} // namespace tesela::driver
