//===- DiskCache.cpp - machine code that outlives the process -------------===//

#include "driver/DiskCache.h"

#include "support/Hash.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tesela::driver {

namespace fs = std::filesystem;

static constexpr std::string_view suffix = ".tesela";
static constexpr std::string_view temporarySuffix = ".new";
static constexpr std::string_view magic = "tesela cache entry 1\n";
/// Larger than any entry that was written here.
static constexpr uint64_t maxEntryBytes = uint64_t(1) << 30;

DiskCache::DiskCache(std::string folder, uint64_t maxBytes)
    : path(std::move(folder)), maxBytes(maxBytes), enabled(!path.empty()) {}

std::string DiskCache::folderFor(const Options &options) {
  if (!options.cache)
    return "";
  if (!options.cacheDir.empty())
    return options.cacheDir;
  auto absolute = [](const char *variable) -> std::string {
    const char *value = std::getenv(variable);
    return value && value[0] == '/' ? value : "";
  };
  if (std::string base = absolute("XDG_CACHE_HOME"); !base.empty())
    return base + "/tesela";
  if (std::string home = absolute("HOME"); !home.empty())
    return home + "/.cache/tesela";
  return "";
}

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

void DiskCache::disable(const std::string &reason) {
  enabled.store(false, std::memory_order_relaxed);
  warning = "machine code is not kept in `" + path + "`: " + reason;
}

/// Makes the folder, and refuses one that others may write to: what is read
/// from it will be run.
bool DiskCache::prepare() {
  std::lock_guard lock(mutex);
  if (prepared)
    return isEnabled();
  prepared = true;
  std::error_code ignored;
  fs::path parent = fs::path(path).parent_path();
  if (!parent.empty())
    fs::create_directories(parent, ignored);
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    disable(std::strerror(errno));
    return false;
  }
  struct stat status;
  if (stat(path.c_str(), &status) != 0)
    disable(std::strerror(errno));
  else if (!S_ISDIR(status.st_mode))
    disable("it is not a folder");
  else if (status.st_uid != geteuid())
    disable("it belongs to another user");
  else if (status.st_mode & (S_IWGRP | S_IWOTH))
    disable("other users may write to it");
  return isEnabled();
}

std::string DiskCache::takeWarning() {
  std::lock_guard lock(mutex);
  return std::exchange(warning, "");
}

//===----------------------------------------------------------------------===//
// Entries: magic, name, checksum, contents
//===----------------------------------------------------------------------===//

static std::string header(const std::string &name,
                          const std::string &contents) {
  std::string checksum = Hasher().add(name).add(contents).hex();
  return std::string(magic) + name + "\n" + checksum + "\n";
}

static std::optional<std::string> readFile(const std::string &file) {
  // What is no file is not waited for: a pipe would never answer.
  int descriptor =
      open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0)
    return std::nullopt;
  struct stat status;
  std::optional<std::string> result;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      uint64_t(status.st_size) <= maxEntryBytes) {
    std::string text(size_t(status.st_size), '\0');
    size_t have = 0;
    while (have < text.size()) {
      ssize_t count =
          ::read(descriptor, text.data() + have, text.size() - have);
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        break;
      have += size_t(count);
    }
    if (have == text.size())
      result = std::move(text);
  }
  close(descriptor);
  return result;
}

std::optional<std::string> DiskCache::read(const std::string &name) {
  if (!isEnabled() || !prepare())
    return std::nullopt;
  std::string file = path + "/" + name + std::string(suffix);
  std::optional<std::string> text = readFile(file);
  if (!text)
    return std::nullopt;
  size_t nameEnd = magic.size() + name.size() + 1;
  size_t begin = nameEnd + 65;
  if (text->size() < begin)
    return std::nullopt;
  std::string contents = text->substr(begin);
  if (std::string_view(*text).substr(0, begin) != header(name, contents))
    return std::nullopt;
  utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
  return contents;
}

static bool writeAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    text.remove_prefix(size_t(count));
  }
  return true;
}

void DiskCache::write(const std::string &name, const std::string &contents) {
  if (!isEnabled() || !prepare())
    return;
  static std::atomic<unsigned> serial = 0;
  std::string temporary = path + "/" + name + "." + std::to_string(getpid()) +
                          "." + std::to_string(serial++) +
                          std::string(temporarySuffix);
  int descriptor =
      open(temporary.c_str(),
           O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  bool done = false;
  int error = errno;
  if (descriptor >= 0) {
    done = writeAll(descriptor, header(name, contents)) &&
           writeAll(descriptor, contents);
    error = errno;
    if (close(descriptor) != 0)
      done = false;
    std::string file = path + "/" + name + std::string(suffix);
    if (done && rename(temporary.c_str(), file.c_str()) != 0) {
      error = errno;
      done = false;
    }
    if (!done)
      unlink(temporary.c_str());
  }
  if (!done) {
    std::lock_guard lock(mutex);
    disable(std::strerror(error));
    return;
  }
  // Looking at every file costs little, but not nothing.
  if (writes.fetch_add(1, std::memory_order_relaxed) % 64 == 0)
    shrink();
}

//===----------------------------------------------------------------------===//
// The limit
//===----------------------------------------------------------------------===//

void DiskCache::shrink() {
  struct File {
    std::string name;
    uint64_t bytes;
    struct timespec used;
  };
  DIR *folder = opendir(path.c_str());
  if (!folder)
    return;
  std::vector<File> files;
  uint64_t total = 0;
  time_t now = time(nullptr);
  while (const dirent *entry = readdir(folder)) {
    std::string name = entry->d_name;
    bool isTemporary = name.ends_with(temporarySuffix);
    struct stat status;
    if ((!isTemporary && !name.ends_with(suffix)) ||
        fstatat(dirfd(folder), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) !=
            0 ||
        !S_ISREG(status.st_mode))
      continue;
    // Left by a writer that was killed.
    if (isTemporary) {
      if (status.st_mtim.tv_sec + 3600 < now)
        unlinkat(dirfd(folder), name.c_str(), 0);
      continue;
    }
    files.push_back({name, uint64_t(status.st_size), status.st_mtim});
    total += uint64_t(status.st_size);
  }
  if (total > maxBytes) {
    std::sort(files.begin(), files.end(), [](const File &a, const File &b) {
      return std::pair(a.used.tv_sec, a.used.tv_nsec) <
             std::pair(b.used.tv_sec, b.used.tv_nsec);
    });
    for (const File &file : files) {
      if (total <= maxBytes / 4 * 3)
        break;
      unlinkat(dirfd(folder), file.name.c_str(), 0);
      total -= file.bytes;
    }
  }
  closedir(folder);
}

} // namespace tesela::driver
