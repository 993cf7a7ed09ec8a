//===- Options.cpp - the settings of the library --------------------------===//

#include "support/Options.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace tesela {

/// Each reads a value of its type; otherwise it says what is expected.
static const char *read(const char *text, bool &value) {
  std::string_view word = text;
  if (word == "1" || word == "true" || word == "on" || word == "yes")
    value = true;
  else if (word == "0" || word == "false" || word == "off" || word == "no")
    value = false;
  else if (!word.empty())
    return "`1` or `0`";
  return nullptr;
}

static const char *read(const char *text, int64_t &value) {
  std::string_view word = text;
  int64_t number = 0;
  auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc() && end == word.data() + word.size() && number >= 0)
    value = number;
  else if (!word.empty())
    return "a whole number";
  return nullptr;
}

static const char *read(const char *text, std::string &value) {
  value = text;
  return nullptr;
}

static std::string print(bool value) { return value ? "1" : "0"; }
static std::string print(int64_t value) { return std::to_string(value); }
static std::string print(const std::string &value) { return value; }

Options Options::fromEnvironment() {
  Options options;
#define OPTION(name, variable, type, default, entersKey, help)                 \
  if (const char *text = std::getenv(variable))                                \
    if (const char *wanted = read(text, options.name))                         \
      options.problems.push_back(std::string("`") + variable + "` is `" +      \
                                 text + "`, which has no effect; it takes " +  \
                                 wanted);
#include "support/Options.def"
  return options;
}

std::string Options::key() const {
  std::string result;
#define OPTION(name, variable, type, default, entersKey, help)                 \
  if (entersKey)                                                               \
    result += std::string(variable) + "=" + print(name) + ";";
#include "support/Options.def"
  return result;
}

std::string Options::help() {
  std::string result;
  Options defaults;
  auto add = [&](const char *variable, std::string value, const char *text) {
    std::string line = std::string("  ") + variable;
    line.resize(22, ' ');
    result += line + text;
    result += value.empty() ? "\n" : " [" + value + "]\n";
  };
#define OPTION(name, variable, type, default, entersKey, help)                 \
  add(variable, print(defaults.name), help);
#include "support/Options.def"
  return result;
}

} // namespace tesela
