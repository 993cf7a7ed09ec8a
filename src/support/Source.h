//===- Source.h - the text of one file ------------------------------------===//

#ifndef TESELA_SUPPORT_SOURCE_H
#define TESELA_SUPPORT_SOURCE_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tesela {

/// The text of one file under the name that diagnostics print. Immutable;
/// shared by everything that keeps a position in it.
class Source {
public:
  /// `firstLine` is the number of the text's first line: 1 for a whole file,
  /// larger for a function that was cut out of one.
  static std::shared_ptr<const Source> create(std::string name,
                                              std::string text,
                                              int32_t firstLine = 1);

  /// Reads a file; null, with the reason in `error`, where it can't be read.
  static std::shared_ptr<const Source> read(const std::string &path,
                                            std::string &error);

  const std::string &name() const { return fileName; }
  std::string_view text() const { return contents; }
  int32_t firstLine() const { return first; }

  /// The line with this number, without its line end; empty past the end.
  std::string_view line(int32_t number) const;

private:
  Source(std::string name, std::string text, int32_t firstLine);

  std::string fileName;
  std::string contents;
  int32_t first;
  std::vector<size_t> lineStarts;
};

using SourceRef = std::shared_ptr<const Source>;

} // namespace tesela

#endif // TESELA_SUPPORT_SOURCE_H
