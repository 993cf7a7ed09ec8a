//===- DiskCache.h - machine code that outlives the process ---------------===//
//
// A folder of files, one an entry, named for the hash of what it was made from.
// An entry is written beside its place and renamed into it, so that a reader
// sees all of it or nothing, and any number of processes may write at once
// without locks. Each carries its name and a checksum: what is damaged,
// truncated or was put there by someone else is as if it were absent.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_DRIVER_DISKCACHE_H
#define TESELA_DRIVER_DISKCACHE_H

#include "support/Options.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace tesela::driver {

class DiskCache {
public:
  /// Without a folder, nothing is kept.
  DiskCache(std::string folder, uint64_t maxBytes);

  /// The folder that the options and the environment name; empty for none.
  static std::string folderFor(const Options &options);

  bool isEnabled() const { return enabled.load(std::memory_order_relaxed); }
  const std::string &folder() const { return path; }

  /// The contents of an entry, which counts as used now.
  std::optional<std::string> read(const std::string &name);
  void write(const std::string &name, const std::string &contents);

  /// Why nothing is kept, the first time that it is asked for after a failure.
  std::string takeWarning();

  /// Removes the entries that were not used for longest until at most three
  /// quarters of the limit are left, where it is exceeded.
  void shrink();

private:
  bool prepare();
  void disable(const std::string &reason);

  std::string path;
  uint64_t maxBytes;
  std::atomic<bool> enabled;
  std::atomic<unsigned> writes = 0;
  std::mutex mutex;
  bool prepared = false;
  std::string warning;
};

} // namespace tesela::driver

#endif // TESELA_DRIVER_DISKCACHE_H
