//===- Parser.cpp - a Python file to its syntax tree ----------------------===//
//
//   bytes --decode--> text --lex--> tokens --Grammar--> Module
//
//===----------------------------------------------------------------------===//

#include "syntax/Parser.h"

#include "syntax/Decode.h"
#include "syntax/Grammar.h"
#include "syntax/Unicode.h"

namespace tesela::syntax {

std::unique_ptr<Module> parseModule(SourceRef source, Diagnostics &diags) {
  std::string text;
  if (!decodeSource(source, text, diags))
    return nullptr;
  auto module = std::make_unique<Module>();
  Grammar grammar(text, lex(text, source->firstLine()), *module);
  if (grammar.parse())
    return module;
  const Span &span = grammar.errorSpan;
  diags.error(DiagId::SyntaxError,
              {source, span.line, span.col, span.endLine, span.endCol},
              grammar.errorMessage);
  return nullptr;
}

Grammar::Grammar(std::string_view text, TokenList list, Module &module)
    : text(text), tokens(std::move(list.tokens)),
      lexError(std::move(list.error)), unclosed(std::move(list.unclosed)),
      module(module) {}

bool Grammar::parse() {
  while (!failed && !at(Kind::EndMarker))
    parseStatement(module.body);
  if (failed)
    reportFailure();
  return !failed;
}

bool Grammar::expect(Kind k) {
  if (accept(k))
    return true;
  unexpected();
  return false;
}

Identifier Grammar::identifier() {
  if (!at(Kind::Name)) {
    unexpected();
    return "";
  }
  std::string_view word = spelling(tok());
  advance();
  return normalizeIdentifier(word);
}

/// Where an error of the current token shows: at the end of the file, behind
/// the last thing that can be seen.
Span Grammar::errorPlace() const {
  if (tok().begin < text.size())
    return tok().span;
  return {lastEnd.line, lastEnd.col, lastEnd.line, lastEnd.col};
}

void Grammar::fail(std::string message, Span span) {
  if (failed)
    return;
  // The lexer's error comes first where the parser has run into it.
  bool ofLexer = at(Kind::Error);
  if (ofLexer) {
    message = lexError;
    span = tok().span;
  }
  failed = true;
  failure = {pos, span, std::move(message), ofLexer};
  pos = tokens.size() - 1;
}

void Grammar::unexpected() {
  if (at(Kind::Indent))
    fail("unexpected indent");
  else if (at(Kind::Dedent))
    fail("unexpected unindent");
  else
    fail("invalid syntax");
}

void Grammar::reportFailure() {
  errorSpan = failure.span;
  errorMessage = failure.message;
  if (failure.ofLexer)
    return;
  // What looks wrong in the middle of nowhere is often a bracket that was left
  // open on an earlier line.
  for (size_t i = unclosed.size(); i-- > 0;) {
    const OpenBracket &bracket = unclosed[i];
    if (bracket.token < failure.pos && bracket.span.line < errorSpan.line) {
      errorSpan = bracket.span;
      errorMessage = std::string("'") + bracket.open + "' was never closed";
      return;
    }
  }
}

} // namespace tesela::syntax
