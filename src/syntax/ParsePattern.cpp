//===- ParsePattern.cpp - `match` and its patterns ------------------------===//

#include "syntax/Grammar.h"

#include "llvm/Support/Casting.h"

namespace tesela::syntax {

using llvm::cast;
using llvm::dyn_cast;

/// Whether no expression can go on with this token after a name, so that
/// `match` before it must be the keyword.
static bool neverFollowsName(TokenKind kind) {
  switch (kind) {
  case TokenKind::Name:
  case TokenKind::Number:
  case TokenKind::String:
  case TokenKind::FStringStart:
  case TokenKind::LBrace:
  case TokenKind::Tilde:
  case TokenKind::Ellipsis:
  case TokenKind::KwNone:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
  case TokenKind::KwAwait:
  case TokenKind::KwLambda:
    return true;
  default:
    return false;
  }
}

/// A `match` statement, or null where `match` turns out to be a name.
Stmt *Grammar::parseMatch() {
  Start start = here();
  Cursor cursor = save();
  advance();
  bool certain = neverFollowsName(kind());
  if (!certain && !atExpressionStart() && !at(Kind::Star)) {
    restore(cursor);
    return nullptr;
  }
  Start subjectStart = here();
  Expr *subject = parseStarNamed();
  if (at(Kind::Comma)) {
    Exprs elts = {subject};
    while (accept(Kind::Comma) && (atExpressionStart() || at(Kind::Star)))
      elts.push_back(parseStarNamed());
    auto *tuple = make<Tuple>(subjectStart);
    tuple->elts = std::move(elts);
    subject = tuple;
  } else if (subject->kind == NodeKind::Starred && !failed) {
    unexpected();
  }
  if (!certain && !(at(Kind::Colon) && peek().kind == Kind::Newline)) {
    restore(cursor);
    return nullptr;
  }
  expectColon();
  expect(Kind::Newline);
  if (!accept(Kind::Indent))
    fail("expected an indented block after 'match' statement on line " +
         std::to_string(start.line));
  std::vector<MatchCase *> cases;
  do
    cases.push_back(parseCase());
  while (!at(Kind::Dedent) && !at(Kind::EndMarker));
  accept(Kind::Dedent);
  auto *result = make<Match>(start);
  result->subject = subject;
  result->cases = std::move(cases);
  return result;
}

MatchCase *Grammar::parseCase() {
  int32_t line = tok().span.line;
  auto *result = module.arena.make<MatchCase>();
  if (!atWord("case")) {
    unexpected();
    return result;
  }
  advance();
  result->pattern = parsePatterns();
  if (accept(Kind::KwIf))
    result->guard = parseNamed();
  parseBlock(result->body, "'case' statement", line);
  return result;
}

/// A pattern, or several with commas and no brackets.
Pattern *Grammar::parsePatterns() {
  Start start = here();
  Pattern *first = parseMaybeStarPattern();
  if (!at(Kind::Comma)) {
    if (first->kind == NodeKind::MatchStar)
      unexpected();
    return first;
  }
  Patterns patterns = {first};
  while (accept(Kind::Comma) && !at(Kind::Colon) && !at(Kind::KwIf))
    patterns.push_back(parseMaybeStarPattern());
  auto *result = make<MatchSequence>(start);
  result->patterns = std::move(patterns);
  return result;
}

Pattern *Grammar::parseMaybeStarPattern() {
  return at(Kind::Star) ? parseStarPattern() : parsePattern();
}

Pattern *Grammar::parseStarPattern() {
  Start start = here();
  advance();
  Identifier name = identifier();
  if (at(Kind::Dot) || at(Kind::LParen) || at(Kind::Equal))
    unexpected();
  auto *result = make<MatchStar>(start);
  if (name != "_")
    result->name = std::move(name);
  return result;
}

/// `pattern as name`.
Pattern *Grammar::parsePattern() {
  Nesting nesting(*this);
  Start start = here();
  Pattern *pattern = parseOrPattern();
  if (!accept(Kind::KwAs))
    return pattern;
  Span span = tok().span;
  if (!at(Kind::Name) || peek().kind == Kind::Dot ||
      peek().kind == Kind::LParen) {
    if (atExpressionStart()) {
      Expr *target = parseExpression();
      fail(std::string("cannot use ") + describe(target) + " as pattern target",
           target);
    }
    unexpected();
  }
  Identifier name = identifier();
  if (name == "_")
    fail("cannot use '_' as a target", span);
  auto *result = make<MatchAs>(start);
  result->pattern = pattern;
  result->name = std::move(name);
  return result;
}

Pattern *Grammar::parseOrPattern() {
  Start start = here();
  Pattern *first = parseClosedPattern();
  if (!at(Kind::Pipe))
    return first;
  Patterns patterns = {first};
  while (accept(Kind::Pipe))
    patterns.push_back(parseClosedPattern());
  auto *result = make<MatchOr>(start);
  result->patterns = std::move(patterns);
  return result;
}

Pattern *Grammar::parseClosedPattern() {
  Start start = here();
  switch (kind()) {
  case Kind::KwNone:
  case Kind::KwTrue:
  case Kind::KwFalse: {
    ConstantKind value = at(Kind::KwNone)   ? ConstantKind::None
                         : at(Kind::KwTrue) ? ConstantKind::True
                                            : ConstantKind::False;
    advance();
    auto *result = make<MatchSingleton>(start);
    result->value = value;
    return result;
  }
  case Kind::Minus:
  case Kind::Number:
  case Kind::String:
  case Kind::FStringStart: {
    Expr *value = parsePatternLiteral();
    auto *result = make<MatchValue>(start);
    result->value = value;
    return result;
  }
  case Kind::Name:
    return parseNamePattern();
  case Kind::LParen:
  case Kind::LSquare:
    return parseSequencePattern();
  case Kind::LBrace:
    return parseMappingPattern();
  default:
    unexpected();
    return make<MatchAs>(start);
  }
}

/// `x.y.z`, read.
Expr *Grammar::parseDottedLoad() {
  Start start = here();
  auto *name = module.arena.make<Name>();
  name->span = tok().span;
  name->id = identifier();
  Expr *result = name;
  Nesting nesting(*this);
  while (accept(Kind::Dot)) {
    Identifier attr = identifier();
    auto *attribute = make<Attribute>(start);
    attribute->value = result;
    attribute->attr = std::move(attr);
    result = attribute;
    nesting.wrap();
  }
  return result;
}

/// A capture, `_`, a value `x.y`, or a class `x.y(…)`.
Pattern *Grammar::parseNamePattern() {
  Start start = here();
  bool isWildcard = atWord("_");
  Expr *value = parseDottedLoad();
  if (isWildcard && (at(Kind::LParen) || value->kind != NodeKind::Name))
    unexpected();
  if (at(Kind::LParen))
    return parseClassPattern(start, value);
  if (auto *name = dyn_cast<Name>(value)) {
    if (at(Kind::Equal))
      unexpected();
    auto *result = make<MatchAs>(start);
    if (name->id != "_")
      result->name = name->id;
    return result;
  }
  auto *result = make<MatchValue>(start);
  result->value = value;
  return result;
}

Pattern *Grammar::parseClassPattern(Start start, Expr *cls) {
  advance();
  Patterns patterns, kwdPatterns;
  std::vector<Identifier> kwdAttrs;
  while (!at(Kind::RParen) && !failed) {
    if (at(Kind::Name) && peek().kind == Kind::Equal) {
      kwdAttrs.push_back(identifier());
      advance();
      kwdPatterns.push_back(parsePattern());
    } else {
      Span span = tok().span;
      patterns.push_back(parsePattern());
      if (!kwdAttrs.empty())
        fail("positional patterns follow keyword patterns", span);
    }
    if (!accept(Kind::Comma))
      break;
  }
  expectClose(Kind::RParen);
  auto *result = make<MatchClass>(start);
  result->cls = cls;
  result->patterns = std::move(patterns);
  result->kwdAttrs = std::move(kwdAttrs);
  result->kwdPatterns = std::move(kwdPatterns);
  return result;
}

/// `[…]` or `(…)`; parentheses around one pattern only group.
Pattern *Grammar::parseSequencePattern() {
  Start start = here();
  bool isGroup = at(Kind::LParen);
  Kind close = isGroup ? Kind::RParen : Kind::RSquare;
  advance();
  Patterns patterns;
  while (!at(close) && !failed) {
    patterns.push_back(parseMaybeStarPattern());
    if (!accept(Kind::Comma)) {
      isGroup &= patterns.size() == 1;
      break;
    }
    isGroup = false;
  }
  isGroup &= !patterns.empty();
  if (isGroup && patterns[0]->kind == NodeKind::MatchStar)
    unexpected();
  expectClose(close);
  if (isGroup)
    return patterns[0];
  auto *result = make<MatchSequence>(start);
  result->patterns = std::move(patterns);
  return result;
}

Pattern *Grammar::parseMappingPattern() {
  Start start = here();
  advance();
  Exprs keys;
  Patterns patterns;
  Identifier rest;
  while (!at(Kind::RBrace) && !failed) {
    if (accept(Kind::StarStar)) {
      if (atWord("_"))
        unexpected();
      rest = identifier();
      accept(Kind::Comma);
      break;
    }
    Expr *key;
    if (at(Kind::Name)) {
      key = parseDottedLoad();
      if (key->kind == NodeKind::Name)
        unexpected();
    } else {
      key = parsePatternLiteral();
    }
    expect(Kind::Colon);
    keys.push_back(key);
    patterns.push_back(parsePattern());
    if (!accept(Kind::Comma))
      break;
  }
  expectClose(Kind::RBrace);
  auto *result = make<MatchMapping>(start);
  result->keys = std::move(keys);
  result->patterns = std::move(patterns);
  result->rest = std::move(rest);
  return result;
}

/// A number, a string, or the keyword of a constant.
Expr *Grammar::parsePatternLiteral() {
  switch (kind()) {
  case Kind::String:
  case Kind::FStringStart:
    return parseStrings();
  case Kind::KwNone:
  case Kind::KwTrue:
  case Kind::KwFalse:
    return parseAtom();
  case Kind::Minus:
  case Kind::Number:
    return parsePatternNumber();
  default:
    unexpected();
    return placeholder();
  }
}

/// `1`, `-1`, `-1 + 2j`.
Expr *Grammar::parsePatternNumber() {
  Start start = here();
  auto isImaginary = [](Expr *number) {
    return number->kind == NodeKind::Constant &&
           cast<Constant>(number)->constant == ConstantKind::Imaginary;
  };
  auto number = [&]() -> Expr * {
    if (at(Kind::Number))
      return parseNumber();
    unexpected();
    return placeholder();
  };
  bool isNegative = accept(Kind::Minus);
  Expr *real = number();
  bool realIsImaginary = isImaginary(real);
  Span realSpan = real->span;
  if (isNegative) {
    auto *negated = make<UnaryOp>(start);
    negated->op = UnaryOpKind::USub;
    negated->operand = real;
    real = negated;
  }
  if (!at(Kind::Plus) && !at(Kind::Minus))
    return real;
  if (realIsImaginary)
    fail("real number required in complex literal", realSpan);
  BinOpKind op = at(Kind::Plus) ? BinOpKind::Add : BinOpKind::Sub;
  Span opSpan = tok().span;
  advance();
  Expr *imaginary = number();
  if (!failed && !isImaginary(imaginary))
    fail("imaginary number required in complex literal", imaginary);
  auto *result = make<BinOp>(start);
  result->left = real;
  result->op = op;
  result->right = imaginary;
  result->opSpan = opSpan;
  return result;
}

} // namespace tesela::syntax
