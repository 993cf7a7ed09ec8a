//===- Literals.cpp - constants as Python's `ascii` writes them -----------===//

#include "syntax/Literals.h"

#include "syntax/Unicode.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace tesela::syntax {

/// Python prefers single quotes unless that costs an escape.
static char chooseQuote(std::string_view text) {
  bool hasSingle = text.find('\'') != text.npos;
  bool hasDouble = text.find('"') != text.npos;
  return hasSingle && !hasDouble ? '"' : '\'';
}

/// An ASCII character within quotes; false where it needs a number.
static bool appendPlain(std::string &out, unsigned char c, char quote) {
  if (c == '\\' || c == (unsigned char)quote) {
    out += '\\';
    out += char(c);
  } else if (c == '\n') {
    out += "\\n";
  } else if (c == '\r') {
    out += "\\r";
  } else if (c == '\t') {
    out += "\\t";
  } else if (c >= 0x20 && c < 0x7F) {
    out += char(c);
  } else {
    return false;
  }
  return true;
}

void appendQuoted(std::string &out, std::string_view text) {
  char quote = chooseQuote(text);
  out += quote;
  for (size_t at = 0; at < text.size();) {
    uint32_t c = nextCodePoint(text, at);
    if (c < 0x80 && appendPlain(out, c, quote))
      continue;
    char code[16];
    std::snprintf(code, sizeof code,
                  c < 0x100     ? "\\x%02x"
                  : c < 0x10000 ? "\\u%04x"
                                : "\\U%08x",
                  c);
    out += code;
  }
  out += quote;
}

void appendQuotedBytes(std::string &out, std::string_view bytes) {
  char quote = chooseQuote(bytes);
  out += 'b';
  out += quote;
  for (unsigned char c : bytes) {
    if (appendPlain(out, c, quote))
      continue;
    char code[16];
    std::snprintf(code, sizeof code, "\\x%02x", c);
    out += code;
  }
  out += quote;
}

/// Without `.0` at the end of a whole number.
static void appendShortest(std::string &out, double value) {
  if (std::isinf(value)) {
    out += "inf";
    return;
  }
  // Python writes an exponent below 1e-4 and from 1e16 on.
  double size = std::fabs(value);
  bool scientific = size != 0 && (size < 1e-4 || size >= 1e16);
  char digits[64];
  auto result = std::to_chars(digits, digits + sizeof digits, value,
                              scientific ? std::chars_format::scientific
                                         : std::chars_format::fixed);
  out.append(digits, result.ptr);
}

void appendFloat(std::string &out, double value) {
  size_t begin = out.size();
  appendShortest(out, value);
  if (out.find_first_of(".eEn", begin) == out.npos)
    out += ".0";
}

void appendImaginary(std::string &out, double value) {
  appendShortest(out, value);
  out += 'j';
}

} // namespace tesela::syntax
