//===- ElfTable.h - tables of an object file ------------------------------===//

#ifndef TESELA_TARGET_CPU_ELFTABLE_H
#define TESELA_TARGET_CPU_ELFTABLE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace tesela::cpu {

/// Copies `count` entries at an offset, which need not be aligned; false where
/// the file has not so many bytes.
template <typename T>
bool readTable(llvm::StringRef file, uint64_t offset, uint64_t count,
               std::vector<T> &table) {
  if (offset > file.size() || count > (file.size() - offset) / sizeof(T))
    return false;
  table.resize(count);
  if (count)
    std::memcpy(table.data(), file.data() + offset, count * sizeof(T));
  return true;
}

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_ELFTABLE_H
