//===- Formula.h - the contents of a buffer, as a formula -----------------===//

#ifndef TESELA_TOOLS_TESELA_FORMULA_H
#define TESELA_TOOLS_TESELA_FORMULA_H

#include "Elements.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tesela::cli {

/// Numbers, `iota` (the element's place), `row` and `col` (the place in a
/// matrix), `random` (from -1 to 1, the same in every run), `+ - * / // %` and
/// parentheses: `iota % 7 * 0.5 - 1`. Or a list of numbers, `[1 2 3]`, that is
/// repeated.
class Formula {
public:
  /// Nothing where the text is no formula.
  static std::optional<Formula> parse(std::string_view text);

  /// The element at a place, in rows of `columns` elements.
  Value at(uint64_t place, uint64_t columns) const;
  /// Whether it is a list of numbers.
  bool isList() const { return !list.empty(); }

private:
  // In reverse Polish notation.
  enum class Op : uint8_t {
    Number,
    Iota,
    Row,
    Col,
    Random,
    Negate,
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Mod,
  };
  struct Step {
    Op op;
    Value number = 0;
  };
  friend class FormulaParser;

  std::vector<Step> steps;
  std::vector<Value> list;
};

/// One number: also `inf`, `nan`, `0x1f`.
std::optional<Value> parseNumberText(std::string_view text);

} // namespace tesela::cli

#endif // TESELA_TOOLS_TESELA_FORMULA_H
