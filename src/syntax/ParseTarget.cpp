//===- ParseTarget.cpp - what can be assigned to or deleted ---------------===//
//
// Targets are parsed as expressions and then checked: names, attributes and
// subscripts, and lists and tuples of targets, which may have starred ones if
// they are stored to.
//
//===----------------------------------------------------------------------===//

#include "syntax/Grammar.h"

#include "llvm/Support/Casting.h"

namespace tesela::syntax {

using llvm::cast;
using llvm::dyn_cast;

const char *describe(const Expr *expr) {
  switch (expr->kind) {
  case NodeKind::Attribute:
    return "attribute";
  case NodeKind::Subscript:
    return "subscript";
  case NodeKind::Starred:
    return "starred";
  case NodeKind::Name:
    return "name";
  case NodeKind::List:
    return "list";
  case NodeKind::Tuple:
    return "tuple";
  case NodeKind::Lambda:
    return "lambda";
  case NodeKind::Call:
    return "function call";
  case NodeKind::BoolOp:
  case NodeKind::BinOp:
  case NodeKind::UnaryOp:
    return "expression";
  case NodeKind::GeneratorExp:
    return "generator expression";
  case NodeKind::Yield:
  case NodeKind::YieldFrom:
    return "yield expression";
  case NodeKind::Await:
    return "await expression";
  case NodeKind::ListComp:
    return "list comprehension";
  case NodeKind::SetComp:
    return "set comprehension";
  case NodeKind::DictComp:
    return "dict comprehension";
  case NodeKind::Dict:
    return "dict literal";
  case NodeKind::Set:
    return "set display";
  case NodeKind::JoinedStr:
  case NodeKind::FormattedValue:
    return "f-string expression";
  case NodeKind::TemplateStr:
  case NodeKind::Interpolation:
    return "t-string expression";
  case NodeKind::Compare:
    return "comparison";
  case NodeKind::IfExp:
    return "conditional expression";
  case NodeKind::NamedExpr:
    return "named expression";
  case NodeKind::Constant:
    switch (cast<Constant>(expr)->constant) {
    case ConstantKind::None:
      return "None";
    case ConstantKind::True:
      return "True";
    case ConstantKind::False:
      return "False";
    case ConstantKind::Ellipsis:
      return "ellipsis";
    default:
      return "literal";
    }
  default:
    return "expression";
  }
}

/// `x` or `*x`, where `in` ends it.
Expr *Grammar::parseStarTarget() {
  return at(Kind::Star) ? parseStarExpression() : parseBinary();
}

/// What stands between `for` and `in`.
Expr *Grammar::parseTargets() {
  Start start = here();
  Expr *target = parseStarTarget();
  if (at(Kind::Comma)) {
    Exprs elts = {target};
    while (accept(Kind::Comma) && (atExpressionStart() || at(Kind::Star)))
      elts.push_back(parseStarTarget());
    auto *tuple = make<Tuple>(start);
    tuple->elts = std::move(elts);
    target = tuple;
  }
  if (at(Kind::KwIn))
    toTarget(target, ExprContext::Store);
  return target;
}

/// The first part that can't be a target, or null.
Expr *Grammar::findInvalidTarget(Expr *expr, ExprContext context) const {
  const Exprs *elts = nullptr;
  switch (expr->kind) {
  case NodeKind::Name:
  case NodeKind::Attribute:
  case NodeKind::Subscript:
    return nullptr;
  case NodeKind::Starred:
    if (context == ExprContext::Del)
      return expr;
    return findInvalidTarget(cast<Starred>(expr)->value, context);
  case NodeKind::List:
    elts = &cast<List>(expr)->elts;
    break;
  case NodeKind::Tuple:
    elts = &cast<Tuple>(expr)->elts;
    break;
  default:
    return expr;
  }
  for (Expr *elt : *elts)
    if (Expr *invalid = findInvalidTarget(elt, context))
      return invalid;
  return nullptr;
}

void Grammar::setContext(Expr *expr, ExprContext context) {
  if (auto *name = dyn_cast<Name>(expr)) {
    name->ctx = context;
  } else if (auto *attribute = dyn_cast<Attribute>(expr)) {
    attribute->ctx = context;
  } else if (auto *subscript = dyn_cast<Subscript>(expr)) {
    subscript->ctx = context;
  } else if (auto *starred = dyn_cast<Starred>(expr)) {
    starred->ctx = context;
    setContext(starred->value, context);
  } else if (auto *list = dyn_cast<List>(expr)) {
    list->ctx = context;
    for (Expr *elt : list->elts)
      setContext(elt, context);
  } else if (auto *tuple = dyn_cast<Tuple>(expr)) {
    tuple->ctx = context;
    for (Expr *elt : tuple->elts)
      setContext(elt, context);
  }
}

void Grammar::toTarget(Expr *expr, ExprContext context, const char *hint) {
  if (failed)
    return;
  if (Expr *invalid = findInvalidTarget(expr, context))
    fail(std::string(context == ExprContext::Del ? "cannot delete "
                                                 : "cannot assign to ") +
             describe(invalid) + hint,
         invalid);
  else
    setContext(expr, context);
}

} // namespace tesela::syntax
