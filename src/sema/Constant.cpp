//===- Constant.cpp - Python's operators on compile-time values -----------===//

#include "sema/Constant.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using tesela::syntax::BinOpKind;
using tesela::syntax::CmpOpKind;
using tesela::syntax::UnaryOpKind;

namespace tesela::sema {

const char *spelling(BinOpKind op) {
  static const char *const names[] = {"+",  "-",  "*", "@", "/", "%", "**",
                                      "<<", ">>", "|", "^", "&", "//"};
  return names[size_t(op)];
}

const char *spelling(UnaryOpKind op) {
  static const char *const names[] = {"~", "not", "+", "-"};
  return names[size_t(op)];
}

const char *spelling(CmpOpKind op) {
  static const char *const names[] = {"==", "!=", "<",      "<=", ">",
                                      ">=", "is", "is not", "in", "not in"};
  return names[size_t(op)];
}

bool truth(const Value &value) {
  if (value.isNone())
    return false;
  if (auto *flag = value.getIf<bool>())
    return *flag;
  if (auto *whole = value.getIf<Int>())
    return !whole->isZero();
  if (auto *number = value.getIf<double>())
    return *number != 0;
  if (auto *text = value.getIf<std::string>())
    return !text->empty();
  if (const std::vector<Value> *items = value.items())
    return !items->empty();
  return true;
}

//===----------------------------------------------------------------------===//
// Binary operators
//===----------------------------------------------------------------------===//

static Value fail(std::string &error, std::string message) {
  error = std::move(message);
  return Value();
}

static Value tooLarge(std::string &error) {
  return fail(error, "the result is too large");
}

static Value foldInts(BinOpKind op, const Int &a, const Int &b,
                      std::string &error) {
  bool needsDivisor =
      op == BinOpKind::Div || op == BinOpKind::Mod || op == BinOpKind::FloorDiv;
  if (needsDivisor && b.isZero())
    return fail(error, "division by zero");
  if (a.bitLength() + b.bitLength() > Int::maxBits)
    return tooLarge(error);
  switch (op) {
  case BinOpKind::Add:
    return a + b;
  case BinOpKind::Sub:
    return a - b;
  case BinOpKind::Mult:
    return a * b;
  case BinOpKind::Div:
    return a.toDouble() / b.toDouble();
  case BinOpKind::FloorDiv:
    return Int::floorDiv(a, b);
  case BinOpKind::Mod:
    return Int::floorMod(a, b);
  case BinOpKind::BitAnd:
    return a & b;
  case BinOpKind::BitOr:
    return a | b;
  case BinOpKind::BitXor:
    return a ^ b;
  case BinOpKind::Pow: {
    if (b.isNegative()) {
      if (a.isZero())
        return fail(error, "0 cannot be raised to a negative power");
      return std::pow(a.toDouble(), b.toDouble());
    }
    std::optional<int64_t> exponent = b.asInt64();
    std::optional<Int> result =
        exponent ? Int::power(a, uint64_t(*exponent)) : std::nullopt;
    return result ? Value(*result) : tooLarge(error);
  }
  case BinOpKind::LShift:
  case BinOpKind::RShift: {
    if (b.isNegative())
      return fail(error, "negative shift count");
    std::optional<int64_t> count = b.asInt64();
    if (!count)
      return tooLarge(error);
    if (op == BinOpKind::RShift)
      return Int::shiftRight(a, uint64_t(*count));
    std::optional<Int> result = Int::shiftLeft(a, uint64_t(*count));
    return result ? Value(*result) : tooLarge(error);
  }
  case BinOpKind::MatMult:
    break;
  }
  return fail(error, "");
}

static Value foldFloats(BinOpKind op, double a, double b, std::string &error) {
  bool needsDivisor =
      op == BinOpKind::Div || op == BinOpKind::Mod || op == BinOpKind::FloorDiv;
  if (needsDivisor && b == 0)
    return fail(error, "division by zero");
  switch (op) {
  case BinOpKind::Add:
    return a + b;
  case BinOpKind::Sub:
    return a - b;
  case BinOpKind::Mult:
    return a * b;
  case BinOpKind::Div:
    return a / b;
  case BinOpKind::Mod:
  case BinOpKind::FloorDiv: {
    double remainder = std::fmod(a, b);
    if (remainder != 0 && std::signbit(remainder) != std::signbit(b))
      remainder += b;
    if (op == BinOpKind::Mod)
      return remainder;
    return std::round((a - remainder) / b);
  }
  case BinOpKind::Pow:
    if (a == 0 && b < 0)
      return fail(error, "0 cannot be raised to a negative power");
    if (a < 0 && b != std::trunc(b))
      return fail(error, "a power of a negative number is not real");
    return std::pow(a, b);
  default:
    return fail(error, "");
  }
}

/// Longer strings and tuples are refused before they take all memory.
static constexpr int64_t maxItems = 1 << 20;

/// `sequence * count`.
static Value repeat(const Value &sequence, const Int &count,
                    std::string &error) {
  int64_t times = std::max<int64_t>(count.asInt64().value_or(-1), 0);
  if (!count.isNegative() && !count.asInt64())
    return tooLarge(error);
  constexpr int64_t limit = maxItems;
  if (auto *text = sequence.getIf<std::string>()) {
    if (times * int64_t(text->size() + 1) > limit || times > limit)
      return tooLarge(error);
    std::string result;
    for (int64_t i = 0; i < times; ++i)
      result += *text;
    return result;
  }
  const std::vector<Value> &items = *sequence.items();
  if (times > limit || times * int64_t(items.size() + 1) > limit)
    return tooLarge(error);
  std::vector<Value> result;
  for (int64_t i = 0; i < times; ++i)
    result.insert(result.end(), items.begin(), items.end());
  return sequence.get<SequenceRef>()->isList ? Value::list(std::move(result))
                                             : Value::tuple(std::move(result));
}

static bool isSequence(const Value &value) {
  return value.is<std::string>() || value.items();
}

static Value foldSequences(BinOpKind op, const Value &a, const Value &b,
                           std::string &error) {
  if (op == BinOpKind::Mult) {
    if (isSequence(a) && b.asInt())
      return repeat(a, *b.asInt(), error);
    if (isSequence(b) && a.asInt())
      return repeat(b, *a.asInt(), error);
  }
  if (op != BinOpKind::Add)
    return fail(error, "");
  if (a.is<std::string>() && b.is<std::string>()) {
    const std::string &x = a.get<std::string>(), &y = b.get<std::string>();
    return int64_t(x.size() + y.size()) > maxItems ? tooLarge(error)
                                                   : Value(x + y);
  }
  if (!a.items() || !b.items())
    return fail(error, "");
  bool isList = a.get<SequenceRef>()->isList;
  if (isList != b.get<SequenceRef>()->isList)
    return fail(error, "");
  if (int64_t(a.items()->size() + b.items()->size()) > maxItems)
    return tooLarge(error);
  std::vector<Value> items = *a.items();
  items.insert(items.end(), b.items()->begin(), b.items()->end());
  return isList ? Value::list(std::move(items))
                : Value::tuple(std::move(items));
}

Value foldBinary(BinOpKind op, const Value &a, const Value &b,
                 std::string &error) {
  Value result;
  bool isBitwise = op == BinOpKind::BitAnd || op == BinOpKind::BitOr ||
                   op == BinOpKind::BitXor;
  if (a.is<bool>() && b.is<bool>() && isBitwise) {
    bool x = a.get<bool>(), y = b.get<bool>();
    return op == BinOpKind::BitAnd  ? x && y
           : op == BinOpKind::BitOr ? x || y
                                    : x != y;
  }
  if (a.asInt() && b.asInt())
    result = foldInts(op, *a.asInt(), *b.asInt(), error);
  else if (a.isNumber() && b.isNumber())
    result = foldFloats(op, *a.asDouble(), *b.asDouble(), error);
  else if (isSequence(a) || isSequence(b))
    result = foldSequences(op, a, b, error);
  if (!result && error.empty())
    error = std::string("`") + spelling(op) + "` is not defined for " +
            a.describe() + " and " + b.describe();
  return result;
}

Value foldUnary(UnaryOpKind op, const Value &a, std::string &error) {
  if (op == UnaryOpKind::Not)
    return !truth(a);
  if (std::optional<Int> whole = a.asInt())
    return op == UnaryOpKind::Invert ? ~*whole
           : op == UnaryOpKind::USub ? -*whole
                                     : *whole;
  if (auto *number = a.getIf<double>(); number && op != UnaryOpKind::Invert)
    return op == UnaryOpKind::USub ? -*number : *number;
  return fail(error, std::string("`") + spelling(op) + "` is not defined for " +
                         a.describe());
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static bool equal(const Value &a, const Value &b) {
  if (a.asInt() && b.asInt())
    return *a.asInt() == *b.asInt();
  if (a.isNumber() && b.isNumber())
    return *a.asDouble() == *b.asDouble();
  if (a.items() && b.items())
    return std::equal(a.items()->begin(), a.items()->end(), b.items()->begin(),
                      b.items()->end(), equal);
  return a.identical(b);
}

static std::optional<bool> less(const Value &a, const Value &b) {
  if (a.asInt() && b.asInt())
    return *a.asInt() < *b.asInt();
  if (a.isNumber() && b.isNumber())
    return *a.asDouble() < *b.asDouble();
  if (a.is<std::string>() && b.is<std::string>())
    return a.get<std::string>() < b.get<std::string>();
  return std::nullopt;
}

static std::optional<bool> contains(const Value &item, const Value &whole) {
  if (item.is<std::string>() && whole.is<std::string>())
    return whole.get<std::string>().find(item.get<std::string>()) !=
           std::string::npos;
  const std::vector<Value> *items = whole.items();
  if (!items)
    return std::nullopt;
  return std::any_of(items->begin(), items->end(),
                     [&](const Value &other) { return equal(item, other); });
}

Value foldCompare(CmpOpKind op, const Value &a, const Value &b,
                  std::string &error) {
  std::optional<bool> result;
  switch (op) {
  case CmpOpKind::Eq:
    return equal(a, b);
  case CmpOpKind::NotEq:
    return !equal(a, b);
  case CmpOpKind::Is:
    return a.identical(b);
  case CmpOpKind::IsNot:
    return !a.identical(b);
  case CmpOpKind::In:
  case CmpOpKind::NotIn:
    result = contains(a, b);
    if (result && op == CmpOpKind::NotIn)
      result = !*result;
    break;
  case CmpOpKind::Lt:
    result = less(a, b);
    break;
  case CmpOpKind::Gt:
    result = less(b, a);
    break;
  case CmpOpKind::LtE:
    result = less(a, b);
    if (result)
      result = *result || equal(a, b);
    break;
  case CmpOpKind::GtE:
    result = less(b, a);
    if (result)
      result = *result || equal(a, b);
    break;
  }
  if (!result)
    return fail(error, std::string("`") + spelling(op) +
                           "` is not defined for " + a.describe() + " and " +
                           b.describe());
  return *result;
}

//===----------------------------------------------------------------------===//
// Formatting
//===----------------------------------------------------------------------===//

std::optional<double> parseFloat(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t\n");
  size_t end = text.find_last_not_of(" \t\n");
  if (begin == std::string::npos)
    return std::nullopt;
  std::string word = text.substr(begin, end - begin + 1);
  std::erase(word, '_');
  // `strtod` also reads hexadecimal numbers and "nan(…)", which Python does
  // not.
  if (word.find_first_of("xX(pP") != std::string::npos)
    return std::nullopt;
  char *rest = nullptr;
  double value = std::strtod(word.c_str(), &rest);
  if (rest == word.c_str() || *rest)
    return std::nullopt;
  return value;
}

std::optional<std::string> format(const Value &value, const std::string &spec) {
  if (spec.empty())
    return value.str();
  // [0][width][.precision](d|x|f|e|g): what C's printf knows too.
  size_t pos = spec.find_first_not_of("0123456789.");
  bool isPlain = pos == spec.size() - 1 && pos <= 8 &&
                 std::count(spec.begin(), spec.end(), '.') <= 1;
  if (!isPlain)
    return std::nullopt;
  char buffer[512];
  std::string digits = spec.substr(0, pos);
  // Longer fields than the buffer are of no use to anybody.
  for (size_t i = 0, run = 0; i < digits.size(); ++i) {
    run = digits[i] == '.' ? 0 : run + 1;
    if (run > 2)
      return std::nullopt;
  }
  char conversion = spec[pos];
  if (conversion == 'd' || conversion == 'x') {
    std::optional<int64_t> whole = value.asInt64();
    if (!whole || digits.find('.') != std::string::npos)
      return std::nullopt;
    std::string form = "%" + digits + "ll" + conversion;
    std::snprintf(buffer, sizeof(buffer), form.c_str(), (long long)*whole);
    return buffer;
  }
  if (conversion == 'f' || conversion == 'e' || conversion == 'g') {
    std::optional<double> number = value.asDouble();
    if (!number)
      return std::nullopt;
    std::string form = "%" + digits + conversion;
    std::snprintf(buffer, sizeof(buffer), form.c_str(), *number);
    return buffer;
  }
  return std::nullopt;
}

} // namespace tesela::sema
