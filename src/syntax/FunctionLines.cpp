//===- FunctionLines.cpp - where the function at the start of a text ends -===//

#include "syntax/FunctionLines.h"

#include "syntax/Lexer.h"

namespace tesela::syntax {

namespace {

/// Sees the tokens of a text one by one, up to the end of its first statement.
class StatementEnd {
public:
  /// False where the statement has ended before this token.
  bool take(const Token &token) {
    switch (token.kind) {
    case TokenKind::Indent:
      // The text's own indentation comes before everything else.
      depth += hasBegun;
      mayEnd = false;
      return true;
    case TokenKind::Dedent:
      mayEnd = mayEnd || --depth <= 0;
      return !mayEnd;
    case TokenKind::Newline:
      end = token.end;
      // A decorator goes on with the line after it.
      mayEnd = depth == 0 && !isDecorator;
      isFirst = depth == 0;
      return true;
    default:
      if (mayEnd)
        return false;
      if (isFirst)
        isDecorator = token.kind == TokenKind::At;
      isFirst = false;
      hasBegun = true;
      return true;
    }
  }

  /// Of the last line that belongs to it.
  size_t end = 0;

private:
  int depth = 0;
  bool hasBegun = false;
  /// At the start of a line that is not indented.
  bool isFirst = true;
  bool isDecorator = false;
  /// The statement is over unless an indented line follows.
  bool mayEnd = false;
};

} // namespace

size_t functionLength(const std::string &text) {
  Lexer lexer(text, 1);
  StatementEnd statement;
  size_t seen = 0;
  for (bool isDone = false; !isDone;) {
    isDone = !lexer.step();
    for (; seen < lexer.tokens().size(); ++seen)
      if (!statement.take(lexer.tokens()[seen]))
        return statement.end;
  }
  return lexer.hasFailed() ? text.size() : statement.end;
}

} // namespace tesela::syntax
