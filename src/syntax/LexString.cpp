//===- LexString.cpp - string literals, f-strings and t-strings -----------===//
//
// A plain literal is one token. An f-string is cut where its braces are:
//
//   f"a{x:>3}b"   ->   FStringStart Middle { x : Middle } Middle FStringEnd
//
// Middles are raw: escapes and doubled braces are resolved by the parser.
//
//===----------------------------------------------------------------------===//

#include "syntax/Lexer.h"

namespace tesela::syntax {

/// As in CPython.
constexpr size_t maxFStrings = 150;
constexpr int maxNestedFields = 3;

/// Lexes a literal that begins with letters, if one does.
bool Lexer::lexStringPrefix() {
  bool b = false, u = false, r = false, f = false, t = false;
  const char *p = cur;
  for (;; ++p) {
    if ((*p == 'b' || *p == 'B') && !b && !u && !f && !t)
      b = true;
    else if ((*p == 'u' || *p == 'U') && !b && !u && !r && !f && !t)
      u = true;
    else if ((*p == 'r' || *p == 'R') && !r && !u)
      r = true;
    else if ((*p == 'f' || *p == 'F') && !b && !u && !f && !t)
      f = true;
    else if ((*p == 't' || *p == 'T') && !b && !u && !f && !t)
      t = true;
    else
      break;
  }
  if (*p != '"' && *p != '\'')
    return false;
  const char *begin = cur;
  cur = p;
  if (f || t)
    lexFStringStart(begin, *p, r, t);
  else
    lexString(begin, *p);
  return true;
}

void Lexer::lexString(const char *begin, char quote) {
  int32_t firstLine = line, firstCol = column(begin);
  bool triple = cur[1] == quote && cur[2] == quote;
  cur += triple ? 3 : 1;
  for (;; ++cur) {
    if (cur >= end || (*cur == '\n' && !triple)) {
      // Where it would have been the closing quote, a brace is what is missing.
      if (inField() && fstrings.back().quote == quote &&
          fstrings.back().triple == triple) {
        fail(std::string(stringWord(fstrings.back())) + ": expecting '}'",
             {firstLine, firstCol, firstLine, firstCol + 1});
        return;
      }
      int32_t last = cur >= end && line > firstLine ? line - 1 : line;
      fail(std::string("unterminated ") +
               (triple ? "triple-quoted string literal" : "string literal") +
               " (detected at line " + std::to_string(last) + ")",
           {firstLine, firstCol, firstLine, firstCol + 1});
      return;
    }
    if (*cur == '\\' && cur + 1 < end)
      ++cur;
    else if (*cur == quote && (!triple || (cur[1] == quote && cur[2] == quote)))
      break;
    if (*cur == '\n')
      newLine(cur + 1);
  }
  cur += triple ? 3 : 1;
  add(TokenKind::String, begin, cur, {firstLine, firstCol, line, column(cur)});
}

void Lexer::lexFStringStart(const char *begin, char quote, bool raw,
                            bool isTemplate) {
  bool triple = cur[1] == quote && cur[2] == quote;
  cur += triple ? 3 : 1;
  if (fstrings.size() >= maxFStrings) {
    fail("too many nested f-strings", begin, cur);
    return;
  }
  add(TokenKind::FStringStart, begin);
  fstrings.push_back({quote, triple, raw, isTemplate, brackets.size(),
                      list.tokens.back().span});
}

void Lexer::failUnterminated(const FString &string) {
  int32_t last = cur >= end && line > string.start.line ? line - 1 : line;
  fail(std::string("unterminated ") + (string.triple ? "triple-quoted " : "") +
           stringWord(string) + " literal (detected at line " +
           std::to_string(last) + ")",
       string.start);
}

/// Passes the closing quotes, if they come next.
bool Lexer::lexFStringEnd() {
  const FString &string = fstrings.back();
  if (*cur != string.quote ||
      (string.triple && (cur[1] != string.quote || cur[2] != string.quote)))
    return false;
  const char *begin = cur;
  cur += string.triple ? 3 : 1;
  add(TokenKind::FStringEnd, begin);
  fstrings.pop_back();
  return true;
}

void Lexer::lexFStringText() {
  bool inSpec = brackets.size() > fstrings.back().base;
  std::string word = stringWord(fstrings.back());
  if (!inSpec && lexFStringEnd())
    return;
  if (*cur == '{' && (inSpec || cur[1] != '{')) {
    int depth = 0;
    for (size_t i = fstrings.back().base; i < brackets.size(); ++i)
      depth += brackets[i].isField;
    if (depth >= maxNestedFields) {
      fail(word + ": expressions nested too deeply", cur, cur + 1);
      return;
    }
    openBracket('{');
    if (!done)
      brackets.back().isField = true;
    return;
  }
  if (*cur == '}' && inSpec) {
    closeBracket('}');
    return;
  }
  if (*cur == '}' && cur[1] != '}') {
    fail(word + ": single '}' is not allowed", cur, cur + 1);
    return;
  }
  lexMiddle(inSpec);
}

/// Text up to a brace that means something, or to the closing quotes.
void Lexer::lexMiddle(bool inSpec) {
  const FString &string = fstrings.back();
  const char *begin = cur;
  int32_t firstLine = line, firstCol = column(cur);
  for (;; ++cur) {
    if (cur >= end || (*cur == '\n' && !string.triple)) {
      if (inSpec && cur < end)
        fail(std::string(stringWord(string)) +
                 ": newlines are not allowed in format specifiers for single "
                 "quoted f-strings",
             cur, cur);
      else
        failUnterminated(string);
      return;
    }
    if (*cur == string.quote && (!string.triple || (cur[1] == string.quote &&
                                                    cur[2] == string.quote))) {
      if (!inSpec)
        break;
      fail(std::string(stringWord(string)) + ": expecting '}'", cur, cur + 1);
      return;
    }
    if (*cur == '{' || *cur == '}') {
      if (inSpec || cur[1] != *cur)
        break;
      ++cur;
      continue;
    }
    if (*cur == '\\' && cur + 1 < end && cur[1] != '{' && cur[1] != '}') {
      ++cur;
      // The braces of `\N{...}` are not those of a field.
      if (*cur == 'N' && cur[1] == '{' && !string.raw) {
        const char *p = cur + 2;
        while (p < end && *p != '}' && *p != '\n' && *p != string.quote &&
               *p != '{')
          ++p;
        cur = *p == '}' ? p : cur + 1;
      }
    }
    if (*cur == '\n')
      newLine(cur + 1);
  }
  add(TokenKind::FStringMiddle, begin, cur,
      {firstLine, firstCol, line, column(cur)});
}

} // namespace tesela::syntax
