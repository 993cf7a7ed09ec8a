//===- ArgumentText.cpp - arguments written as text -----------------------===//

#include "ArgumentText.h"

#include "CommandLine.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace tesela::cli {

std::optional<DType> parseTypeName(std::string_view text) {
  if (text == "bool" || text == "u1")
    return DType::Int1;
  std::string name(text);
  if (name.size() >= 3 && name[0] == 'f' && name[1] >= '0' && name[1] <= '9')
    name.insert(1, "p");
  return parseDType(name);
}

std::pair<std::string, std::string> splitName(const std::string &text) {
  size_t equals = text.find('=');
  if (equals == text.npos)
    return {"", text};
  return {std::string(trim(std::string_view(text).substr(0, equals))),
          std::string(trim(std::string_view(text).substr(equals + 1)))};
}

static std::optional<Object> parseNumber(std::string_view text) {
  std::string digits(text);
  digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
  if (digits.empty())
    return std::nullopt;
  int64_t whole = 0;
  const char *begin = digits.data() + (digits[0] == '+');
  const char *end = digits.data() + digits.size();
  auto [rest, error] = std::from_chars(begin, end, whole);
  if (rest == end && error == std::errc())
    return Object{Integer{whole, {}}};
  if (rest == end && error == std::errc::result_out_of_range)
    return Object{Integer{0, digits}};
  char *stop = nullptr;
  double number = std::strtod(digits.c_str(), &stop);
  if (stop == digits.c_str() + digits.size())
    return Object{number};
  return std::nullopt;
}

static Object parseValue(std::string_view text, int depth) {
  text = trim(text);
  if (text == "None")
    return {Object::None{}};
  if (text == "True" || text == "False")
    return {text == "True"};
  if (std::optional<Object> number = parseNumber(text))
    return *number;
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
      text.back() == text.front())
    return {std::string(text.substr(1, text.size() - 2))};
  // Deeper tuples than this are no one's wish.
  if (depth < 32 && text.size() >= 2 && text.front() == '(' &&
      text.back() == ')') {
    Object::Tuple items;
    for (const std::string &item : splitList(text.substr(1, text.size() - 2)))
      items.push_back(parseValue(item, depth + 1));
    return {std::move(items)};
  }
  if (std::string_view name = text.starts_with("tl.") ? text.substr(3) : text;
      std::optional<DType> type = parseTypeName(name))
    return {*type};
  return {std::string(text)};
}

Object parseValue(std::string_view text) { return parseValue(text, 0); }

void ArgumentList::add(const std::string &name, const Argument &argument) {
  texts.push_back(std::make_unique<std::string>(name));
  list.push_back({*texts.back(), argument});
}

std::string ArgumentList::addConstant(const std::string &text) {
  auto [name, rest] = splitName(text);
  if (name.empty())
    return "`" + text + "` is not of the form NAME=VALUE";
  values.push_back(std::make_unique<Object>(parseValue(rest)));
  add(name, Argument(*values.back()));
  return "";
}

std::string ArgumentList::addTyped(const std::string &text) {
  auto [name, rest] = splitName(text);
  if (name.empty())
    return "`" + text + "` is not of the form NAME=TYPE";
  bool isPointer = rest.starts_with('*');
  std::string_view type = std::string_view(rest).substr(isPointer);
  bool divisible = type.ends_with(":16");
  if (divisible)
    type.remove_suffix(3);
  size_t colon = type.find(':');
  // A string may have one.
  if (colon != type.npos && parseTypeName(type.substr(0, colon)))
    return "`" + std::string(type.substr(colon)) + "` in `" + text +
           "` says nothing: `:16`, a multiple of 16, is all that there is";
  std::optional<DType> dtype = parseTypeName(type);
  if (!dtype) {
    if (divisible && !isPointer && parseNumber(type))
      return "`" + text +
             "`: `:16` follows a type; a number says by itself what divides it";
    if (isPointer || divisible)
      return "`" + std::string(type) + "` is not an element type";
    return addConstant(text);
  }
  // Any address and any number with the property will do.
  Argument argument;
  if (isPointer)
    argument =
        Argument(reinterpret_cast<void *>(divisible ? 4096 : 4104), *dtype);
  else if (*dtype == DType::Int1)
    argument = Argument(true, *dtype);
  else if (*dtype >= DType::Float8E4M3)
    argument = Argument(0.5, *dtype);
  else
    argument = Argument(divisible ? 16 : 3, *dtype);
  add(name, argument);
  return "";
}

bool ArgumentList::has(const std::string &name) const {
  return std::any_of(list.begin(), list.end(),
                     [&](const NamedArgument &a) { return a.name == name; });
}

std::vector<NamedArgument> ArgumentList::matching(const Kernel &kernel) const {
  std::vector<NamedArgument> result;
  for (const NamedArgument &argument : list)
    for (const Parameter &parameter : kernel.parameters())
      if (parameter.name == argument.name)
        result.push_back(argument);
  return result;
}

} // namespace tesela::cli
