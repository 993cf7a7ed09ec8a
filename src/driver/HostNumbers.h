//===- HostNumbers.h - Python's arithmetic on constants -------------------===//

#ifndef TESELA_DRIVER_HOSTNUMBERS_H
#define TESELA_DRIVER_HOSTNUMBERS_H

#include "sema/Int.h"
#include "tesela/environment.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tesela {

namespace syntax {
enum class BinOpKind : uint8_t;
enum class CmpOpKind : uint8_t;
enum class UnaryOpKind : uint8_t;
} // namespace syntax

namespace driver {

/// A bool, an int or a float of Python.
class Number {
public:
  /// Nothing where the value is no number.
  static std::optional<Number> of(const Object &value);
  /// From decimal digits.
  static Number integer(const std::string &digits);
  explicit Number(sema::Int whole) : value(std::move(whole)) {}
  explicit Number(double number) : value(number) {}

  Object object() const;
  bool isTrue() const;
  bool isFloat() const { return value.index() == 1; }
  bool isBool() const { return boolean; }
  const sema::Int &whole() const { return std::get<0>(value); }
  double toDouble() const;
  std::optional<int64_t> asInt64() const;

private:
  std::variant<sema::Int, double> value;
  bool boolean = false;
};

/// Nothing where Python would raise, or the result would be huge.
std::optional<Object> binary(syntax::BinOpKind op, const Number &a,
                             const Number &b);
std::optional<Object> unary(syntax::UnaryOpKind op, const Number &a);
/// `==` to `>=`.
bool compare(syntax::CmpOpKind op, const Number &a, const Number &b);

/// Calls a function by its dotted name; nothing where it is not one of the few
/// that are known, or its arguments do not suit it.
std::optional<Object> callHost(const std::string &function,
                               const std::vector<Object> &arguments);

} // namespace driver
} // namespace tesela

#endif // TESELA_DRIVER_HOSTNUMBERS_H
