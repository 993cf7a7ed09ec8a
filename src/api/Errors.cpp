//===- Errors.cpp - diagnostics as values of the API ----------------------===//

#include "api/State.h"

#include <cstdio>
#include <cstdlib>

namespace tesela {

std::string Error::text() const {
  std::string result;
  for (const Message &message : messages)
    result += message.rendered;
  return result;
}

void Error::endProcess() const {
  std::fputs(text().c_str(), stderr);
  std::abort();
}

static int codePointColumn(const Location &location) {
  std::string_view line = location.source->line(location.line);
  int column = 1;
  for (char c : line.substr(0, size_t(std::max(location.col, 0))))
    column += (c & 0xC0) != 0x80;
  return column;
}

static Message toMessage(const Diagnostic &diagnostic) {
  Message message;
  message.severity = diagnostic.severity == Severity::Error     ? "error"
                     : diagnostic.severity == Severity::Warning ? "warning"
                                                                : "note";
  message.id = diagName(diagnostic.id);
  message.text = diagnostic.message;
  message.rendered = diagnostic.render();
  if (diagnostic.location.source) {
    message.file = diagnostic.location.source->name();
    message.line = diagnostic.location.line;
    message.column = codePointColumn(diagnostic.location);
  }
  return message;
}

Error takeError(Diagnostics &diags) {
  Error error;
  for (const Diagnostic &diagnostic : diags.take())
    error.messages.push_back(toMessage(diagnostic));
  return error;
}

Error makeError(DiagId id, std::string message) {
  Diagnostics diags;
  diags.error(id, {}, std::move(message));
  return takeError(diags);
}

Error makeError(const runtime::RunError &error) {
  return makeError(error.id, error.text);
}

} // namespace tesela
