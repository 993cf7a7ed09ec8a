//===- ArgumentText.h - arguments written as text -------------------------===//

#ifndef TESELA_TOOLS_TESELA_ARGUMENTTEXT_H
#define TESELA_TOOLS_TESELA_ARGUMENTTEXT_H

#include "tesela/tesela.h"

#include <memory>
#include <string>
#include <vector>

namespace tesela::cli {

/// Named arguments and the texts and values that they point at.
class ArgumentList {
public:
  /// Adds `NAME=TYPE`: `x=*fp32`, `x=*fp32:16` (the address is a multiple of
  /// 16), `n=i32`, `n=i32:16`, or a value such as `n=1`. What is wrong with the
  /// text; empty where nothing is.
  std::string addTyped(const std::string &text);

  /// Adds `NAME=VALUE`: a number, True, False, None, an element type, a string
  /// with or without quotes, a tuple of such.
  std::string addConstant(const std::string &text);
  void add(const std::string &name, const Argument &argument);

  std::span<const NamedArgument> arguments() const { return list; }
  bool has(const std::string &name) const;
  /// Those whose names the kernel has.
  std::vector<NamedArgument> matching(const Kernel &kernel) const;

private:
  std::vector<std::unique_ptr<std::string>> texts;
  std::vector<std::unique_ptr<Object>> values;
  std::vector<NamedArgument> list;
};

/// A compile-time value written as Python would; any other text is a string.
Object parseValue(std::string_view text);

/// "f32", "fp32", "float32", "i8", "int8", "u1" …
std::optional<DType> parseTypeName(std::string_view text);

/// Splits "NAME=REST"; an empty name where there is none.
std::pair<std::string, std::string> splitName(const std::string &text);

} // namespace tesela::cli

#endif // TESELA_TOOLS_TESELA_ARGUMENTTEXT_H
