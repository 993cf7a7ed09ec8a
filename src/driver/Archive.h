//===- Archive.h - values as bytes, for the disk cache --------------------===//

#ifndef TESELA_DRIVER_ARCHIVE_H
#define TESELA_DRIVER_ARCHIVE_H

#include "target/Target.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tesela::driver {

/// Appends numbers and texts.
class ArchiveWriter {
public:
  void add(uint64_t number);
  void add(std::string_view text);
  std::string take() { return std::move(bytes); }

private:
  std::string bytes;
};

/// Reads them back in order. Past the end, or where a length makes no sense,
/// everything reads as zero and `isValid` is false.
class ArchiveReader {
public:
  explicit ArchiveReader(std::string_view bytes) : rest(bytes) {}

  uint64_t number();
  uint32_t number32();
  DType dtype();
  std::string text();
  bool isValid() const { return valid; }
  bool isDone() const { return valid && rest.empty(); }

private:
  std::string_view rest;
  bool valid = true;
};

std::string encodeBinary(const Binary &binary);
/// Nothing where the bytes are no binary.
std::optional<Binary> decodeBinary(std::string_view bytes);

} // namespace tesela::driver

#endif // TESELA_DRIVER_ARCHIVE_H
