//===- DumpStatements.cpp - statements and patterns as text ---------------===//

#include "syntax/Dumper.h"

#include "llvm/Support/Casting.h"

namespace tesela::syntax {

using llvm::cast;

void Dumper::visitFunction(const char *name, const FunctionBase &function) {
  open(name);
  string("name", function.name);
  field("args", function.args);
  field("body", function.body);
  field("decorator_list", function.decoratorList);
  field("returns", function.returns);
  field("type_params", function.typeParams);
  close(function.span);
}

void Dumper::visitFor(const char *name, const ForBase &loop) {
  open(name);
  field("target", loop.target);
  field("iter", loop.iter);
  field("body", loop.body);
  field("orelse", loop.orelse);
  close(loop.span);
}

void Dumper::visitWith(const char *name, const WithBase &with) {
  open(name);
  field("items", with.items);
  field("body", with.body);
  close(with.span);
}

void Dumper::visitTry(const char *name, const TryBase &statement) {
  open(name);
  field("body", statement.body);
  field("handlers", statement.handlers);
  field("orelse", statement.orelse);
  field("finalbody", statement.finalbody);
  close(statement.span);
}

void Dumper::visit(const Stmt *stmt) {
  switch (stmt->kind) {
  case NodeKind::FunctionDef:
    return visitFunction("FunctionDef", *cast<FunctionDef>(stmt));
  case NodeKind::AsyncFunctionDef:
    return visitFunction("AsyncFunctionDef", *cast<AsyncFunctionDef>(stmt));
  case NodeKind::ClassDef: {
    auto *node = cast<ClassDef>(stmt);
    open("ClassDef");
    string("name", node->name);
    field("bases", node->bases);
    field("keywords", node->keywords);
    field("body", node->body);
    field("decorator_list", node->decoratorList);
    field("type_params", node->typeParams);
    break;
  }
  case NodeKind::Return:
    open("Return");
    field("value", cast<Return>(stmt)->value);
    break;
  case NodeKind::Delete:
    open("Delete");
    field("targets", cast<Delete>(stmt)->targets);
    break;
  case NodeKind::Assign: {
    auto *node = cast<Assign>(stmt);
    open("Assign");
    field("targets", node->targets);
    field("value", node->value);
    break;
  }
  case NodeKind::TypeAlias: {
    auto *node = cast<TypeAlias>(stmt);
    open("TypeAlias");
    field("name", node->name);
    field("type_params", node->typeParams);
    field("value", node->value);
    break;
  }
  case NodeKind::AugAssign: {
    auto *node = cast<AugAssign>(stmt);
    open("AugAssign");
    field("target", node->target);
    binaryOperator(node->op);
    field("value", node->value);
    break;
  }
  case NodeKind::AnnAssign: {
    auto *node = cast<AnnAssign>(stmt);
    open("AnnAssign");
    field("target", node->target);
    field("annotation", node->annotation);
    field("value", node->value);
    number("simple", node->simple);
    break;
  }
  case NodeKind::For:
    return visitFor("For", *cast<For>(stmt));
  case NodeKind::AsyncFor:
    return visitFor("AsyncFor", *cast<AsyncFor>(stmt));
  case NodeKind::While: {
    auto *node = cast<While>(stmt);
    open("While");
    field("test", node->test);
    field("body", node->body);
    field("orelse", node->orelse);
    break;
  }
  case NodeKind::If: {
    auto *node = cast<If>(stmt);
    open("If");
    field("test", node->test);
    field("body", node->body);
    field("orelse", node->orelse);
    break;
  }
  case NodeKind::With:
    return visitWith("With", *cast<With>(stmt));
  case NodeKind::AsyncWith:
    return visitWith("AsyncWith", *cast<AsyncWith>(stmt));
  case NodeKind::Match: {
    auto *node = cast<Match>(stmt);
    open("Match");
    field("subject", node->subject);
    field("cases", node->cases);
    break;
  }
  case NodeKind::Raise: {
    auto *node = cast<Raise>(stmt);
    open("Raise");
    field("exc", node->exc);
    field("cause", node->cause);
    break;
  }
  case NodeKind::Try:
    return visitTry("Try", *cast<Try>(stmt));
  case NodeKind::TryStar:
    return visitTry("TryStar", *cast<TryStar>(stmt));
  case NodeKind::Assert: {
    auto *node = cast<Assert>(stmt);
    open("Assert");
    field("test", node->test);
    field("msg", node->msg);
    break;
  }
  case NodeKind::Import:
    open("Import");
    field("names", cast<Import>(stmt)->names);
    break;
  case NodeKind::ImportFrom: {
    auto *node = cast<ImportFrom>(stmt);
    open("ImportFrom");
    maybe("module", node->module);
    field("names", node->names);
    number("level", node->level);
    break;
  }
  case NodeKind::Global:
    open("Global");
    field("names", cast<Global>(stmt)->names);
    break;
  case NodeKind::Nonlocal:
    open("Nonlocal");
    field("names", cast<Nonlocal>(stmt)->names);
    break;
  case NodeKind::ExprStmt:
    open("Expr");
    field("value", cast<ExprStmt>(stmt)->value);
    break;
  case NodeKind::Pass:
    open("Pass");
    break;
  case NodeKind::Break:
    open("Break");
    break;
  default:
    open("Continue");
    break;
  }
  close(stmt->span);
}

void Dumper::visit(const ExceptHandler *handler) {
  open("ExceptHandler");
  field("type", handler->type);
  maybe("name", handler->name);
  field("body", handler->body);
  close(handler->span);
}

void Dumper::visit(const WithItem *item) {
  open("withitem");
  field("context_expr", item->contextExpr);
  field("optional_vars", item->optionalVars);
  close();
}

void Dumper::visit(const Alias *alias) {
  open("alias");
  string("name", alias->name);
  maybe("asname", alias->asname);
  closeSince(10, alias->span);
}

void Dumper::visit(const MatchCase *matchCase) {
  open("match_case");
  field("pattern", matchCase->pattern);
  field("guard", matchCase->guard);
  field("body", matchCase->body);
  close();
}

void Dumper::visit(const Pattern *pattern) {
  switch (pattern->kind) {
  case NodeKind::MatchValue:
    open("MatchValue");
    field("value", cast<MatchValue>(pattern)->value);
    break;
  case NodeKind::MatchSingleton: {
    ConstantKind value = cast<MatchSingleton>(pattern)->value;
    open("MatchSingleton");
    word("value", value == ConstantKind::None   ? "None"
                  : value == ConstantKind::True ? "True"
                                                : "False");
    break;
  }
  case NodeKind::MatchSequence:
    open("MatchSequence");
    field("patterns", cast<MatchSequence>(pattern)->patterns);
    break;
  case NodeKind::MatchMapping: {
    auto *node = cast<MatchMapping>(pattern);
    open("MatchMapping");
    field("keys", node->keys);
    field("patterns", node->patterns);
    maybe("rest", node->rest);
    break;
  }
  case NodeKind::MatchClass: {
    auto *node = cast<MatchClass>(pattern);
    open("MatchClass");
    field("cls", node->cls);
    field("patterns", node->patterns);
    field("kwd_attrs", node->kwdAttrs);
    field("kwd_patterns", node->kwdPatterns);
    break;
  }
  case NodeKind::MatchStar:
    open("MatchStar");
    maybe("name", cast<MatchStar>(pattern)->name);
    break;
  case NodeKind::MatchAs: {
    auto *node = cast<MatchAs>(pattern);
    open("MatchAs");
    field("pattern", node->pattern);
    maybe("name", node->name);
    break;
  }
  default:
    open("MatchOr");
    field("patterns", cast<MatchOr>(pattern)->patterns);
    break;
  }
  close(pattern->span);
}

void Dumper::visit(const TypeParam *param) {
  if (param->kind == NodeKind::TypeVar) {
    auto *node = static_cast<const TypeVar *>(param);
    open("TypeVar");
    string("name", node->name);
    field("bound", node->bound);
    field("default_value", node->defaultValue);
  } else if (param->kind == NodeKind::ParamSpec) {
    auto *node = static_cast<const ParamSpec *>(param);
    open("ParamSpec");
    string("name", node->name);
    field("default_value", node->defaultValue);
  } else {
    auto *node = static_cast<const TypeVarTuple *>(param);
    open("TypeVarTuple");
    string("name", node->name);
    field("default_value", node->defaultValue);
  }
  close(param->span);
}

} // namespace tesela::syntax
