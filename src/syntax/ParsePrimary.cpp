//===- ParsePrimary.cpp - names, attributes, calls and subscripts ---------===//

#include "syntax/Grammar.h"

namespace tesela::syntax {

Expr *Grammar::parsePrimary() {
  Start start = here();
  Expr *expr = parseAtom();
  if (!at(Kind::Dot) && !at(Kind::LParen) && !at(Kind::LSquare))
    return expr;
  Nesting nesting(*this);
  for (;;) {
    if (at(Kind::LParen)) {
      expr = parseCall(start, expr);
    } else if (at(Kind::LSquare)) {
      expr = parseSubscript(start, expr);
    } else if (accept(Kind::Dot)) {
      Identifier name = identifier();
      auto *attribute = make<Attribute>(start);
      attribute->value = expr;
      attribute->attr = std::move(name);
      expr = attribute;
    } else {
      return expr;
    }
    nesting.wrap();
  }
}

Expr *Grammar::parseAtom() {
  const Token &first = tok();
  auto constant = [&](ConstantKind kind) {
    advance();
    auto *result = make<Constant>(first);
    result->constant = kind;
    return result;
  };
  switch (kind()) {
  case Kind::Name: {
    Identifier id = identifier();
    auto *name = make<Name>(first);
    name->id = std::move(id);
    return name;
  }
  case Kind::Number:
    return parseNumber();
  case Kind::String:
  case Kind::FStringStart:
    return parseStrings();
  case Kind::KwNone:
    return constant(ConstantKind::None);
  case Kind::KwTrue:
    return constant(ConstantKind::True);
  case Kind::KwFalse:
    return constant(ConstantKind::False);
  case Kind::Ellipsis:
    return constant(ConstantKind::Ellipsis);
  case Kind::LParen:
    return parseGroup();
  case Kind::LSquare:
    return parseList();
  case Kind::LBrace:
    return parseBraces();
  default:
    unexpected();
    return placeholder();
  }
}

Expr *Grammar::parseCall(Start start, Expr *func) {
  advance();
  Exprs args;
  std::vector<Keyword *> keywords;
  parseArguments(args, keywords, /*allowGenerator=*/true);
  expectClose(Kind::RParen);
  auto *call = make<Call>(start);
  call->func = func;
  call->args = std::move(args);
  call->keywords = std::move(keywords);
  return call;
}

/// What stands between the parentheses of a call or a class; the cursor is
/// past the opening one and stays before the closing one. A generator without
/// its own parentheses takes those of the call.
void Grammar::parseArguments(Exprs &args, std::vector<Keyword *> &keywords,
                             bool allowGenerator) {
  const Token &open = tokens[pos - 1];
  bool afterDoubleStar = false;
  while (!at(Kind::RParen) && !failed) {
    Start start = here();
    const Token &first = tok();
    if (at(Kind::StarStar)) {
      advance();
      Expr *value = parseExpression();
      auto *keyword = module.arena.make<Keyword>();
      keyword->span = {start.line, start.col, lastEnd.line, lastEnd.col};
      keyword->value = value;
      keywords.push_back(keyword);
      afterDoubleStar = true;
    } else if (at(Kind::Star)) {
      if (afterDoubleStar)
        fail("iterable argument unpacking follows keyword argument unpacking");
      advance();
      Expr *value = parseExpression();
      auto *starred = make<Starred>(start);
      starred->value = value;
      if (atComprehension())
        fail("iterable unpacking cannot be used in comprehension", starred);
      args.push_back(starred);
    } else if (peek().kind == Kind::Equal &&
               (at(Kind::Name) || at(Kind::KwTrue) || at(Kind::KwFalse) ||
                at(Kind::KwNone))) {
      parseKeyword(keywords);
    } else {
      Expr *value = parseNamed();
      if (at(Kind::Equal))
        fail("expression cannot contain assignment, perhaps you meant \"==\"?",
             {start.line, start.col, tok().span.endLine, tok().span.endCol});
      if (atComprehension()) {
        auto generators = parseGenerators();
        bool alone = args.empty() && keywords.empty() && at(Kind::RParen);
        if (!alone || !allowGenerator) {
          fail("generator expression must be parenthesized",
               {start.line, start.col, lastEnd.line, lastEnd.col});
          return;
        }
        auto *generator = make<GeneratorExp>(open);
        generator->span.endLine = tok().span.endLine;
        generator->span.endCol = tok().span.endCol;
        generator->elt = value;
        generator->generators = std::move(generators);
        args.push_back(generator);
        return;
      }
      if (afterDoubleStar)
        fail("positional argument follows keyword argument unpacking",
             first.span);
      else if (!keywords.empty())
        fail("positional argument follows keyword argument", first.span);
      args.push_back(value);
    }
    if (!accept(Kind::Comma))
      return;
  }
}

/// `name=value`.
void Grammar::parseKeyword(std::vector<Keyword *> &keywords) {
  Start start = here();
  if (!at(Kind::Name))
    fail("cannot assign to " + std::string(spelling(tok())));
  Identifier name = identifier();
  Span equal = tok().span;
  advance();
  if (at(Kind::Comma) || at(Kind::RParen))
    fail("expected argument value expression",
         {start.line, start.col, equal.endLine, equal.endCol});
  Expr *value = parseExpression();
  if (atComprehension())
    fail("invalid syntax: maybe you meant '==' or ':=' instead of '='?",
         {start.line, start.col, equal.endLine, equal.endCol});
  auto *keyword = module.arena.make<Keyword>();
  keyword->span = {start.line, start.col, lastEnd.line, lastEnd.col};
  keyword->arg = std::move(name);
  keyword->value = value;
  keywords.push_back(keyword);
}

Expr *Grammar::parseSubscript(Start start, Expr *value) {
  advance();
  Start sliceStart = here();
  Expr *slice = parseSlice();
  // A starred index makes a tuple even on its own.
  if (at(Kind::Comma) || slice->kind == NodeKind::Starred) {
    Exprs elts = {slice};
    while (accept(Kind::Comma) && !at(Kind::RSquare))
      elts.push_back(parseSlice());
    auto *tuple = make<Tuple>(sliceStart);
    tuple->elts = std::move(elts);
    slice = tuple;
  }
  expectClose(Kind::RSquare);
  auto *subscript = make<Subscript>(start);
  subscript->value = value;
  subscript->slice = slice;
  return subscript;
}

Expr *Grammar::parseSlice() {
  Start start = here();
  if (at(Kind::Star))
    return parseStarExpression();
  auto atPart = [&] { return atExpressionStart(); };
  Expr *lower = nullptr;
  if (!at(Kind::Colon)) {
    bool isNamed = at(Kind::Name) && peek().kind == Kind::ColonEqual;
    lower = parseNamed();
    if (isNamed || !at(Kind::Colon))
      return lower;
  }
  advance();
  Expr *upper = atPart() ? parseExpression() : nullptr;
  Expr *step = nullptr;
  if (accept(Kind::Colon))
    step = atPart() ? parseExpression() : nullptr;
  auto *slice = make<Slice>(start);
  slice->lower = lower;
  slice->upper = upper;
  slice->step = step;
  return slice;
}

} // namespace tesela::syntax
