//===- ShowAst.cpp - a syntax tree that people can read -------------------===//
//
//   Return(                     from Return(value=BinOp(left=…, op=Add(), …))
//     value=BinOp(
//       left=…,
//       op=Add(),
//       …))
//
//===----------------------------------------------------------------------===//

#include "driver/ShowAst.h"

namespace tesela::driver {

static constexpr size_t width = 80;

namespace {

class LineBreaker {
public:
  explicit LineBreaker(std::string_view text) : text(text) {}

  std::string run() {
    std::string result;
    size_t indent = 0, column = 0, at = 0;
    auto newLine = [&] {
      result += '\n';
      result.append(indent, ' ');
      column = indent;
    };
    std::string broken; // one character an open bracket: was it broken
    while (at < text.size()) {
      char c = text[at];
      if (c == '\'' || c == '"') {
        size_t end = endOfString(at);
        result += text.substr(at, end - at);
        column += end - at;
        at = end;
        continue;
      }
      result += c;
      ++column;
      ++at;
      if (c == '(' || c == '[') {
        size_t end = closing(at);
        bool fits = column + (end - at) <= width;
        broken += fits ? 'n' : 'y';
        if (!fits) {
          indent += 2;
          newLine();
        }
      } else if ((c == ')' || c == ']') && !broken.empty()) {
        if (broken.back() == 'y')
          indent -= 2;
        broken.pop_back();
      } else if (c == ',' && !broken.empty() && broken.back() == 'y') {
        while (at < text.size() && text[at] == ' ')
          ++at;
        newLine();
      }
    }
    return result;
  }

private:
  /// Past the quote that ends the string which begins here.
  size_t endOfString(size_t at) const {
    char quote = text[at++];
    while (at < text.size() && text[at] != quote)
      at += text[at] == '\\' ? 2 : 1;
    return std::min(at + 1, text.size());
  }

  /// Past the bracket that closes the one before `at`, or as far as a line
  /// could reach.
  size_t closing(size_t at) const {
    size_t limit = std::min(text.size(), at + width + 1);
    int depth = 1;
    while (at < limit && depth > 0) {
      char c = text[at];
      if (c == '\'' || c == '"') {
        at = endOfString(at);
        continue;
      }
      depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      ++at;
    }
    return depth > 0 ? at + width : at;
  }

  std::string_view text;
};

} // namespace

std::string breakLines(std::string_view text) {
  return LineBreaker(text).run() + "\n";
}

} // namespace tesela::driver
