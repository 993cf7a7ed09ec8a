//===- LexWord.cpp - names, keywords and numbers --------------------------===//

#include "syntax/Lexer.h"
#include "syntax/Unicode.h"

#include <array>
#include <cstdio>
#include <cstring>

namespace tesela::syntax {

namespace {

bool isDecimal(char c) { return c >= '0' && c <= '9'; }
bool isBinary(char c) { return c == '0' || c == '1'; }
bool isOctal(char c) { return c >= '0' && c <= '7'; }
bool isHex(char c) {
  return isDecimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

struct NameTable {
  bool is[256] = {};
  constexpr NameTable() {
    for (int c = 0; c < 256; ++c)
      is[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (c >= '0' && c <= '9') || c == '_' || c >= 0x80;
  }
};
constexpr NameTable nameTable;

bool isNameByte(char c) { return nameTable.is[(unsigned char)c]; }

/// The keyword with this spelling, or `Name`.
TokenKind wordKind(std::string_view word) {
  // Every keyword has 2 to 8 letters; the first one selects a handful.
  if (word.size() < 2 || word.size() > 8)
    return TokenKind::Name;
  static const auto byLetter = [] {
    std::array<std::vector<TokenKind>, 128> result;
    for (auto k = TokenKind::KwFalse; k <= TokenKind::KwYield;
         k = TokenKind(int(k) + 1))
      result[size_t(tokenText(k)[0])].push_back(k);
    return result;
  }();
  if (word[0] & 0x80)
    return TokenKind::Name;
  for (TokenKind kind : byLetter[size_t(word[0])])
    if (word == tokenText(kind))
      return kind;
  return TokenKind::Name;
}

std::string hexCode(uint32_t codePoint) {
  char text[16];
  std::snprintf(text, sizeof text, "U+%04X", codePoint);
  return text;
}

} // namespace

void Lexer::lexName() {
  if (lexStringPrefix())
    return;
  const char *begin = cur;
  unsigned char seen = 0;
  while (isNameByte(*cur))
    seen |= *cur++;
  std::string_view word(begin, cur - begin);
  if (seen & 0x80) {
    for (size_t at = 0; at < word.size();) {
      size_t from = at;
      uint32_t c = nextCodePoint(word, at);
      if (from == 0 ? isIdentifierStart(c) : isIdentifierContinue(c))
        continue;
      std::string message = "invalid character '" +
                            std::string(word.substr(from, at - from)) + "' (" +
                            hexCode(c) + ")";
      // Controls and odd blanks would not show.
      if (c < 0xA1 || (c >= 0x2000 && c <= 0x200F) ||
          (c >= 0x2028 && c <= 0x202F) || c == 0x3000 || c == 0xFEFF)
        message = "invalid non-printable character " + hexCode(c);
      fail(message, begin + from, begin + at);
      return;
    }
  }
  add(wordKind(word), begin);
}

/// Digits with single underscores between them.
bool Lexer::lexDigits(bool (*isDigit)(char)) {
  for (;;) {
    while (isDigit(*cur))
      ++cur;
    if (*cur != '_')
      return true;
    if (!isDigit(cur[1]))
      return fail("invalid decimal literal", cur, cur + 1);
    ++cur;
  }
}

/// `0x1F` and the like.
bool Lexer::lexRadix(const char *what, bool (*isDigit)(char)) {
  const char *begin = cur;
  cur += 2;
  do {
    if (*cur == '_')
      ++cur;
    if (!isDigit(*cur)) {
      if (isDecimal(*cur))
        return fail("invalid digit '" + std::string(1, *cur) + "' in " + what +
                        " literal",
                    cur, cur + 1);
      return fail(std::string("invalid ") + what + " literal", begin, cur);
    }
    while (isDigit(*cur))
      ++cur;
  } while (*cur == '_');
  if (isDecimal(*cur))
    return fail("invalid digit '" + std::string(1, *cur) + "' in " + what +
                    " literal",
                cur, cur + 1);
  return endNumber(what);
}

/// `12`, `1.5e3`, `.5j`: everything without a radix.
bool Lexer::lexDecimal() {
  const char *begin = cur;
  const char *what = "decimal";
  bool isInteger = true;
  if (*cur != '.' && !lexDigits(isDecimal))
    return false;
  const char *integerEnd = cur;
  if (*cur == '.') {
    isInteger = false;
    ++cur;
    if (isDecimal(*cur) && !lexDigits(isDecimal))
      return false;
  }
  if (*cur == 'e' || *cur == 'E') {
    const char *exponent = cur + 1;
    if (*exponent == '+' || *exponent == '-') {
      if (!isDecimal(exponent[1]))
        return fail("invalid decimal literal", cur, exponent);
      ++exponent;
    }
    // Without digits it is no exponent, but perhaps the keyword `else`.
    if (isDecimal(*exponent)) {
      isInteger = false;
      cur = exponent;
      if (!lexDigits(isDecimal))
        return false;
    }
  }
  if (*cur == 'j' || *cur == 'J') {
    isInteger = false;
    what = "imaginary";
    ++cur;
  }
  bool isZero =
      std::string_view(begin, integerEnd - begin).find_first_not_of("0_") ==
      std::string_view::npos;
  if (isInteger && *begin == '0' && !isZero)
    return fail("leading zeros in decimal integer literals are not permitted; "
                "use an 0o prefix for octal integers",
                begin, cur);
  return endNumber(what);
}

/// A number must not run into a name, except into these keywords.
bool Lexer::endNumber(const char *what) {
  if (!isNameByte(*cur))
    return true;
  for (const char *word : {"and", "else", "for", "if", "in", "is", "or", "not"})
    if (!std::strncmp(cur, word, std::strlen(word)))
      return true;
  const char *begin = cur;
  while (begin > lineStart && isNameByte(begin[-1]))
    --begin;
  return fail(std::string("invalid ") + what + " literal", begin, cur);
}

void Lexer::lexNumber() {
  const char *begin = cur;
  bool ok;
  char second = *cur == '0' ? cur[1] : 0;
  if (second == 'x' || second == 'X')
    ok = lexRadix("hexadecimal", isHex);
  else if (second == 'o' || second == 'O')
    ok = lexRadix("octal", isOctal);
  else if (second == 'b' || second == 'B')
    ok = lexRadix("binary", isBinary);
  else
    ok = lexDecimal();
  if (ok)
    add(TokenKind::Number, begin);
}

} // namespace tesela::syntax
