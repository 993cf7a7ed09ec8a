//===- Source.cpp - the text of one file ----------------------------------===//

#include "support/Source.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace tesela {

Source::Source(std::string name, std::string text, int32_t firstLine)
    : fileName(std::move(name)), contents(std::move(text)), first(firstLine) {
  // A line ends with \n, \r\n or a lone \r, as in Python.
  lineStarts.push_back(0);
  for (size_t i = 0; i < contents.size(); ++i) {
    if (contents[i] == '\r' && i + 1 < contents.size() &&
        contents[i + 1] == '\n')
      continue;
    if (contents[i] == '\n' || contents[i] == '\r')
      lineStarts.push_back(i + 1);
  }
}

SourceRef Source::create(std::string name, std::string text,
                         int32_t firstLine) {
  return SourceRef(new Source(std::move(name), std::move(text), firstLine));
}

SourceRef Source::read(const std::string &path, std::string &error) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  // An empty file leaves nothing to insert, which is not an error.
  if (file && file.peek() == std::ifstream::traits_type::eof() && !file.bad())
    return create(path, "");
  if (!file || !(text << file.rdbuf())) {
    error = "cannot read `" + path + "`: " + std::strerror(errno);
    return nullptr;
  }
  return create(path, text.str());
}

std::string_view Source::line(int32_t number) const {
  if (number < first || size_t(number - first) >= lineStarts.size())
    return {};
  size_t index = number - first;
  size_t begin = lineStarts[index];
  size_t end =
      index + 1 < lineStarts.size() ? lineStarts[index + 1] : contents.size();
  std::string_view result(contents.data() + begin, end - begin);
  while (!result.empty() && (result.back() == '\n' || result.back() == '\r'))
    result.remove_suffix(1);
  return result;
}

} // namespace tesela
