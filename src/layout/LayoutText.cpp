//===- LayoutText.cpp - layouts as text and back --------------------------===//
//
//   layout := tuple ':' [bits (';' bits)*]
//   bits   := ('register' | 'lane' | 'warp' | 'block' | 'offset') tuple*
//   tuple  := '(' [number (',' number)*] ')'
//
// The first tuple is the tile's shape. Dimensions are in this order, each at
// most once; those without bits are left out.
//
//===----------------------------------------------------------------------===//

#include "layout/LinearLayout.h"

#include <bit>
#include <utility>

namespace tesela::layout {

namespace {

constexpr const char *dimNames[] = {"register", "lane", "warp", "block",
                                    "offset"};

std::string tupleText(const Shape &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return "(" + text + ")";
}

class LayoutParser {
public:
  LayoutParser(std::string_view text, std::string &error)
      : text(text), error(error) {}

  std::optional<LinearLayout> layout();

private:
  bool fail(std::string message) {
    error = std::move(message);
    return false;
  }
  void skipSpace() {
    while (!text.empty() && (text[0] == ' ' || text[0] == '\n'))
      text.remove_prefix(1);
  }
  bool accept(std::string_view token) {
    skipSpace();
    if (!text.starts_with(token))
      return false;
    text.remove_prefix(token.size());
    return true;
  }
  bool expect(std::string_view token) {
    return accept(token) ||
           fail("expected `" + std::string(token) + "` in a layout");
  }
  bool number(int64_t &value);
  bool tuple(Shape &numbers);
  bool checkShape(const Shape &shape);
  bool bits(LinearLayout &layout, Dim dim);

  std::string_view text;
  std::string &error;
};

bool LayoutParser::number(int64_t &value) {
  skipSpace();
  size_t digits = 0;
  for (value = 0; digits < text.size(); ++digits) {
    char c = text[digits];
    if (c < '0' || c > '9')
      break;
    value = value * 10 + (c - '0');
    if (value >> LinearLayout::maxBits > 1)
      return fail("a number of a layout is too large");
  }
  text.remove_prefix(digits);
  return digits || fail("expected a number in a layout");
}

bool LayoutParser::tuple(Shape &numbers) {
  if (!expect("("))
    return false;
  if (accept(")"))
    return true;
  do {
    if (!number(numbers.emplace_back()))
      return false;
  } while (accept(","));
  return expect(")");
}

bool LayoutParser::checkShape(const Shape &shape) {
  unsigned bits = 0;
  for (int64_t extent : shape) {
    if (extent < 1 || !std::has_single_bit(uint64_t(extent)))
      return fail("extent " + std::to_string(extent) +
                  " of a layout is not a power of two");
    bits += unsigned(std::countr_zero(uint64_t(extent)));
  }
  return bits <= LinearLayout::maxBits ||
         fail("the tile of a layout is too large");
}

bool LayoutParser::bits(LinearLayout &layout, Dim dim) {
  for (skipSpace(); text.starts_with('('); skipSpace()) {
    Shape coordinates;
    if (!tuple(coordinates))
      return false;
    if (coordinates.size() != layout.rank())
      return fail(tupleText(coordinates) + " of a layout has not one number " +
                  "for each axis");
    for (unsigned axis = 0; axis < layout.rank(); ++axis)
      if (coordinates[axis] >= layout.shape()[axis])
        return fail(tupleText(coordinates) + " of a layout is outside of " +
                    tupleText(layout.shape()));
    if (layout.space().totalBits() == LinearLayout::maxBits)
      return fail("a layout has too many bits");
    layout.add(dim, layout.flatten(coordinates));
  }
  return true;
}

std::optional<LinearLayout> LayoutParser::layout() {
  Shape shape;
  if (!tuple(shape) || !checkShape(shape) || !expect(":"))
    return std::nullopt;
  LinearLayout result(std::move(shape));
  bool first = true;
  for (Dim dim : allDims) {
    skipSpace();
    if (text.empty())
      break;
    std::string_view here = text;
    if ((!first && !accept(";")) || !accept(dimNames[unsigned(dim)])) {
      text = here;
      continue;
    }
    if (!bits(result, dim))
      return std::nullopt;
    first = false;
  }
  skipSpace();
  if (text.empty())
    return result;
  fail("unexpected `" + std::string(text.substr(0, 20)) + "` in a layout");
  return std::nullopt;
}

} // namespace

std::string LinearLayout::str() const {
  std::string text = tupleText(extents) + ":";
  const char *separator = " ";
  for (Dim dim : allDims) {
    if (!bits(dim))
      continue;
    text += separator;
    text += dimNames[unsigned(dim)];
    for (uint64_t vector : bases(dim))
      text += " " + tupleText(coordinates(vector));
    separator = "; ";
  }
  return text;
}

std::optional<LinearLayout> LinearLayout::parse(std::string_view text,
                                                std::string &error) {
  return LayoutParser(text, error).layout();
}

} // namespace tesela::layout
