//===- Formula.cpp - the contents of a buffer, as a formula ---------------===//

#include "Formula.h"

#include "CommandLine.h"

#include <cctype>
#include <cmath>
#include <cstdlib>

namespace tesela::cli {

std::optional<Value> parseNumberText(std::string_view text) {
  std::string word(trim(text));
  char *end = nullptr;
  Value value = std::strtold(word.c_str(), &end);
  if (word.empty() || *end)
    return std::nullopt;
  return value;
}

class FormulaParser {
public:
  explicit FormulaParser(std::string_view text) : rest(trim(text)) {}

  std::optional<Formula> run() {
    if (rest.starts_with('[') && rest.ends_with(']'))
      return readList(rest.substr(1, rest.size() - 2));
    if (!readSum() || !trim(rest).empty())
      return std::nullopt;
    return std::move(formula);
  }

private:
  using Op = Formula::Op;

  std::optional<Formula> readList(std::string_view text) {
    while (!(text = trim(text)).empty()) {
      size_t end = std::min(text.find_first_of(" ,"), text.size());
      std::optional<Value> number = parseNumberText(text.substr(0, end));
      if (!number)
        return std::nullopt;
      formula.list.push_back(*number);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (formula.list.empty())
      return std::nullopt;
    return std::move(formula);
  }

  bool take(std::string_view word) {
    rest = trim(rest);
    if (!rest.starts_with(word))
      return false;
    rest.remove_prefix(word.size());
    return true;
  }

  bool readSum() {
    if (!readProduct())
      return false;
    while (true) {
      Op op = take("+") ? Op::Add : take("-") ? Op::Sub : Op::Number;
      if (op == Op::Number)
        return true;
      if (!readProduct())
        return false;
      formula.steps.push_back({op});
    }
  }

  bool readProduct() {
    if (!readAtom())
      return false;
    while (true) {
      Op op = take("*")    ? Op::Mul
              : take("//") ? Op::FloorDiv
              : take("/")  ? Op::Div
              : take("%")  ? Op::Mod
                           : Op::Number;
      if (op == Op::Number)
        return true;
      if (!readAtom())
        return false;
      formula.steps.push_back({op});
    }
  }

  bool readAtom() {
    // Deeper than anyone writes, and far from the end of the stack.
    if (++depth > 200)
      return false;
    bool done = readUnary();
    --depth;
    return done;
  }

  bool readUnary() {
    if (take("-")) {
      if (!readAtom())
        return false;
      formula.steps.push_back({Op::Negate});
      return true;
    }
    if (take("("))
      return readSum() && take(")");
    static constexpr std::pair<std::string_view, Op> names[] = {
        {"iota", Op::Iota},
        {"row", Op::Row},
        {"col", Op::Col},
        {"random", Op::Random},
    };
    for (auto [name, op] : names) {
      if (take(name)) {
        formula.steps.push_back({op});
        return true;
      }
    }
    std::string word(trim(rest));
    char *end = nullptr;
    Value number = std::strtold(word.c_str(), &end);
    if (end == word.c_str())
      return false;
    rest = trim(rest).substr(size_t(end - word.c_str()));
    formula.steps.push_back({Op::Number, number});
    return true;
  }

  std::string_view rest;
  Formula formula;
  int depth = 0;
};

std::optional<Formula> Formula::parse(std::string_view text) {
  return FormulaParser(text).run();
}

/// A number from -1 to 1 with 20 bits, so that every float type wider than
/// fp16 holds it and its small sums exactly.
static Value randomAt(uint64_t place) {
  uint64_t x = place * 0x9E3779B97F4A7C15 + 0x1234567;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  x ^= x >> 31;
  return Value(int64_t(x >> 43) - (1 << 20)) / (1 << 20);
}

Value Formula::at(uint64_t place, uint64_t columns) const {
  if (!list.empty())
    return list[place % list.size()];
  std::vector<Value> stack;
  for (const Step &step : steps) {
    Value b = 0;
    if (step.op >= Op::Negate) {
      b = stack.back();
      stack.pop_back();
    }
    Value *a = stack.empty() ? nullptr : &stack.back();
    switch (step.op) {
    case Op::Number:
      stack.push_back(step.number);
      break;
    case Op::Iota:
      stack.push_back(Value(place));
      break;
    case Op::Row:
      stack.push_back(Value(place / columns));
      break;
    case Op::Col:
      stack.push_back(Value(place % columns));
      break;
    case Op::Random:
      stack.push_back(randomAt(place));
      break;
    case Op::Negate:
      stack.push_back(-b);
      break;
    case Op::Add:
      *a += b;
      break;
    case Op::Sub:
      *a -= b;
      break;
    case Op::Mul:
      *a *= b;
      break;
    case Op::Div:
      *a /= b;
      break;
    case Op::FloorDiv:
      *a = std::floor(*a / b);
      break;
    case Op::Mod:
      *a -= std::floor(*a / b) * b;
      break;
    }
  }
  return stack.back();
}

} // namespace tesela::cli
