//===- Diagnostics.cpp - rendering of diagnostics -------------------------===//

#include "support/Diagnostics.h"

#include <algorithm>

namespace tesela {

const char *diagName(DiagId id) {
  static const char *const names[] = {
#define DIAGNOSTIC(id, name) name,
#include "support/Diagnostics.def"
  };
  return names[static_cast<size_t>(id)];
}

static bool startsCodePoint(char byte) { return (byte & 0xC0) != 0x80; }

static size_t codePoints(std::string_view text) {
  return std::count_if(text.begin(), text.end(), startsCodePoint);
}

static std::string_view prefix(std::string_view line, int32_t bytes) {
  return line.substr(0, std::min<size_t>(std::max(bytes, 0), line.size()));
}

/// `file:line:col: `, or nothing where the place is not known.
static std::string renderPlace(const Location &location) {
  if (!location.source)
    return "";
  std::string_view line = location.source->line(location.line);
  return location.source->name() + ":" + std::to_string(location.line) + ":" +
         std::to_string(codePoints(prefix(line, location.col)) + 1) + ": ";
}

/// The source line and, beneath it, `^~~~` under the stretch that is meant.
static std::string renderExcerpt(const Location &location) {
  if (!location.source)
    return "";
  std::string_view line = location.source->line(location.line);
  if (line.empty())
    return "";
  size_t begin = std::min<size_t>(std::max(location.col, 0), line.size());
  size_t end = location.endLine == location.line
                   ? std::min<size_t>(std::max(location.endCol, 0), line.size())
                   : line.size();
  std::string result = "    " + std::string(line) + "\n    ";
  for (char c : line.substr(0, begin))
    if (startsCodePoint(c))
      result += c == '\t' ? '\t' : ' ';
  result += '^';
  if (end > begin)
    if (size_t width = codePoints(line.substr(begin, end - begin)); width > 1)
      result.append(width - 1, '~');
  return result + "\n";
}

std::string Diagnostic::render() const {
  const char *word = severity == Severity::Error     ? "error: "
                     : severity == Severity::Warning ? "warning: "
                                                     : "note: ";
  std::string result =
      renderPlace(location) + word + message + " [" + diagName(id) + "]\n";
  result += renderExcerpt(location);
  for (const Note &note : notes) {
    result += renderPlace(note.location) + "note: " + note.message + "\n";
    result += renderExcerpt(note.location);
  }
  return result;
}

Diagnostic &Diagnostics::error(DiagId id, Location location,
                               std::string message) {
  ++errors;
  list.push_back(
      {id, Severity::Error, std::move(location), std::move(message), {}});
  return list.back();
}

Diagnostic &Diagnostics::warning(DiagId id, Location location,
                                 std::string message) {
  list.push_back(
      {id, Severity::Warning, std::move(location), std::move(message), {}});
  return list.back();
}

std::vector<Diagnostic> Diagnostics::take() {
  errors = 0;
  return std::move(list);
}

void Diagnostics::dropErrors() {
  std::erase_if(list, [](const Diagnostic &diagnostic) {
    return diagnostic.severity == Severity::Error;
  });
  errors = 0;
}

std::string Diagnostics::render() const {
  std::string result;
  for (const Diagnostic &diagnostic : list)
    result += diagnostic.render();
  return result;
}

} // namespace tesela
