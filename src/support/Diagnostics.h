//===- Diagnostics.h - what is wrong, and where ---------------------------===//
//
// Every error that a user can see is a `Diagnostic` with an id from
// `Diagnostics.def`. It prints as
//
//   kernel.py:7:9: error: `tl.dot` operands disagree: K is 32 and 64 [dot-k]
//       acc = tl.dot(a, b)
//             ^~~~~~~~~~~~
//   kernel.py:20:5: note: in the call of `helper` here
//
// Wording: lower case, no full stop, code in backticks, what was seen first,
// then the rule, then a hint.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_SUPPORT_DIAGNOSTICS_H
#define TESELA_SUPPORT_DIAGNOSTICS_H

#include "support/Source.h"

#include <string>
#include <vector>

namespace tesela {

/// A stretch of one source: 1-based lines, 0-based byte columns, end exclusive.
/// `source` is null where no position is known.
struct Location {
  SourceRef source;
  int32_t line = 0;
  int32_t col = 0;
  int32_t endLine = 0;
  int32_t endCol = 0;
};

enum class Severity : uint8_t { Error, Warning, Note };

enum class DiagId : uint16_t {
#define DIAGNOSTIC(id, name) id,
#include "support/Diagnostics.def"
};

/// The kebab-case name of an id, printed in brackets.
const char *diagName(DiagId id);

struct Note {
  Location location;
  std::string message;
};

struct Diagnostic {
  DiagId id;
  Severity severity = Severity::Error;
  Location location;
  std::string message;
  std::vector<Note> notes;

  /// `file:line:col: error: message [id]`, the source line, the caret, notes.
  /// Columns are printed 1-based, in code points.
  std::string render() const;
};

/// Collects what went wrong in one compilation.
class Diagnostics {
public:
  /// Adds an error and returns it, so that notes can be appended.
  Diagnostic &error(DiagId id, Location location, std::string message);
  Diagnostic &warning(DiagId id, Location location, std::string message);

  bool hasErrors() const { return errors > 0; }
  const std::vector<Diagnostic> &all() const { return list; }
  std::vector<Diagnostic> take();
  /// Keeps the warnings alone.
  void dropErrors();
  std::string render() const;

private:
  std::vector<Diagnostic> list;
  size_t errors = 0;
};

} // namespace tesela

#endif // TESELA_SUPPORT_DIAGNOSTICS_H
