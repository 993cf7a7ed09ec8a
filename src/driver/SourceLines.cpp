//===- SourceLines.cpp - IR with the kernel's lines beside it -------------===//
//
// MLIR prints `loc("add.py":9:8 to :40)` at the end of an op's line, and, for
// what was inlined, `loc(callsite("helper.py":3:4 at "add.py":9:8))`. The first
// place is the innermost one.
//
//===----------------------------------------------------------------------===//

#include "driver/SourceLines.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace tesela::driver {

std::string SourceLines::comment(llvm::StringRef location) const {
  size_t open = location.find('"');
  if (open == llvm::StringRef::npos)
    return "";
  size_t close = location.find("\":", open + 1);
  if (close == llvm::StringRef::npos)
    return "";
  llvm::StringRef file = location.slice(open + 1, close);
  int32_t line = 0;
  if (location.substr(close + 2).consumeInteger(10, line))
    return "";
  for (const SourceRef &source : sources) {
    if (file != source->name())
      continue;
    llvm::StringRef text = source->line(line);
    if (!text.trim().empty())
      return ("// " + llvm::sys::path::filename(file) + ":" +
              llvm::Twine(line) + ": ")
                 .str() +
             text.trim().str();
  }
  return "";
}

std::string SourceLines::print(mlir::ModuleOp module, bool withLines) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  if (!withLines) {
    module.print(stream, flags);
    return text + "\n";
  }
  flags.enableDebugInfo().useLocalScope();
  module.print(stream, flags);

  std::string result, last;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    // The function's own line has a location for each argument.
    size_t place = line.rfind(" loc(");
    std::string now =
        place == llvm::StringRef::npos ? "" : comment(line.substr(place));
    bool isSignature = line.ltrim().starts_with("func.func");
    if (!now.empty() && now != last && !isSignature) {
      result.append(line.size() - line.ltrim().size(), ' ');
      result += now + "\n";
      last = now;
    }
    while ((place = line.find(" loc(")) != llvm::StringRef::npos) {
      // To the parenthesis that closes it, outside of strings.
      size_t end = place + 5;
      int depth = 1;
      bool quoted = false;
      for (; end < line.size() && depth > 0; ++end) {
        char c = line[end];
        if (c == '"')
          quoted = !quoted;
        else if (!quoted)
          depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      }
      result += line.substr(0, place);
      line = line.substr(end);
    }
    result += line;
    result += '\n';
  }
  return result;
}

} // namespace tesela::driver
