//===- Token.h - what the lexer hands to the parser -----------------------===//

#ifndef TESELA_SYNTAX_TOKEN_H
#define TESELA_SYNTAX_TOKEN_H

#include "syntax/Ast.h"

#include <string>
#include <string_view>
#include <vector>

namespace tesela::syntax {

enum class TokenKind : uint8_t {
#define TOKEN(id, text) id,
#include "syntax/Tokens.def"
};

/// The spelling of a word or sign; what messages call any other kind.
const char *tokenText(TokenKind kind);

/// One token: bytes `[begin, end)` of the text.
struct Token {
  TokenKind kind = TokenKind::EndMarker;
  uint32_t begin = 0;
  uint32_t end = 0;
  Span span;
};

/// An open bracket as the lexer saw it.
struct OpenBracket {
  char open;
  uint32_t token; // index of its token
  Span span;
};

/// All tokens of one text. Where lexing failed the last but one is an `Error`,
/// and `error` says why; the last is always an `EndMarker`.
struct TokenList {
  std::vector<Token> tokens;
  std::string error;
  /// The brackets, outermost first, that no later text closes.
  std::vector<OpenBracket> unclosed;
};

/// Splits a decoded text (see `decodeSource`) into tokens.
TokenList lex(std::string_view text, int32_t firstLine);

} // namespace tesela::syntax

#endif // TESELA_SYNTAX_TOKEN_H
