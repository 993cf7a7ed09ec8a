//===- ParseParameters.cpp - parameters of functions and of types ---------===//
//
//   def f(a, b=1, /, c, *args: *Ts, d, e=2, **kwargs)      lambda a, *b: c
//   def f[T: int = bool, *Ts, **P](…)
//
//===----------------------------------------------------------------------===//

#include "syntax/Grammar.h"

namespace tesela::syntax {

/// A name and, outside of a lambda, its annotation.
Arg *Grammar::parseParameter(bool isLambda, bool isVararg) {
  Start start = here();
  if (at(Kind::LParen))
    fail(std::string(isLambda ? "lambda expression" : "function") +
         " parameters cannot be parenthesized");
  auto *arg = module.arena.make<Arg>();
  arg->arg = identifier();
  if (!isLambda && accept(Kind::Colon))
    arg->annotation = isVararg ? parseStarExpression() : parseExpression();
  arg->span = {start.line, start.col, lastEnd.line, lastEnd.col};
  return arg;
}

/// Everything up to `close`, which stays.
Arguments *Grammar::parseParameters(Kind close) {
  auto *result = module.arena.make<Arguments>();
  bool isLambda = close == Kind::Colon;
  bool sawSlash = false, sawStar = false, bareStar = false;
  Span starSpan;
  while (!at(close) && !failed) {
    if (result->kwarg)
      fail("arguments cannot follow var-keyword argument");
    if (at(Kind::Slash)) {
      if (sawSlash)
        fail("/ may appear only once");
      else if (sawStar)
        fail("/ must be ahead of *");
      else if (result->args.empty())
        fail("at least one argument must precede /");
      sawSlash = true;
      result->posonlyargs = std::move(result->args);
      result->args.clear();
      advance();
    } else if (at(Kind::Star)) {
      if (sawStar)
        fail("* argument may appear only once");
      sawStar = true;
      starSpan = tok().span;
      advance();
      bareStar = at(Kind::Comma) || at(close);
      if (!bareStar)
        result->vararg = parseParameter(isLambda, /*isVararg=*/true);
      if (at(Kind::Equal))
        fail("var-positional argument cannot have default value");
    } else if (accept(Kind::StarStar)) {
      result->kwarg = parseParameter(isLambda, /*isVararg=*/false);
      if (at(Kind::Equal))
        fail("var-keyword argument cannot have default value");
      if (bareStar)
        fail("named arguments must follow bare *", starSpan);
    } else {
      Arg *arg = parseParameter(isLambda, /*isVararg=*/false);
      Expr *value = nullptr;
      if (accept(Kind::Equal)) {
        if (at(close) || at(Kind::Comma))
          fail("expected default value expression", tokens[pos - 1].span);
        value = parseExpression();
      }
      if (sawStar) {
        bareStar = false;
        result->kwonlyargs.push_back(arg);
        result->kwDefaults.push_back(value);
      } else {
        if (!value && !result->defaults.empty())
          fail("parameter without a default follows parameter with a default",
               arg->span);
        result->args.push_back(arg);
        if (value)
          result->defaults.push_back(value);
      }
    }
    if (!accept(Kind::Comma))
      break;
  }
  if (bareStar)
    fail("named arguments must follow bare *", starSpan);
  return result;
}

TypeParam *Grammar::parseTypeParam() {
  Start start = here();
  Kind star = kind();
  if (star == Kind::Star || star == Kind::StarStar)
    advance();
  Identifier name = identifier();
  Expr *bound = nullptr, *defaultValue = nullptr;
  if (at(Kind::Colon)) {
    if (star == Kind::Star)
      fail("cannot use bound with TypeVarTuple");
    else if (star == Kind::StarStar)
      fail("cannot use bound with ParamSpec");
    advance();
    bound = parseExpression();
  }
  if (accept(Kind::Equal))
    defaultValue =
        star == Kind::Star ? parseStarExpression() : parseExpression();
  if (star == Kind::Star) {
    auto *param = make<TypeVarTuple>(start);
    param->name = std::move(name);
    param->defaultValue = defaultValue;
    return param;
  }
  if (star == Kind::StarStar) {
    auto *param = make<ParamSpec>(start);
    param->name = std::move(name);
    param->defaultValue = defaultValue;
    return param;
  }
  auto *param = make<TypeVar>(start);
  param->name = std::move(name);
  param->bound = bound;
  param->defaultValue = defaultValue;
  return param;
}

void Grammar::parseTypeParams(std::vector<TypeParam *> &out) {
  advance();
  if (at(Kind::RSquare))
    fail("type parameter list cannot be empty");
  do {
    if (at(Kind::RSquare) && !out.empty())
      break;
    out.push_back(parseTypeParam());
  } while (accept(Kind::Comma));
  expectClose(Kind::RSquare);
}

} // namespace tesela::syntax
