//===- ParseDisplay.cpp - what stands in brackets of its own --------------===//
//
//   (x)  (x, y)  (x for y in z)  (yield)      [x, y]  [x for y in z]
//   {x, y}  {x: y, **z}  {x for y in z}  {x: y for z in w}
//
//===----------------------------------------------------------------------===//

#include "syntax/Grammar.h"

namespace tesela::syntax {

void Grammar::expectClose(Kind close) {
  if (accept(close))
    return;
  if (at(Kind::Equal))
    fail("invalid syntax: maybe you meant '==' or ':=' instead of '='?");
  else if (atExpressionStart())
    fail("invalid syntax: perhaps you forgot a comma?");
  else
    unexpected();
}

/// One or more `for x in y if z`.
std::vector<Comprehension *> Grammar::parseGenerators() {
  std::vector<Comprehension *> generators;
  while (atComprehension()) {
    auto *generator = module.arena.make<Comprehension>();
    generator->isAsync = accept(Kind::KwAsync);
    advance();
    generator->target = parseTargets();
    if (!accept(Kind::KwIn)) {
      unexpected();
      break;
    }
    generator->iter = parseDisjunction();
    while (accept(Kind::KwIf))
      generator->ifs.push_back(parseDisjunction());
    generators.push_back(generator);
  }
  return generators;
}

Expr *Grammar::parseGroup() {
  Start start = here();
  advance();
  if (accept(Kind::RParen))
    return make<Tuple>(start);
  if (at(Kind::KwYield)) {
    Expr *yield = parseYield();
    expectClose(Kind::RParen);
    return yield;
  }
  if (at(Kind::StarStar))
    fail("cannot use double starred expression here");
  Expr *first = parseStarNamed();
  bool isStarred = first->kind == NodeKind::Starred;
  if (atComprehension()) {
    if (isStarred)
      fail("iterable unpacking cannot be used in comprehension", first);
    auto generators = parseGenerators();
    expectClose(Kind::RParen);
    auto *result = make<GeneratorExp>(start);
    result->elt = first;
    result->generators = std::move(generators);
    return result;
  }
  if (at(Kind::Comma)) {
    Exprs elts = {first};
    while (accept(Kind::Comma) && !at(Kind::RParen) && !failed)
      elts.push_back(parseStarNamed());
    expectClose(Kind::RParen);
    auto *tuple = make<Tuple>(start);
    tuple->elts = std::move(elts);
    return tuple;
  }
  if (isStarred && at(Kind::RParen))
    fail("cannot use starred expression here", first);
  expectClose(Kind::RParen);
  return first;
}

Expr *Grammar::parseList() {
  Start start = here();
  advance();
  Exprs elts;
  if (!at(Kind::RSquare)) {
    Start eltStart = here();
    elts.push_back(parseStarNamed());
    if (atComprehension()) {
      if (elts[0]->kind == NodeKind::Starred)
        fail("iterable unpacking cannot be used in comprehension", elts[0]);
      auto generators = parseGenerators();
      expectClose(Kind::RSquare);
      auto *result = make<ListComp>(start);
      result->elt = elts[0];
      result->generators = std::move(generators);
      return result;
    }
    while (accept(Kind::Comma) && !at(Kind::RSquare) && !failed)
      elts.push_back(parseStarNamed());
    if (atComprehension() && elts.size() > 1)
      fail("did you forget parentheses around the comprehension target?",
           {eltStart.line, eltStart.col, lastEnd.line, lastEnd.col});
  }
  expectClose(Kind::RSquare);
  auto *list = make<List>(start);
  list->elts = std::move(elts);
  return list;
}

/// A set or a dict, or a comprehension of either.
Expr *Grammar::parseBraces() {
  Start start = here();
  advance();
  if (accept(Kind::RBrace))
    return make<Dict>(start);
  if (at(Kind::StarStar))
    return parseDictRest(start, nullptr);
  Start eltStart = here();
  bool isNamed = at(Kind::Name) && peek().kind == Kind::ColonEqual;
  Expr *first = parseStarNamed();
  if (at(Kind::Colon) && !isNamed && first->kind != NodeKind::Starred)
    return parseDictRest(start, first);
  if (atComprehension()) {
    if (first->kind == NodeKind::Starred)
      fail("iterable unpacking cannot be used in comprehension", first);
    auto generators = parseGenerators();
    expectClose(Kind::RBrace);
    auto *result = make<SetComp>(start);
    result->elt = first;
    result->generators = std::move(generators);
    return result;
  }
  Exprs elts = {first};
  while (accept(Kind::Comma) && !at(Kind::RBrace) && !failed)
    elts.push_back(parseStarNamed());
  if (atComprehension() && elts.size() > 1)
    fail("did you forget parentheses around the comprehension target?",
         {eltStart.line, eltStart.col, lastEnd.line, lastEnd.col});
  expectClose(Kind::RBrace);
  auto *set = make<Set>(start);
  set->elts = std::move(elts);
  return set;
}

/// A dict whose first key, if it has one, has been passed.
Expr *Grammar::parseDictRest(Start start, Expr *key) {
  Exprs keys, values;
  bool isFirst = true;
  do {
    if (at(Kind::RBrace) || failed)
      break;
    if (!key && at(Kind::StarStar)) {
      Span stars = tok().span;
      advance();
      keys.push_back(nullptr);
      values.push_back(parseBinary());
      if (isFirst && atComprehension())
        fail("dict unpacking cannot be used in dict comprehension", stars);
      isFirst = false;
      continue;
    }
    if (!key)
      key = parseExpression();
    Span keyEnd = tok().span;
    if (!accept(Kind::Colon)) {
      if (at(Kind::Comma) || at(Kind::RBrace))
        fail("':' expected after dictionary key", keyEnd);
      else
        unexpected();
    }
    if (at(Kind::RBrace) || at(Kind::Comma))
      fail("expression expected after dictionary key and ':'", keyEnd);
    else if (at(Kind::Star))
      fail("cannot use a starred expression in a dictionary value");
    Expr *value = parseExpression();
    if (isFirst && atComprehension()) {
      auto generators = parseGenerators();
      expectClose(Kind::RBrace);
      auto *result = make<DictComp>(start);
      result->elt = key;
      result->value = value;
      result->generators = std::move(generators);
      return result;
    }
    keys.push_back(key);
    values.push_back(value);
    key = nullptr;
    isFirst = false;
  } while (accept(Kind::Comma));
  expectClose(Kind::RBrace);
  auto *dict = make<Dict>(start);
  dict->keys = std::move(keys);
  dict->values = std::move(values);
  return dict;
}

} // namespace tesela::syntax
