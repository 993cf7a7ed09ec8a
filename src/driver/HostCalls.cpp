//===- HostCalls.cpp - the host functions that constants may call ---------===//

#include "driver/HostNumbers.h"

#include "syntax/Ast.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

namespace tesela::driver {

using sema::Int;
using namespace syntax;

static Object object(Int value) { return Number(std::move(value)).object(); }

/// `float("…")` as Python reads it.
static std::optional<Object> floatOfText(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '_'; });
  for (char &c : text)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  std::string_view word = text;
  bool negative = word.starts_with('-');
  if (negative || word.starts_with('+'))
    word.remove_prefix(1);
  double number = 0;
  if (word == "inf" || word == "infinity") {
    number = std::numeric_limits<double>::infinity();
  } else if (word == "nan") {
    number = std::numeric_limits<double>::quiet_NaN();
  } else {
    auto [end, error] =
        std::from_chars(word.data(), word.data() + word.size(), number);
    if (word.empty() || !std::isdigit(static_cast<unsigned char>(
                            word.front() == '.' ? word.back() : word.front())))
      return std::nullopt;
    if (error != std::errc() || end != word.data() + word.size())
      return std::nullopt;
  }
  return Object{negative ? -number : number};
}

static std::optional<Object> callMath(std::string_view name, double x) {
  struct Row {
    std::string_view name;
    double (*function)(double);
  };
  static const Row rows[] = {
      {"sqrt", std::sqrt}, {"exp", std::exp},     {"log", std::log},
      {"log2", std::log2}, {"log10", std::log10}, {"sin", std::sin},
      {"cos", std::cos},   {"tan", std::tan},     {"tanh", std::tanh},
      {"fabs", std::fabs}, {"erf", std::erf},
  };
  for (const Row &row : rows) {
    if (row.name != name)
      continue;
    double result = row.function(x);
    if (std::isfinite(x) && !std::isfinite(result))
      return std::nullopt; // Python raises
    return Object{result};
  }
  if (name == "ceil" || name == "floor" || name == "trunc") {
    double whole = name == "ceil"    ? std::ceil(x)
                   : name == "floor" ? std::floor(x)
                                     : std::trunc(x);
    if (std::optional<Int> result = Int::fromDouble(whole))
      return object(*result);
  }
  return std::nullopt;
}

/// `min` and `max`, of several numbers or of one tuple.
static std::optional<Object> extreme(const std::vector<Object> &arguments,
                                     CmpOpKind better) {
  const std::vector<Object> *items = &arguments;
  if (arguments.size() == 1)
    items = std::get_if<Object::Tuple>(&arguments[0].value);
  if (!items || items->empty())
    return std::nullopt;
  std::optional<Number> best;
  for (const Object &item : *items) {
    std::optional<Number> number = Number::of(item);
    if (!number)
      return std::nullopt;
    if (!best || compare(better, *number, *best))
      best = number;
  }
  return best->object();
}

static std::optional<Object> callTriton(std::string_view name,
                                        const std::vector<Number> &numbers) {
  for (const Number &number : numbers)
    if (number.isFloat())
      return std::nullopt;
  if (name == "cdiv" && numbers.size() == 2 && numbers[1].isTrue())
    return object(-Int::floorDiv(-numbers[0].whole(), numbers[1].whole()));
  if (name == "next_power_of_2" && numbers.size() == 1 &&
      !numbers[0].whole().isNegative()) {
    const Int &number = numbers[0].whole();
    if (number.isZero())
      return object(Int(0));
    unsigned bits = (number - Int(1)).bitLength();
    if (std::optional<Int> result = Int::shiftLeft(Int(1), bits))
      return object(*result);
  }
  return std::nullopt;
}

static std::optional<Object> callBuiltin(std::string_view name,
                                         const std::vector<Object> &arguments) {
  if (name == "min")
    return extreme(arguments, CmpOpKind::Lt);
  if (name == "max")
    return extreme(arguments, CmpOpKind::Gt);
  if (arguments.size() != 1)
    return std::nullopt;
  const Object &only = arguments[0];
  auto *items = std::get_if<Object::Tuple>(&only.value);
  auto *text = std::get_if<std::string>(&only.value);
  if (name == "len" && items)
    return object(Int(int64_t(items->size())));
  if (name == "tuple" && items)
    return only;
  if (name == "float" && text)
    return floatOfText(*text);
  if (name == "int" && text) {
    std::optional<Int> parsed = Int::parse(*text);
    return parsed ? std::optional(object(*parsed)) : std::nullopt;
  }
  std::optional<Number> number = Number::of(only);
  if (!number)
    return std::nullopt;
  if (name == "float")
    return Object{number->toDouble()};
  if (name == "bool")
    return Object{number->isTrue()};
  if (name == "abs") {
    if (number->isFloat())
      return Object{std::fabs(number->toDouble())};
    const Int &whole = number->whole();
    return object(whole.isNegative() ? -whole : whole);
  }
  if (name == "int") {
    std::optional<Int> whole = number->isFloat()
                                   ? Int::fromDouble(number->toDouble())
                                   : std::optional(number->whole());
    return whole ? std::optional(object(*whole)) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<Object> callHost(const std::string &function,
                               const std::vector<Object> &arguments) {
  std::string_view path = function;
  if (path == "triton.language.constexpr" && arguments.size() == 1)
    return arguments[0];
  if (path.starts_with("builtins."))
    return callBuiltin(path.substr(9), arguments);
  std::vector<Number> numbers;
  for (const Object &argument : arguments) {
    std::optional<Number> number = Number::of(argument);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  if (path.starts_with("math.")) {
    std::string_view name = path.substr(5);
    if (numbers.size() == 1)
      return callMath(name, numbers[0].toDouble());
    if (name == "pow" && numbers.size() == 2)
      return binary(BinOpKind::Pow, Number(numbers[0].toDouble()), numbers[1]);
    return std::nullopt;
  }
  if (path.starts_with("triton.language."))
    return callTriton(path.substr(16), numbers);
  if (path.starts_with("triton."))
    return callTriton(path.substr(7), numbers);
  return std::nullopt;
}

} // namespace tesela::driver
