//===- Lexer.h - the state of the lexer, private to its sources -----------===//
//
// The lexer alternates between two modes. In code, blanks separate tokens; in
// the text of an f-string everything up to a brace or the closing quote is one
// token. Which one holds follows from two stacks:
//
//   f"a{ x[1] : >{w} }b"      brackets          mode
//     ^                       -                 text
//        ^                    {                 code
//           ^                 { [               code
//                ^            { (after `:`)     text
//                  ^          { {               code
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_SYNTAX_LEXER_H
#define TESELA_SYNTAX_LEXER_H

#include "syntax/Token.h"

namespace tesela::syntax {

class Lexer {
public:
  Lexer(std::string_view text, int32_t firstLine);
  TokenList run();

  /// Goes on by a token or so; false at the end.
  bool step();
  /// Those that `step` has come to.
  const std::vector<Token> &tokens() const { return list.tokens; }
  bool hasFailed() const { return !list.error.empty(); }

private:
  struct Bracket : OpenBracket {
    bool isField = false; // opens a replacement field of an f-string
    bool inSpec = false;  // ... and its `:` has been passed
  };
  struct FString {
    char quote;
    bool triple;
    bool raw;
    bool isTemplate;
    size_t base; // number of brackets outside of it
    Span start;  // of its first token
  };

  // Lexer.cpp
  void lexLineStart();
  bool countIndent(int32_t &col, int32_t &altCol);
  bool placeIndent(int32_t col, int32_t altCol);
  void lexCode();
  void lexNewline();
  void lexEnd();
  bool continueLine();
  void lexPunct();
  void openBracket(char c);
  bool closeBracket(char c);
  // LexWord.cpp
  void lexName();
  void lexNumber();
  bool lexDigits(bool (*isDigit)(char));
  bool lexRadix(const char *what, bool (*isDigit)(char));
  bool lexDecimal();
  bool endNumber(const char *what);
  // LexString.cpp
  bool lexStringPrefix();
  void lexString(const char *begin, char quote);
  void lexFStringStart(const char *begin, char quote, bool raw,
                       bool isTemplate);
  void lexFStringText();
  bool lexFStringEnd();
  void lexMiddle(bool inSpec);
  void failUnterminated(const FString &string);

  bool inFStringText() const {
    if (fstrings.empty())
      return false;
    if (brackets.size() == fstrings.back().base)
      return true;
    return brackets.back().isField && brackets.back().inSpec;
  }
  bool inField() const {
    return !fstrings.empty() && brackets.size() > fstrings.back().base;
  }
  const char *stringWord(const FString &string) const {
    return string.isTemplate ? "t-string" : "f-string";
  }

  uint32_t offset(const char *p) const { return uint32_t(p - text.data()); }
  int32_t column(const char *p) const { return int32_t(p - lineStart); }
  /// Counts the newline that ends just before `next`.
  void newLine(const char *next) {
    ++line;
    lineStart = next;
  }
  /// Adds the token from `begin` to `cur`, on the present line.
  void add(TokenKind kind, const char *begin);
  void add(TokenKind kind, const char *begin, const char *end, Span span);
  /// Ends lexing with an error over `[begin, end)` of the present line.
  bool fail(std::string message, const char *begin, const char *end);
  bool fail(std::string message, Span span);

  std::string_view text;
  const char *cur;
  const char *end;
  const char *lineStart;
  int32_t line;
  bool atLineStart = true;
  bool done = false;
  /// Whether lexing ended because of the brackets that are still open.
  bool bracketsMatter = false;
  std::vector<Bracket> brackets;
  std::vector<FString> fstrings;
  /// Columns of the open blocks: tabs to multiples of 8, and tabs as 1.
  std::vector<std::pair<int32_t, int32_t>> indents = {{0, 0}};
  TokenList list;
};

} // namespace tesela::syntax

#endif // TESELA_SYNTAX_LEXER_H
