//===- Values.cpp - comparing and printing compile-time values ------------===//

#include "support/Values.h"

#include "llvm/Support/xxhash.h"

#include <bit>
#include <charconv>

namespace tesela {

namespace {
template <typename... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <typename... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;
} // namespace

/// With `small` used wherever it can hold the number.
static Integer canonical(const Integer &number) {
  if (number.digits.empty())
    return number;
  std::string_view digits = number.digits;
  if (digits.starts_with('+'))
    digits.remove_prefix(1);
  int64_t small = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), small);
  if (error == std::errc() && end == digits.data() + digits.size())
    return {small, {}};
  return {0, std::string(digits)};
}

bool sameValue(const Object &a, const Object &b) {
  if (a.value.index() != b.value.index())
    return false;
  return std::visit(
      Overloaded{[&](double x) {
                   return std::bit_cast<uint64_t>(x) ==
                          std::bit_cast<uint64_t>(std::get<double>(b.value));
                 },
                 [&](const Integer &x) {
                   const Integer &y = std::get<Integer>(b.value);
                   if (x.digits.empty() && y.digits.empty())
                     return x.small == y.small;
                   return canonical(x) == canonical(y);
                 },
                 [&](const Object::Tuple &x) {
                   const auto &y = std::get<Object::Tuple>(b.value);
                   if (x.size() != y.size())
                     return false;
                   for (size_t i = 0; i < x.size(); ++i)
                     if (!sameValue(x[i], y[i]))
                       return false;
                   return true;
                 },
                 [&](const Object::Unsupported &) { return false; },
                 [&](const auto &x) {
                   return x == std::get<std::decay_t<decltype(x)>>(b.value);
                 }},
      a.value);
}

static uint64_t hashText(std::string_view text) {
  return llvm::xxh3_64bits(llvm::StringRef(text.data(), text.size()));
}

uint64_t quickHash(const Object &value) {
  uint64_t hash = std::visit(
      Overloaded{[](Object::None) -> uint64_t { return 0; },
                 [](bool x) -> uint64_t { return x; },
                 [](const Integer &x) {
                   Integer number = canonical(x);
                   return number.digits.empty() ? uint64_t(number.small)
                                                : hashText(number.digits);
                 },
                 [](double x) { return std::bit_cast<uint64_t>(x); },
                 [](const std::string &x) { return hashText(x); },
                 [](DType x) { return uint64_t(x); },
                 [](const Object::Tuple &x) {
                   uint64_t result = x.size();
                   for (const Object &item : x)
                     result = result * 0x9E3779B97F4A7C15 + quickHash(item);
                   return result;
                 },
                 [](const Object::FunctionRef &x) {
                   return uint64_t(reinterpret_cast<uintptr_t>(x.get()));
                 },
                 [](const ModuleName &x) { return hashText(x.path); },
                 [](const Object::Unsupported &x) { return hashText(x.what); }},
      value.value);
  return hash * 0x9E3779B97F4A7C15 + value.value.index();
}

static std::string quoted(const std::string &text) {
  std::string result = "'";
  for (char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '\'' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "'";
}

static std::string describeFloat(double number) {
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  std::string result(buffer, end);
  if (result.find_first_of(".einf") == std::string::npos)
    result += ".0";
  return result;
}

std::string describe(const Object &value) {
  return std::visit(
      Overloaded{
          [](Object::None) -> std::string { return "None"; },
          [](bool x) -> std::string { return x ? "True" : "False"; },
          [](const Integer &x) {
            return x.digits.empty() ? std::to_string(x.small) : x.digits;
          },
          [](double x) { return describeFloat(x); },
          [](const std::string &x) { return quoted(x); },
          [](DType x) { return std::string(languageName(x)); },
          [](const Object::Tuple &x) {
            std::string result = "(";
            for (size_t i = 0; i < x.size(); ++i)
              result += (i ? ", " : "") + describe(x[i]);
            return result + (x.size() == 1 ? ",)" : ")");
          },
          [](const Object::FunctionRef &x) { return x ? x->name : "None"; },
          [](const ModuleName &x) { return x.path; },
          [](const Object::Unsupported &x) { return x.what; }},
      value.value);
}

std::string kindOf(const Object &value) {
  return std::visit(
      Overloaded{[](Object::None) -> std::string { return "None"; },
                 [](bool) -> std::string { return "bool"; },
                 [](const Integer &) -> std::string { return "int"; },
                 [](double) -> std::string { return "float"; },
                 [](const std::string &) -> std::string { return "str"; },
                 [](DType) -> std::string { return "dtype"; },
                 [](const Object::Tuple &) -> std::string { return "tuple"; },
                 [](const Object::FunctionRef &) -> std::string {
                   return "a jit function";
                 },
                 [](const ModuleName &) -> std::string { return "a module"; },
                 [](const Object::Unsupported &x) { return x.what; }},
      value.value);
}

Object objectOf(const Argument &argument) {
  switch (argument.kind) {
  case Argument::Kind::Integer:
    return {Integer{argument.integer, {}}};
  case Argument::Kind::Unsigned:
    if (argument.unsignedInteger <= uint64_t(INT64_MAX))
      return {Integer{int64_t(argument.unsignedInteger), {}}};
    return {Integer{0, std::to_string(argument.unsignedInteger)}};
  case Argument::Kind::Float:
    return {argument.number};
  case Argument::Kind::Bool:
    return {argument.boolean};
  case Argument::Kind::None:
    return {Object::None{}};
  case Argument::Kind::Type:
    return {*argument.dtype};
  case Argument::Kind::Text:
    return {std::string(argument.text, argument.bytes)};
  case Argument::Kind::Value:
    return *argument.object;
  case Argument::Kind::Pointer:
    return {Object::Unsupported{"a pointer"}};
  case Argument::Kind::Default:
    break;
  }
  return {Object::Unsupported{"no value"}};
}

Argument argumentOf(const Object &value) {
  return std::visit(Overloaded{[](Object::None) { return Argument(nullptr); },
                               [](bool x) { return Argument(x); },
                               [&](const Integer &x) {
                                 Integer number = canonical(x);
                                 return number.digits.empty()
                                            ? Argument(number.small)
                                            : Argument(value);
                               },
                               [](double x) { return Argument(x); },
                               [](const std::string &x) { return Argument(x); },
                               [](DType x) { return Argument(x); },
                               [&](const auto &) { return Argument(value); }},
                    value.value);
}

} // namespace tesela
