//===- CommandLine.cpp - words of the command line ------------------------===//

#include "CommandLine.h"

#include <iostream>

namespace tesela::cli {

bool CommandLine::takeFlag(std::string_view name) {
  if (isDone() || words[next] != name)
    return false;
  ++next;
  return true;
}

std::optional<std::string> CommandLine::takeOption(std::string_view name) {
  if (isDone())
    return std::nullopt;
  std::string_view word = words[next];
  if (word == name && next + 1 < words.size()) {
    next += 2;
    return words[next - 1];
  }
  if (!word.starts_with(name) || word.size() == name.size())
    return std::nullopt;
  word.remove_prefix(name.size());
  // `-DBLOCK=64`, as compilers take it.
  bool isShort = name.size() == 2;
  if (!isShort && word.front() != '=')
    return std::nullopt;
  ++next;
  return std::string(isShort ? word : word.substr(1));
}

std::optional<std::string> CommandLine::takeWord() {
  if (isDone() || (words[next].starts_with('-') && words[next].size() > 1))
    return std::nullopt;
  return words[next++];
}

int CommandLine::fail(const std::string &message) const {
  std::cerr << "tesela " << command << ": " << message << "\n"
            << "`tesela " << command << " --help` says how it is used\n";
  return Usage;
}

int CommandLine::failUnknown() const {
  return fail("unknown option or missing value: `" + words[next] + "`");
}

std::string_view trim(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos)
    return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<std::string> splitList(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  char quote = 0;
  std::string part;
  auto finish = [&] {
    std::string_view trimmed = trim(part);
    if (!trimmed.empty())
      parts.emplace_back(trimmed);
    part.clear();
  };
  for (char c : text) {
    if (quote) {
      quote = c == quote ? 0 : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (c == ',' && depth == 0) {
      finish();
      continue;
    }
    part += c;
  }
  finish();
  return parts;
}

} // namespace tesela::cli
