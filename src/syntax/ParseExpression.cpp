//===- ParseExpression.cpp - operators, from loose to tight ---------------===//
//
//   x, *y | x := y | x if y else z, lambda | or | and | not | < in is
//   | bitwise and arithmetic, by precedence | - + ~ | ** | await | primaries
//
//===----------------------------------------------------------------------===//

#include "syntax/Grammar.h"

namespace tesela::syntax {

/// Whether the current token can begin an expression.
bool Grammar::atExpressionStart() const {
  switch (kind()) {
  case Kind::Name:
  case Kind::Number:
  case Kind::String:
  case Kind::FStringStart:
  case Kind::KwFalse:
  case Kind::KwNone:
  case Kind::KwTrue:
  case Kind::KwAwait:
  case Kind::KwLambda:
  case Kind::KwNot:
  case Kind::LParen:
  case Kind::LSquare:
  case Kind::LBrace:
  case Kind::Ellipsis:
  case Kind::Plus:
  case Kind::Minus:
  case Kind::Tilde:
    return true;
  default:
    return false;
  }
}

/// `x`, `x,`, `x, *y`: a tuple without parentheses.
Expr *Grammar::parseStarExpressions() {
  Start start = here();
  Expr *first = parseStarExpression();
  if (!at(Kind::Comma))
    return first;
  Exprs elts = {first};
  while (accept(Kind::Comma) && (atExpressionStart() || at(Kind::Star)))
    elts.push_back(parseStarExpression());
  auto *tuple = make<Tuple>(start);
  tuple->elts = std::move(elts);
  return tuple;
}

Expr *Grammar::parseStarExpression() {
  if (!at(Kind::Star))
    return parseExpression();
  Start start = here();
  advance();
  Expr *value = parseBinary();
  auto *starred = make<Starred>(start);
  starred->value = value;
  return starred;
}

Expr *Grammar::parseStarNamed() {
  return at(Kind::Star) ? parseStarExpression() : parseNamed();
}

Expr *Grammar::parseNamed() {
  Start start = here();
  if (at(Kind::Name) && peek().kind == Kind::ColonEqual) {
    auto *target = module.arena.make<Name>();
    target->span = tok().span;
    target->id = identifier();
    target->ctx = ExprContext::Store;
    advance();
    Expr *value = parseExpression();
    auto *named = make<NamedExpr>(start);
    named->target = target;
    named->value = value;
    return named;
  }
  Expr *expr = parseExpression();
  if (at(Kind::ColonEqual))
    fail(std::string("cannot use assignment expressions with ") +
             describe(expr),
         expr);
  return expr;
}

Expr *Grammar::parseExpression() {
  Nesting nesting(*this);
  if (at(Kind::KwLambda))
    return parseLambda();
  Start start = here();
  Expr *body = parseDisjunction();
  if (!at(Kind::KwIf))
    return body;
  Span ifSpan = tok().span;
  advance();
  Expr *test = parseDisjunction();
  if (!at(Kind::KwElse)) {
    if (at(Kind::Colon) || failed)
      unexpected();
    else
      fail("expected 'else' after 'if' expression",
           {start.line, start.col, ifSpan.endLine, ifSpan.endCol});
    return body;
  }
  advance();
  Expr *orelse = parseExpression();
  auto *conditional = make<IfExp>(start);
  conditional->test = test;
  conditional->body = body;
  conditional->orelse = orelse;
  return conditional;
}

Expr *Grammar::parseDisjunction() {
  Start start = here();
  Expr *first = parseConjunction();
  if (!at(Kind::KwOr))
    return first;
  Exprs values = {first};
  while (accept(Kind::KwOr))
    values.push_back(parseConjunction());
  auto *result = make<BoolOp>(start);
  result->op = BoolOpKind::Or;
  result->values = std::move(values);
  return result;
}

Expr *Grammar::parseConjunction() {
  Start start = here();
  Expr *first = parseInversion();
  if (!at(Kind::KwAnd))
    return first;
  Exprs values = {first};
  while (accept(Kind::KwAnd))
    values.push_back(parseInversion());
  auto *result = make<BoolOp>(start);
  result->op = BoolOpKind::And;
  result->values = std::move(values);
  return result;
}

Expr *Grammar::parseInversion() {
  if (!at(Kind::KwNot))
    return parseComparison();
  Nesting nesting(*this);
  Start start = here();
  advance();
  Expr *operand = parseInversion();
  auto *result = make<UnaryOp>(start);
  result->op = UnaryOpKind::Not;
  result->operand = operand;
  return result;
}

Expr *Grammar::parseComparison() {
  Start start = here();
  Expr *left = parseBinary();
  std::vector<CmpOpKind> ops;
  Exprs comparators;
  for (;;) {
    CmpOpKind op;
    switch (kind()) {
    case Kind::EqEqual:
      op = CmpOpKind::Eq;
      break;
    case Kind::NotEqual:
      op = CmpOpKind::NotEq;
      break;
    case Kind::Less:
      op = CmpOpKind::Lt;
      break;
    case Kind::LessEqual:
      op = CmpOpKind::LtE;
      break;
    case Kind::Greater:
      op = CmpOpKind::Gt;
      break;
    case Kind::GreaterEqual:
      op = CmpOpKind::GtE;
      break;
    case Kind::KwIn:
      op = CmpOpKind::In;
      break;
    case Kind::KwIs:
      op = CmpOpKind::Is;
      if (peek().kind == Kind::KwNot) {
        op = CmpOpKind::IsNot;
        advance();
      }
      break;
    case Kind::KwNot:
      if (peek().kind == Kind::KwIn) {
        op = CmpOpKind::NotIn;
        advance();
        break;
      }
      [[fallthrough]];
    default:
      if (ops.empty())
        return left;
      auto *result = make<Compare>(start);
      result->left = left;
      result->ops = std::move(ops);
      result->comparators = std::move(comparators);
      return result;
    }
    advance();
    ops.push_back(op);
    comparators.push_back(parseBinary());
  }
}

/// 1 for `|` up to 6 for `*`; 0 for what is no binary operator (`**` is none
/// here: it binds tighter than the signs to its left).
static int binaryPrecedence(TokenKind kind) {
  switch (kind) {
  case TokenKind::Pipe:
    return 1;
  case TokenKind::Caret:
    return 2;
  case TokenKind::Amper:
    return 3;
  case TokenKind::LessLess:
  case TokenKind::GreaterGreater:
    return 4;
  case TokenKind::Plus:
  case TokenKind::Minus:
    return 5;
  case TokenKind::Star:
  case TokenKind::At:
  case TokenKind::Slash:
  case TokenKind::Percent:
  case TokenKind::SlashSlash:
    return 6;
  default:
    return 0;
  }
}

/// Operators that bind at least as tightly as `precedence`, from the left.
Expr *Grammar::parseBinary(int precedence) {
  Start start = here();
  Expr *left = parseFactor();
  int found = binaryPrecedence(kind());
  if (found < precedence)
    return left;
  Nesting nesting(*this);
  do {
    Kind sign = kind();
    Span opSpan = tok().span;
    advance();
    Expr *right = parseBinary(found + 1);
    auto *result = make<BinOp>(start);
    result->left = left;
    result->op = BinOpKind(int(sign) - int(Kind::Plus));
    result->right = right;
    result->opSpan = opSpan;
    left = result;
    nesting.wrap();
    found = binaryPrecedence(kind());
  } while (found >= precedence);
  return left;
}

Expr *Grammar::parseFactor() {
  UnaryOpKind op;
  switch (kind()) {
  case Kind::Minus:
    op = UnaryOpKind::USub;
    break;
  case Kind::Plus:
    op = UnaryOpKind::UAdd;
    break;
  case Kind::Tilde:
    op = UnaryOpKind::Invert;
    break;
  default:
    return parsePower();
  }
  Nesting nesting(*this);
  Start start = here();
  advance();
  Expr *operand = parseFactor();
  auto *result = make<UnaryOp>(start);
  result->op = op;
  result->operand = operand;
  return result;
}

Expr *Grammar::parsePower() {
  Start start = here();
  Expr *base;
  if (accept(Kind::KwAwait)) {
    Expr *value = parsePrimary();
    auto *await = make<Await>(start);
    await->value = value;
    base = await;
  } else {
    base = parsePrimary();
  }
  if (!at(Kind::StarStar))
    return base;
  Nesting nesting(*this);
  Span opSpan = tok().span;
  advance();
  Expr *exponent = parseFactor();
  auto *result = make<BinOp>(start);
  result->left = base;
  result->op = BinOpKind::Pow;
  result->right = exponent;
  result->opSpan = opSpan;
  return result;
}

Expr *Grammar::parseLambda() {
  Start start = here();
  advance();
  Arguments *args = parseParameters(Kind::Colon);
  if (!accept(Kind::Colon))
    fail("expected ':'");
  Expr *body = parseExpression();
  auto *lambda = make<Lambda>(start);
  lambda->args = args;
  lambda->body = body;
  return lambda;
}

Expr *Grammar::parseYield() {
  Start start = here();
  advance();
  if (accept(Kind::KwFrom)) {
    Expr *value = parseExpression();
    auto *result = make<YieldFrom>(start);
    result->value = value;
    return result;
  }
  Expr *value = nullptr;
  if (atExpressionStart() || at(Kind::Star))
    value = parseStarExpressions();
  auto *result = make<Yield>(start);
  result->value = value;
  return result;
}

Expr *Grammar::parseYieldOrStar() {
  return at(Kind::KwYield) ? parseYield() : parseStarExpressions();
}

} // namespace tesela::syntax
