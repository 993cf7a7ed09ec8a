//===- Lexer.cpp - lines, indentation and signs ---------------------------===//

#include "syntax/Lexer.h"

namespace tesela::syntax {

/// As in CPython, which has fixed stacks for both.
constexpr size_t maxBrackets = 200;
constexpr size_t maxIndents = 100;

const char *tokenText(TokenKind kind) {
  static const char *const texts[] = {
#define TOKEN(id, text) text,
#include "syntax/Tokens.def"
  };
  return texts[size_t(kind)];
}

TokenList lex(std::string_view text, int32_t firstLine) {
  return Lexer(text, firstLine).run();
}

Lexer::Lexer(std::string_view text, int32_t firstLine)
    : text(text), cur(text.data()), end(text.data() + text.size()),
      lineStart(text.data()), line(firstLine) {}

void Lexer::add(TokenKind kind, const char *begin, const char *tokenEnd,
                Span span) {
  list.tokens.push_back({kind, offset(begin), offset(tokenEnd), span});
}

void Lexer::add(TokenKind kind, const char *begin) {
  add(kind, begin, cur, {line, column(begin), line, column(cur)});
}

bool Lexer::fail(std::string message, Span span) {
  list.error = std::move(message);
  add(TokenKind::Error, cur, cur, span);
  done = true;
  return false;
}

bool Lexer::fail(std::string message, const char *begin, const char *last) {
  return fail(std::move(message), {line, column(begin), line, column(last)});
}

bool Lexer::step() {
  if (inFStringText())
    lexFStringText();
  else if (atLineStart)
    lexLineStart();
  else
    lexCode();
  return !done;
}

TokenList Lexer::run() {
  list.tokens.reserve(text.size() / 4 + 16);
  while (step())
    continue;
  if (bracketsMatter)
    list.unclosed.assign(brackets.begin(), brackets.end());
  add(TokenKind::EndMarker, end, end, {line, column(cur), line, column(cur)});
  return std::move(list);
}

/// Measures the blanks at the start of a line. A backslash continues the line
/// and keeps the column it stood at.
bool Lexer::countIndent(int32_t &col, int32_t &altCol) {
  int32_t continued = 0;
  for (;; ++cur) {
    if (*cur == ' ') {
      ++col;
      ++altCol;
    } else if (*cur == '\t') {
      col = (col / 8 + 1) * 8;
      ++altCol;
    } else if (*cur == '\f') {
      col = altCol = 0;
    } else if (*cur == '\\' && cur < end) {
      continued = continued ? continued : col;
      if (!continueLine())
        return false;
      --cur;
    } else {
      break;
    }
  }
  if (continued)
    col = altCol = continued;
  return true;
}

bool Lexer::placeIndent(int32_t col, int32_t altCol) {
  constexpr const char *inconsistent =
      "inconsistent use of tabs and spaces in indentation";
  Span here = {line, 0, line, column(cur)};
  if (col == indents.back().first)
    return altCol == indents.back().second || fail(inconsistent, here);
  if (col > indents.back().first) {
    if (altCol <= indents.back().second)
      return fail(inconsistent, here);
    if (indents.size() >= maxIndents)
      return fail("too many levels of indentation", here);
    indents.push_back({col, altCol});
    add(TokenKind::Indent, lineStart, cur, here);
    return true;
  }
  while (col < indents.back().first) {
    indents.pop_back();
    add(TokenKind::Dedent, cur);
  }
  if (col != indents.back().first)
    return fail("unindent does not match any outer indentation level", here);
  return altCol == indents.back().second || fail(inconsistent, here);
}

void Lexer::lexLineStart() {
  atLineStart = false;
  int32_t col = 0, altCol = 0;
  if (!countIndent(col, altCol))
    return;
  if (*cur == '#')
    while (cur < end && *cur != '\n')
      ++cur;
  if (*cur == '\n' && cur < end) {
    newLine(++cur);
    atLineStart = true;
    return;
  }
  if (cur < end)
    placeIndent(col, altCol);
}

/// Passes a backslash and the newline after it.
bool Lexer::continueLine() {
  const char *backslash = cur++;
  if (*cur != '\n' || cur == end)
    return fail("unexpected character after line continuation character",
                backslash, cur);
  if (cur + 1 == end)
    return fail("unexpected end of file after line continuation character",
                backslash, cur);
  newLine(++cur);
  return true;
}

void Lexer::lexNewline() {
  if (brackets.empty()) {
    // The newline itself lies on the line that it ends.
    const char *begin = cur++;
    add(TokenKind::Newline, begin);
    atLineStart = true;
    newLine(cur);
    return;
  }
  newLine(++cur);
}

void Lexer::lexEnd() {
  bracketsMatter = true;
  if (!fstrings.empty() && inField()) {
    const OpenBracket &field = brackets.back();
    fail("'" + std::string(1, field.open) + "' was never closed", field.span);
    return;
  }
  if (!brackets.empty()) {
    const OpenBracket &bracket = brackets.back();
    fail("'" + std::string(1, bracket.open) + "' was never closed",
         bracket.span);
    return;
  }
  if (!list.tokens.empty() && list.tokens.back().kind != TokenKind::Newline &&
      list.tokens.back().kind != TokenKind::Dedent)
    add(TokenKind::Newline, cur);
  for (; indents.size() > 1; indents.pop_back())
    add(TokenKind::Dedent, cur);
  done = true;
}

void Lexer::lexCode() {
  while (*cur == ' ' || *cur == '\t' || *cur == '\f')
    ++cur;
  if (cur == end)
    return lexEnd();
  unsigned char c = *cur;
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80)
    return lexName();
  if (c >= '0' && c <= '9')
    return lexNumber();
  switch (c) {
  case '\n':
    return lexNewline();
  case '#':
    while (cur < end && *cur != '\n')
      ++cur;
    return;
  case '\\':
    continueLine();
    return;
  case '"':
  case '\'':
    return lexString(cur, c);
  case '.':
    if (cur[1] >= '0' && cur[1] <= '9')
      return lexNumber();
    return lexPunct();
  default:
    return lexPunct();
  }
}

void Lexer::openBracket(char c) {
  const char *begin = cur++;
  if (brackets.size() >= maxBrackets) {
    fail("too many nested parentheses", begin, cur);
    return;
  }
  Bracket bracket;
  bracket.open = c;
  bracket.token = uint32_t(list.tokens.size());
  bracket.span = {line, column(begin), line, column(cur)};
  brackets.push_back(bracket);
  add(c == '('   ? TokenKind::LParen
      : c == '[' ? TokenKind::LSquare
                 : TokenKind::LBrace,
      begin);
}

bool Lexer::closeBracket(char c) {
  const char *begin = cur++;
  std::string close(1, c);
  if (brackets.empty())
    return fail("unmatched '" + close + "'", begin, cur);
  const Bracket &top = brackets.back();
  char open = c == ')' ? '(' : c == ']' ? '[' : '{';
  if (top.open != open) {
    if (top.isField)
      return fail(std::string(stringWord(fstrings.back())) + ": unmatched '" +
                      close + "'",
                  begin, cur);
    std::string message = "closing parenthesis '" + close +
                          "' does not match opening parenthesis '" +
                          std::string(1, top.open) + "'";
    if (top.span.line != line)
      message += " on line " + std::to_string(top.span.line);
    bracketsMatter = true;
    return fail(message, begin, cur);
  }
  brackets.pop_back();
  add(c == ')'   ? TokenKind::RParen
      : c == ']' ? TokenKind::RSquare
                 : TokenKind::RBrace,
      begin);
  return true;
}

void Lexer::lexPunct() {
  using enum TokenKind;
  const char *begin = cur;
  auto sign = [&](TokenKind kind, int length) {
    cur += length;
    add(kind, begin);
  };
  // `x`, `x=`, `xx` and `xx=`, where the sign knows them.
  auto family = [&](TokenKind one, TokenKind oneEqual, TokenKind two = Unknown,
                    TokenKind twoEqual = Unknown) {
    if (two != Unknown && cur[1] == cur[0])
      return cur[2] == '=' && twoEqual != Unknown ? sign(twoEqual, 3)
                                                  : sign(two, 2);
    return cur[1] == '=' ? sign(oneEqual, 2) : sign(one, 1);
  };
  char c = *cur;
  switch (c) {
  case '(':
  case '[':
  case '{':
    return openBracket(c);
  case ')':
  case ']':
  case '}':
    closeBracket(c);
    return;
  case ':':
    if (!brackets.empty() && brackets.back().isField) {
      brackets.back().inSpec = true;
      return sign(Colon, 1);
    }
    return family(Colon, ColonEqual);
  case ',':
    return sign(Comma, 1);
  case ';':
    return sign(Semicolon, 1);
  case '~':
    return sign(Tilde, 1);
  case '.':
    return cur[1] == '.' && cur[2] == '.' ? sign(Ellipsis, 3) : sign(Dot, 1);
  case '=':
    return family(Equal, EqEqual);
  case '!':
    return family(Exclaim, NotEqual);
  case '+':
    return family(Plus, PlusEqual);
  case '-':
    return cur[1] == '>' ? sign(Arrow, 2) : family(Minus, MinusEqual);
  case '*':
    return family(Star, StarEqual, StarStar, StarStarEqual);
  case '/':
    return family(Slash, SlashEqual, SlashSlash, SlashSlashEqual);
  case '%':
    return family(Percent, PercentEqual);
  case '@':
    return family(At, AtEqual);
  case '&':
    return family(Amper, AmperEqual);
  case '|':
    return family(Pipe, PipeEqual);
  case '^':
    return family(Caret, CaretEqual);
  case '<':
    return cur[1] == '>' ? sign(Unknown, 2)
                         : family(Less, LessEqual, LessLess, LessLessEqual);
  case '>':
    return family(Greater, GreaterEqual, GreaterGreater, GreaterGreaterEqual);
  case '$':
  case '?':
  case '`':
    return sign(Unknown, 1);
  default: {
    static const char digits[] = "0123456789ABCDEF";
    unsigned char byte = c;
    fail(std::string("invalid non-printable character U+00") +
             digits[byte >> 4] + digits[byte & 15],
         cur, cur + 1);
  }
  }
}

} // namespace tesela::syntax
