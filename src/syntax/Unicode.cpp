//===- Unicode.cpp - code points, identifiers, normal form KC -------------===//
//
// Identifiers are compared in normal form KC: each code point is replaced by
// its full compatibility decomposition, marks are sorted by combining class,
// and pairs are composed again.
//
//   ﬁ (U+FB01)            ->  f i
//   e, U+0301             ->  é
//   U+1D400 (bold A)      ->  A
//
//===----------------------------------------------------------------------===//

#include "syntax/Unicode.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace tesela::syntax {

namespace {

struct Range {
  uint32_t first, last;
};
/// `first` to `last` decompose to `target` and what follows it.
struct MappedRange {
  uint32_t first, last, target;
};
struct Decomposition {
  uint32_t codePoint;
  uint16_t at, length; // in `decompositionPool`
};
struct CombiningRange {
  uint32_t first, last;
  uint8_t combiningClass;
};
struct Composition {
  uint32_t first, second, result;
};
struct NamedCodePoint {
  std::string_view name;
  uint32_t codePoint;
};

#include "syntax/UnicodeTables.inc"

/// The range that holds `codePoint`, or null.
template <typename Table>
auto findRange(const Table &table, uint32_t codePoint) {
  auto it = std::upper_bound(
      std::begin(table), std::end(table), codePoint,
      [](uint32_t c, const auto &range) { return c < range.first; });
  if (it == std::begin(table) || codePoint > std::prev(it)->last)
    return decltype(it)(nullptr);
  return std::prev(it);
}

uint8_t combiningClass(uint32_t codePoint) {
  if (codePoint < 0x300)
    return 0;
  const CombiningRange *range = findRange(combiningRanges, codePoint);
  return range ? range->combiningClass : 0;
}

// Hangul syllables are computed: LV = L, V; LVT = LV, T.
constexpr uint32_t hangulS = 0xAC00, hangulL = 0x1100, hangulV = 0x1161,
                   hangulT = 0x11A7;
constexpr uint32_t countL = 19, countV = 21, countT = 28;

void decompose(uint32_t c, std::vector<uint32_t> &out) {
  if (c - hangulS < countL * countV * countT) {
    uint32_t s = c - hangulS;
    out.push_back(hangulL + s / (countV * countT));
    out.push_back(hangulV + s % (countV * countT) / countT);
    if (s % countT)
      out.push_back(hangulT + s % countT);
    return;
  }
  if (const MappedRange *range = findRange(mappedRanges, c)) {
    out.push_back(range->target + (c - range->first));
    return;
  }
  auto it = std::lower_bound(
      std::begin(decompositions), std::end(decompositions), c,
      [](const Decomposition &row, uint32_t c) { return row.codePoint < c; });
  if (it == std::end(decompositions) || it->codePoint != c) {
    out.push_back(c);
    return;
  }
  out.insert(out.end(), decompositionPool + it->at,
             decompositionPool + it->at + it->length);
}

/// The composite of two code points; 0 where there is none.
uint32_t compose(uint32_t a, uint32_t b) {
  if (a - hangulL < countL && b - hangulV < countV)
    return hangulS + ((a - hangulL) * countV + (b - hangulV)) * countT;
  if (a - hangulS < countL * countV * countT && (a - hangulS) % countT == 0 &&
      b - hangulT - 1 < countT - 1)
    return a + (b - hangulT);
  auto it =
      std::lower_bound(std::begin(compositions), std::end(compositions),
                       std::pair(a, b), [](const Composition &row, auto key) {
                         return std::pair(row.first, row.second) < key;
                       });
  bool found =
      it != std::end(compositions) && it->first == a && it->second == b;
  return found ? it->result : 0;
}

} // namespace

void appendUtf8(std::string &text, uint32_t c) {
  if (c < 0x80) {
    text += char(c);
  } else if (c < 0x800) {
    text += char(0xC0 | c >> 6);
    text += char(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    text += char(0xE0 | c >> 12);
    text += char(0x80 | (c >> 6 & 0x3F));
    text += char(0x80 | (c & 0x3F));
  } else {
    text += char(0xF0 | c >> 18);
    text += char(0x80 | (c >> 12 & 0x3F));
    text += char(0x80 | (c >> 6 & 0x3F));
    text += char(0x80 | (c & 0x3F));
  }
}

uint32_t nextCodePoint(std::string_view text, size_t &at) {
  unsigned char lead = text[at++];
  if (lead < 0x80)
    return lead;
  int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  uint32_t result = lead & (0x3F >> more);
  while (more-- > 0 && at < text.size())
    result = result << 6 | (text[at++] & 0x3F);
  return result;
}

size_t findInvalidUtf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    unsigned char lead = text[i];
    if (lead < 0x80) {
      ++i;
      continue;
    }
    // Overlong forms, surrogates and values past U+10FFFF are invalid; all of
    // them show in the first two bytes.
    int more;
    unsigned char low = 0x80, high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF)
      more = 1;
    else if (lead >= 0xE0 && lead <= 0xEF) {
      more = 2;
      low = lead == 0xE0 ? 0xA0 : low;
      high = lead == 0xED ? 0x9F : high;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
      more = 3;
      low = lead == 0xF0 ? 0x90 : low;
      high = lead == 0xF4 ? 0x8F : high;
    } else
      return i;
    if (i + more >= text.size())
      return i;
    for (int k = 1; k <= more; ++k, low = 0x80, high = 0xBF) {
      unsigned char c = text[i + k];
      if (c < low || c > high)
        return i;
    }
    i += 1 + more;
  }
  return text.size();
}

bool isIdentifierStart(uint32_t codePoint) {
  return findRange(startRanges, codePoint) != nullptr;
}

bool isIdentifierContinue(uint32_t codePoint) {
  return isIdentifierStart(codePoint) ||
         findRange(continueRanges, codePoint) != nullptr;
}

std::optional<uint32_t> codePointNamed(std::string_view name) {
  std::string upper = llvm::StringRef(name).upper();
  if (auto found = llvm::sys::unicode::nameToCodepointStrict(upper))
    return uint32_t(*found);
  for (const NamedCodePoint &row : abbreviations)
    if (row.name == upper)
      return row.codePoint;
  // VS1 to VS16, then VS17 to VS256.
  unsigned selector = 0;
  if (upper.starts_with("VS") && upper[2] != '0' &&
      !llvm::StringRef(upper).drop_front(2).getAsInteger(10, selector) &&
      selector >= 1 && selector <= 256)
    return selector <= 16 ? 0xFE00 + selector - 1 : 0xE0100 + selector - 17;
  return std::nullopt;
}

std::string normalizeIdentifier(std::string_view identifier) {
  if (std::none_of(identifier.begin(), identifier.end(),
                   [](char c) { return c & 0x80; }))
    return std::string(identifier);

  std::vector<uint32_t> text;
  for (size_t at = 0; at < identifier.size();)
    decompose(nextCodePoint(identifier, at), text);

  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && combiningClass(text[end]))
      ++end;
    for (size_t k = i + 1; k < end; ++k)
      for (size_t m = k;
           m > i && combiningClass(text[m - 1]) > combiningClass(text[m]); --m)
        std::swap(text[m - 1], text[m]);
    i = end + 1;
  }

  // A mark composes with the last starter unless one between them has the
  // same or a higher class.
  std::vector<uint32_t> out;
  size_t starter = size_t(-1);
  uint8_t lastClass = 0;
  for (uint32_t c : text) {
    uint8_t k = combiningClass(c);
    bool adjacent = starter + 1 == out.size();
    if (starter != size_t(-1) && (adjacent || (k != 0 && lastClass < k))) {
      if (uint32_t composite = compose(out[starter], c)) {
        out[starter] = composite;
        continue;
      }
    }
    if (k == 0)
      starter = out.size();
    lastClass = k;
    out.push_back(c);
  }

  std::string result;
  for (uint32_t c : out)
    appendUtf8(result, c);
  return result;
}

} // namespace tesela::syntax
