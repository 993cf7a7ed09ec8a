//===- ParseStatement.cpp - statements of one line ------------------------===//

#include "syntax/Grammar.h"

#include "llvm/Support/Casting.h"

namespace tesela::syntax {

using llvm::dyn_cast;

void Grammar::parseStatement(Stmts &out) {
  if (Stmt *compound = parseCompound())
    out.push_back(compound);
  else
    parseSimpleLine(out);
}

/// `a; b; c` and the end of the line.
void Grammar::parseSimpleLine(Stmts &out) {
  out.push_back(parseSimple());
  while (accept(Kind::Semicolon) && !at(Kind::Newline) && !failed)
    out.push_back(parseSimple());
  if (!accept(Kind::Newline))
    unexpected();
}

Stmt *Grammar::parseSimple() {
  const Token &first = tok();
  switch (kind()) {
  case Kind::KwPass:
    advance();
    return make<Pass>(first);
  case Kind::KwBreak:
    advance();
    return make<Break>(first);
  case Kind::KwContinue:
    advance();
    return make<Continue>(first);
  case Kind::KwReturn:
    return parseReturn();
  case Kind::KwRaise:
    return parseRaise();
  case Kind::KwGlobal:
  case Kind::KwNonlocal:
    return parseGlobal();
  case Kind::KwDel:
    return parseDelete();
  case Kind::KwAssert:
    return parseAssert();
  case Kind::KwImport:
    return parseImport();
  case Kind::KwFrom:
    return parseImportFrom();
  case Kind::Name:
    // Two names in a row are no expression.
    if (peek().kind == Kind::Name && atWord("type"))
      return parseTypeAlias();
    [[fallthrough]];
  default:
    return parseExpressionStatement();
  }
}

/// An expression, or what begins with one: the assignments.
Stmt *Grammar::parseExpressionStatement() {
  Start start = here();
  const Token &first = tok();
  Expr *expr = parseYieldOrStar();
  Kind next = kind();
  if (next == Kind::Equal)
    return parseAssignment(start, expr);
  if (next == Kind::Colon)
    return parseAnnotated(start, first, expr);
  if (next >= Kind::PlusEqual && next <= Kind::SlashSlashEqual) {
    bool isSingle = expr->kind == NodeKind::Name ||
                    expr->kind == NodeKind::Attribute ||
                    expr->kind == NodeKind::Subscript;
    if (!isSingle)
      fail(std::string("'") + describe(expr) +
               "' is an illegal expression for augmented assignment",
           expr);
    setContext(expr, ExprContext::Store);
    advance();
    Expr *value = parseYieldOrStar();
    auto *result = make<AugAssign>(start);
    result->target = expr;
    result->op = BinOpKind(int(next) - int(Kind::PlusEqual));
    result->value = value;
    return result;
  }
  if (next != Kind::Newline && next != Kind::Semicolon)
    failPrint(first);
  auto *result = make<ExprStmt>(start);
  result->value = expr;
  return result;
}

/// `print x` was a statement once.
void Grammar::failPrint(const Token &first) {
  if (failed || first.kind != Kind::Name || !atExpressionStart() ||
      &first + 1 != &tok())
    return;
  std::string word(spelling(first));
  if (word == "print" || word == "exec")
    fail("missing parentheses in call to '" + word + "': did you mean " + word +
             "(...)?",
         first.span);
}

/// `a = b = c`; the first target has been passed.
Stmt *Grammar::parseAssignment(Start start, Expr *first) {
  Exprs targets;
  Expr *value = first;
  while (at(Kind::Equal)) {
    if (value->kind == NodeKind::Yield || value->kind == NodeKind::YieldFrom) {
      fail("assignment to yield expression not possible", value);
      break;
    }
    Expr *invalid = findInvalidTarget(value, ExprContext::Store);
    bool isComparable =
        invalid == value && !failed && value->kind != NodeKind::GeneratorExp;
    if (auto *constant = dyn_cast<Constant>(value))
      isComparable = constant->constant > ConstantKind::Ellipsis;
    toTarget(value, ExprContext::Store,
             isComparable ? " here: maybe you meant '==' instead of '='?" : "");
    targets.push_back(value);
    advance();
    value = parseYieldOrStar();
  }
  auto *result = make<Assign>(start);
  result->targets = std::move(targets);
  result->value = value;
  return result;
}

/// `target: annotation = value`; the target has been passed.
Stmt *Grammar::parseAnnotated(Start start, const Token &first, Expr *target) {
  if (target->kind == NodeKind::List)
    fail("only single target (not list) can be annotated", target);
  else if (target->kind == NodeKind::Tuple)
    fail("only single target (not tuple) can be annotated", target);
  else if (target->kind != NodeKind::Name &&
           target->kind != NodeKind::Attribute &&
           target->kind != NodeKind::Subscript)
    fail("illegal target for annotation", target);
  setContext(target, ExprContext::Store);
  advance();
  Expr *annotation = parseExpression();
  Expr *value = accept(Kind::Equal) ? parseYieldOrStar() : nullptr;
  auto *result = make<AnnAssign>(start);
  result->target = target;
  result->annotation = annotation;
  result->value = value;
  // `(x): int` declares nothing.
  result->simple = target->kind == NodeKind::Name && first.kind == Kind::Name;
  return result;
}

Stmt *Grammar::parseReturn() {
  Start start = here();
  advance();
  Expr *value = nullptr;
  if (!at(Kind::Newline) && !at(Kind::Semicolon))
    value = parseStarExpressions();
  auto *result = make<Return>(start);
  result->value = value;
  return result;
}

Stmt *Grammar::parseRaise() {
  Start start = here();
  advance();
  Expr *exc = nullptr, *cause = nullptr;
  if (!at(Kind::Newline) && !at(Kind::Semicolon)) {
    exc = parseExpression();
    if (accept(Kind::KwFrom))
      cause = parseExpression();
  }
  auto *result = make<Raise>(start);
  result->exc = exc;
  result->cause = cause;
  return result;
}

Stmt *Grammar::parseGlobal() {
  Start start = here();
  bool isGlobal = at(Kind::KwGlobal);
  advance();
  std::vector<Identifier> names;
  do
    names.push_back(identifier());
  while (accept(Kind::Comma));
  if (isGlobal) {
    auto *result = make<Global>(start);
    result->names = std::move(names);
    return result;
  }
  auto *result = make<Nonlocal>(start);
  result->names = std::move(names);
  return result;
}

Stmt *Grammar::parseDelete() {
  Start start = here();
  advance();
  Exprs targets;
  do {
    if (!targets.empty() && (at(Kind::Newline) || at(Kind::Semicolon)))
      break;
    Expr *target = parseStarTarget();
    toTarget(target, ExprContext::Del);
    targets.push_back(target);
  } while (accept(Kind::Comma));
  auto *result = make<Delete>(start);
  result->targets = std::move(targets);
  return result;
}

Stmt *Grammar::parseAssert() {
  Start start = here();
  advance();
  Expr *test = parseExpression();
  Expr *msg = accept(Kind::Comma) ? parseExpression() : nullptr;
  auto *result = make<Assert>(start);
  result->test = test;
  result->msg = msg;
  return result;
}

Stmt *Grammar::parseTypeAlias() {
  Start start = here();
  advance();
  const Token &nameToken = tok();
  Identifier id = identifier();
  auto *name = make<Name>(nameToken);
  name->id = std::move(id);
  name->ctx = ExprContext::Store;
  std::vector<TypeParam *> typeParams;
  if (at(Kind::LSquare))
    parseTypeParams(typeParams);
  expect(Kind::Equal);
  Expr *value = parseExpression();
  auto *result = make<TypeAlias>(start);
  result->name = name;
  result->typeParams = std::move(typeParams);
  result->value = value;
  return result;
}

Identifier Grammar::parseDottedName() {
  Identifier name = identifier();
  while (accept(Kind::Dot))
    name += "." + identifier();
  return name;
}

/// `name as other`.
Alias *Grammar::parseAlias(bool dotted) {
  Start start = here();
  auto *alias = module.arena.make<Alias>();
  alias->name = dotted ? parseDottedName() : identifier();
  if (accept(Kind::KwAs))
    alias->asname = identifier();
  alias->span = {start.line, start.col, lastEnd.line, lastEnd.col};
  return alias;
}

Stmt *Grammar::parseImport() {
  Start start = here();
  advance();
  std::vector<Alias *> names;
  if (at(Kind::Newline))
    fail("expected one or more names after 'import'");
  do
    names.push_back(parseAlias(/*dotted=*/true));
  while (accept(Kind::Comma));
  auto *result = make<Import>(start);
  result->names = std::move(names);
  return result;
}

Stmt *Grammar::parseImportFrom() {
  Start start = here();
  advance();
  int32_t level = 0;
  for (; at(Kind::Dot) || at(Kind::Ellipsis); advance())
    level += at(Kind::Dot) ? 1 : 3;
  Identifier moduleName;
  if (level == 0 || at(Kind::Name))
    moduleName = parseDottedName();
  expect(Kind::KwImport);

  std::vector<Alias *> names;
  if (at(Kind::Star)) {
    const Token &star = tok();
    advance();
    auto *alias = module.arena.make<Alias>();
    alias->name = "*";
    alias->span = star.span;
    names.push_back(alias);
  } else {
    bool parens = accept(Kind::LParen);
    if (at(Kind::Newline))
      fail("expected one or more names after 'import'");
    do {
      if (parens && at(Kind::RParen) && !names.empty())
        break;
      if (!parens && at(Kind::Newline))
        fail("trailing comma not allowed without surrounding parentheses");
      names.push_back(parseAlias(/*dotted=*/false));
    } while (accept(Kind::Comma));
    if (parens)
      expectClose(Kind::RParen);
  }
  auto *result = make<ImportFrom>(start);
  result->module = std::move(moduleName);
  result->names = std::move(names);
  result->level = level;
  return result;
}

} // namespace tesela::syntax
