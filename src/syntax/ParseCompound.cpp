//===- ParseCompound.cpp - statements with blocks -------------------------===//

#include "syntax/Grammar.h"

namespace tesela::syntax {

/// A statement with a block, or null where none begins here.
Stmt *Grammar::parseCompound() {
  switch (kind()) {
  case Kind::KwIf:
    return parseIf();
  case Kind::KwWhile:
    return parseWhile();
  case Kind::KwFor:
    return parseFor(here(), /*isAsync=*/false);
  case Kind::KwWith:
    return parseWith(here(), /*isAsync=*/false);
  case Kind::KwTry:
    return parseTry();
  case Kind::KwDef:
    return parseFunction(here(), {}, /*isAsync=*/false);
  case Kind::KwClass:
    return parseClass({});
  case Kind::KwAsync:
    return parseAsync();
  case Kind::At:
    return parseDecorated();
  case Kind::Name:
    return atWord("match") ? parseMatch() : nullptr;
  default:
    return nullptr;
  }
}

void Grammar::expectColon() {
  if (accept(Kind::Colon))
    return;
  if (at(Kind::Equal))
    fail("invalid syntax: maybe you meant '==' or ':=' instead of '='?");
  else
    fail("expected ':'");
}

/// `: body`, on the same line or indented beneath. `what` and `line` say what
/// the block belongs to.
void Grammar::parseBlock(Stmts &body, const std::string &what, int32_t line) {
  expectColon();
  Nesting nesting(*this);
  if (!accept(Kind::Newline))
    return parseSimpleLine(body);
  if (!accept(Kind::Indent)) {
    fail("expected an indented block after " + what + " on line " +
         std::to_string(line));
    return;
  }
  while (!at(Kind::Dedent) && !at(Kind::EndMarker))
    parseStatement(body);
  accept(Kind::Dedent);
}

void Grammar::parseElse(Stmts &orelse, const char *what) {
  int32_t line = tok().span.line;
  if (accept(Kind::KwElse))
    parseBlock(orelse, what, line);
}

Stmt *Grammar::parseIf() {
  Nesting nesting(*this);
  struct Branch {
    Start start;
    Expr *test;
    Stmts body;
  };
  std::vector<Branch> branches;
  do {
    Branch branch = {here(), nullptr, {}};
    std::string what = at(Kind::KwIf) ? "'if' statement" : "'elif' statement";
    advance();
    branch.test = parseNamed();
    parseBlock(branch.body, what, branch.start.line);
    branches.push_back(std::move(branch));
    nesting.wrap();
  } while (at(Kind::KwElif));
  Stmts orelse;
  parseElse(orelse, "'else' statement");

  // `elif` is an `if` within `else`; all end where the last block does.
  Stmt *result = nullptr;
  for (size_t i = branches.size(); i-- > 0;) {
    auto *statement = make<If>(branches[i].start);
    statement->test = branches[i].test;
    statement->body = std::move(branches[i].body);
    statement->orelse = std::move(orelse);
    orelse = {statement};
    result = statement;
  }
  return result;
}

Stmt *Grammar::parseWhile() {
  Start start = here();
  advance();
  Expr *test = parseNamed();
  Stmts body, orelse;
  parseBlock(body, "'while' statement", start.line);
  parseElse(orelse, "'else' statement");
  auto *result = make<While>(start);
  result->test = test;
  result->body = std::move(body);
  result->orelse = std::move(orelse);
  return result;
}

Stmt *Grammar::parseFor(Start start, bool isAsync) {
  int32_t line = tok().span.line;
  advance();
  Expr *target = parseTargets();
  expect(Kind::KwIn);
  Expr *iter = parseStarExpressions();
  Stmts body, orelse;
  parseBlock(body, "'for' statement", line);
  parseElse(orelse, "'else' statement");
  ForBase *result = isAsync ? static_cast<ForBase *>(make<AsyncFor>(start))
                            : make<For>(start);
  result->target = target;
  result->iter = iter;
  result->body = std::move(body);
  result->orelse = std::move(orelse);
  return result;
}

/// Whether a colon follows the bracket that closes the one at the cursor.
bool Grammar::isColonAfterBracket() const {
  int open = 0;
  for (size_t i = pos; i + 1 < tokens.size(); ++i) {
    Kind k = tokens[i].kind;
    if (k == Kind::LParen || k == Kind::LSquare || k == Kind::LBrace)
      ++open;
    else if (k == Kind::RParen || k == Kind::RSquare || k == Kind::RBrace)
      if (--open == 0)
        return tokens[i + 1].kind == Kind::Colon;
  }
  return false;
}

/// `x as y, z`; in parentheses a comma may end it.
bool Grammar::parseWithItems(std::vector<WithItem *> &items,
                             bool parenthesized) {
  do {
    if (parenthesized && at(Kind::RParen) && !items.empty())
      break;
    auto *item = module.arena.make<WithItem>();
    item->contextExpr = parseExpression();
    if (accept(Kind::KwAs)) {
      item->optionalVars = parseStarTarget();
      toTarget(item->optionalVars, ExprContext::Store);
    }
    items.push_back(item);
  } while (accept(Kind::Comma));
  return !failed;
}

Stmt *Grammar::parseWith(Start start, bool isAsync) {
  int32_t line = tok().span.line;
  advance();
  std::vector<WithItem *> items;
  // `with (a as b, c):` has items in parentheses; `with (a, b)[0]:`,
  // `with (yield):` and the like have an expression. Both are tried if the
  // parentheses are all there is, and the later error is the better one.
  bool done = false;
  Failure inParens = {};
  if (at(Kind::LParen) && isColonAfterBracket()) {
    Cursor cursor = save();
    advance();
    done = parseWithItems(items, /*parenthesized=*/true) &&
           expect(Kind::RParen) && at(Kind::Colon);
    if (!done) {
      if (failed)
        inParens = failure;
      restore(cursor);
      items.clear();
    }
  }
  if (!done && !parseWithItems(items, /*parenthesized=*/false) &&
      inParens.pos > failure.pos)
    failure = inParens;

  Stmts body;
  parseBlock(body, "'with' statement", line);
  WithBase *result = isAsync ? static_cast<WithBase *>(make<AsyncWith>(start))
                             : make<With>(start);
  result->items = std::move(items);
  result->body = std::move(body);
  return result;
}

/// `except x as y:`; `isStar` tells whether it is `except*`.
ExceptHandler *Grammar::parseHandler(bool &isStar) {
  Start start = here();
  advance();
  isStar = accept(Kind::Star);
  std::string what = isStar ? "'except*' statement" : "'except' statement";
  Expr *type = nullptr;
  Identifier name;
  if (at(Kind::Colon)) {
    if (isStar)
      fail("expected one or more exception types");
  } else {
    Start typeStart = here();
    type = parseExpression();
    if (at(Kind::Comma)) {
      Exprs elts = {type};
      while (accept(Kind::Comma) && atExpressionStart())
        elts.push_back(parseExpression());
      auto *tuple = make<Tuple>(typeStart);
      tuple->elts = std::move(elts);
      type = tuple;
      if (at(Kind::KwAs))
        fail("multiple exception types must be parenthesized when using 'as'",
             type);
    } else if (accept(Kind::KwAs)) {
      Start nameStart = here();
      if (at(Kind::Name) && peek().kind != Kind::Colon &&
          peek().kind != Kind::Newline) {
        Expr *target = parseStarTarget();
        fail("cannot use " + std::string(isStar ? "except*" : "except") +
                 " statement with " + describe(target),
             {nameStart.line, nameStart.col, lastEnd.line, lastEnd.col});
      }
      name = identifier();
    }
  }
  Stmts body;
  parseBlock(body, what, start.line);
  auto *handler = make<ExceptHandler>(start);
  handler->type = type;
  handler->name = std::move(name);
  handler->body = std::move(body);
  return handler;
}

Stmt *Grammar::parseTry() {
  Start start = here();
  advance();
  Stmts body, orelse, finalbody;
  parseBlock(body, "'try' statement", start.line);
  std::vector<ExceptHandler *> handlers;
  bool isStar = false;
  while (at(Kind::KwExcept)) {
    bool star = false;
    Span span = tok().span;
    ExceptHandler *handler = parseHandler(star);
    if (!handlers.empty() && star != isStar)
      fail("cannot have both 'except' and 'except*' on the same 'try'", span);
    isStar = star;
    handlers.push_back(handler);
  }
  if (!handlers.empty())
    parseElse(orelse, "'else' statement");
  int32_t line = tok().span.line;
  if (accept(Kind::KwFinally))
    parseBlock(finalbody, "'finally' statement", line);
  else if (handlers.empty())
    fail("expected 'except' or 'finally' block");
  TryBase *result =
      isStar ? static_cast<TryBase *>(make<TryStar>(start)) : make<Try>(start);
  result->body = std::move(body);
  result->handlers = std::move(handlers);
  result->orelse = std::move(orelse);
  result->finalbody = std::move(finalbody);
  return result;
}

Stmt *Grammar::parseAsync() {
  Start start = here();
  advance();
  switch (kind()) {
  case Kind::KwDef:
    return parseFunction(start, {}, /*isAsync=*/true);
  case Kind::KwFor:
    return parseFor(start, /*isAsync=*/true);
  case Kind::KwWith:
    return parseWith(start, /*isAsync=*/true);
  default:
    unexpected();
    return make<Pass>(start);
  }
}

Stmt *Grammar::parseDecorated() {
  Exprs decorators;
  while (accept(Kind::At)) {
    decorators.push_back(parseNamed());
    expect(Kind::Newline);
  }
  Start start = here();
  if (at(Kind::KwClass))
    return parseClass(std::move(decorators));
  bool isAsync = accept(Kind::KwAsync);
  if (at(Kind::KwDef))
    return parseFunction(start, std::move(decorators), isAsync);
  unexpected();
  return make<Pass>(start);
}

Stmt *Grammar::parseFunction(Start start, Exprs decorators, bool isAsync) {
  int32_t line = tok().span.line;
  advance();
  Identifier name = identifier();
  std::vector<TypeParam *> typeParams;
  if (at(Kind::LSquare))
    parseTypeParams(typeParams);
  if (!accept(Kind::LParen))
    fail("expected '('");
  Arguments *args = parseParameters(Kind::RParen);
  expectClose(Kind::RParen);
  Expr *returns = accept(Kind::Arrow) ? parseExpression() : nullptr;
  Stmts body;
  parseBlock(body, "function definition", line);
  FunctionBase *result =
      isAsync ? static_cast<FunctionBase *>(make<AsyncFunctionDef>(start))
              : make<FunctionDef>(start);
  result->name = std::move(name);
  result->args = args;
  result->body = std::move(body);
  result->decoratorList = std::move(decorators);
  result->returns = returns;
  result->typeParams = std::move(typeParams);
  return result;
}

Stmt *Grammar::parseClass(Exprs decorators) {
  Start start = here();
  advance();
  Identifier name = identifier();
  std::vector<TypeParam *> typeParams;
  if (at(Kind::LSquare))
    parseTypeParams(typeParams);
  Exprs bases;
  std::vector<Keyword *> keywords;
  if (accept(Kind::LParen)) {
    parseArguments(bases, keywords, /*allowGenerator=*/false);
    expectClose(Kind::RParen);
  }
  Stmts body;
  parseBlock(body, "class definition", start.line);
  auto *result = make<ClassDef>(start);
  result->name = std::move(name);
  result->bases = std::move(bases);
  result->keywords = std::move(keywords);
  result->body = std::move(body);
  result->decoratorList = std::move(decorators);
  result->typeParams = std::move(typeParams);
  return result;
}

} // namespace tesela::syntax
