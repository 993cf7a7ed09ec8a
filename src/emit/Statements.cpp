//===- Statements.cpp - one statement after the other ---------------------===//

#include "emit/Interpreter.h"

#include "sema/Constant.h"

#include "llvm/ADT/ScopeExit.h"

using namespace tesela::syntax;

namespace tesela::emit {

/// Deep trees are refused before they exhaust the stack.
static constexpr unsigned maxDepth = 400;

void Interpreter::define(llvm::StringRef name, const Value &value,
                         const Span &span) {
  frame->scope.variables[name] = {value, span, ""};
}

Flow Interpreter::unsupported(const Span &place, const std::string &what) {
  At at(*this, place);
  fail(DiagId::UnsupportedPython, what);
  return Flow::Fail;
}

bool Interpreter::spend(const char *what) {
  if (budget == 0) {
    fail(DiagId::TooLarge,
         std::string("the kernel becomes too large by ") + what);
    return false;
  }
  --budget;
  return true;
}

void Interpreter::rollBack(const Checkpoint &point) {
  printed.resize(point.printed);
  warnings.resize(point.warnings);
}

Flow Interpreter::execBody(llvm::ArrayRef<Stmt *> body) {
  while (!body.empty()) {
    Flow flow = exec(body.front());
    if (flow != Flow::Next)
      return flow;
    body = body.drop_front();
    const Value &returned = frame->scope.returned;
    if (returned.isRuntime()) {
      // After the last statement of the function nobody reads its variables.
      const Stmts &whole = frame->function->definition->body;
      bool isLast = body.end() == whole.data() + whole.size();
      return body.empty() ? Flow::Next
                          : execRest([&] { return execBody(body); }, isLast);
    }
    if (sema::truth(returned))
      return Flow::Stop;
  }
  return Flow::Next;
}

Flow Interpreter::exec(const Stmt *stmt) {
  At at(*this, stmt->span);
  if (depth > maxDepth)
    return unsupported(stmt->span, "this code is nested too deeply");
  ++depth;
  ++statements;
  auto leave = llvm::scope_exit([&] { --depth; });
  switch (stmt->kind) {
  case NodeKind::Assign: {
    auto *assignment = llvm::cast<Assign>(stmt);
    Value value = eval(assignment->value);
    if (!value)
      return Flow::Fail;
    for (const Expr *target : assignment->targets)
      if (!assign(target, value))
        return Flow::Fail;
    return Flow::Next;
  }
  case NodeKind::AugAssign: {
    auto *assignment = llvm::cast<AugAssign>(stmt);
    Value left = eval(assignment->target);
    Value right = left ? eval(assignment->value) : Value();
    Value value = right ? operate(assignment->op, left, right) : Value();
    return value && assign(assignment->target, value) ? Flow::Next : Flow::Fail;
  }
  case NodeKind::AnnAssign: {
    auto *assignment = llvm::cast<AnnAssign>(stmt);
    if (!assignment->value)
      return Flow::Next;
    Value value = eval(assignment->value);
    if (!value)
      return Flow::Fail;
    if (isConstexprAnnotation(assignment->annotation) && value.hasRuntime()) {
      At place(*this, assignment->value->span);
      fail(DiagId::NotConstexpr, "a `tl.constexpr` variable is given " +
                                     value.describe() +
                                     ", which is known at run time alone");
      return Flow::Fail;
    }
    return assign(assignment->target, value) ? Flow::Next : Flow::Fail;
  }
  case NodeKind::ExprStmt:
    return eval(llvm::cast<ExprStmt>(stmt)->value) ? Flow::Next : Flow::Fail;
  case NodeKind::If:
    return execIf(llvm::cast<If>(stmt));
  case NodeKind::For:
    return execFor(llvm::cast<For>(stmt));
  case NodeKind::While:
    return execWhile(llvm::cast<While>(stmt));
  case NodeKind::Return:
    return execReturn(llvm::cast<Return>(stmt));
  case NodeKind::Pass:
    return Flow::Next;
  case NodeKind::Break:
  case NodeKind::Continue: {
    const char *word = stmt->kind == NodeKind::Break ? "`break`" : "`continue`";
    if (frame->unrolledAt == frame->runtimeDepth)
      return stmt->kind == NodeKind::Break ? Flow::Break : Flow::Continue;
    bool inUnrolled = frame->unrolledAt >= 0;
    fail(DiagId::RuntimeBreak,
         inUnrolled ? std::string(word) + " depends on a run-time condition"
                    : std::string(word) +
                          " is in a loop that is not unrolled; make it part of "
                          "the condition of a `while`, put the rest of the "
                          "loop under an `if`, or use `tl.static_range`");
    return Flow::Fail;
  }
  case NodeKind::Assert:
    return execAssert(llvm::cast<Assert>(stmt));
  case NodeKind::Raise:
    return execRaise(llvm::cast<Raise>(stmt));
  case NodeKind::Delete:
    for (const Expr *target : llvm::cast<Delete>(stmt)->targets) {
      auto *name = llvm::dyn_cast<Name>(target);
      if (!name)
        return unsupported(target->span, "`del` of something else than a name");
      frame->scope.variables.erase(llvm::StringRef(name->id));
    }
    return Flow::Next;
  default: {
    static const std::pair<NodeKind, const char *> names[] = {
        {NodeKind::FunctionDef, "a function inside a kernel"},
        {NodeKind::AsyncFunctionDef, "`async def`"},
        {NodeKind::ClassDef, "a class inside a kernel"},
        {NodeKind::TypeAlias, "`type`"},
        {NodeKind::AsyncFor, "`async for`"},
        {NodeKind::With, "`with`"},
        {NodeKind::AsyncWith, "`async with`"},
        {NodeKind::Match, "`match`"},
        {NodeKind::Try, "`try`"},
        {NodeKind::TryStar, "`try`"},
        {NodeKind::Import, "`import` inside a kernel"},
        {NodeKind::ImportFrom, "`import` inside a kernel"},
        {NodeKind::Global, "`global`"},
        {NodeKind::Nonlocal, "`nonlocal`"}};
    std::string what = "this statement";
    for (auto &[kind, name] : names)
      if (kind == stmt->kind)
        what = name;
    return unsupported(stmt->span, what + " is not part of the language");
  }
  }
}

Flow Interpreter::execReturn(const Return *stmt) {
  Value value = stmt->value ? eval(stmt->value) : Value(sema::None());
  if (!value)
    return Flow::Fail;
  if (frames.size() == 1 && !value.isNone()) {
    fail(DiagId::ReturnType,
         "a kernel returns nothing, and this one returns " + value.describe());
    return Flow::Fail;
  }
  frame->scope.result = value;
  frame->scope.returned = true;
  return Flow::Stop;
}

Flow Interpreter::execAssert(const Assert *stmt) {
  Value test = eval(stmt->test);
  if (!test)
    return Flow::Fail;
  // As `tl.device_assert`, a run-time condition is accepted and not checked.
  if (test.hasRuntime() || sema::truth(test))
    return Flow::Next;
  Value message = stmt->msg ? eval(stmt->msg) : Value(std::string());
  if (!message)
    return Flow::Fail;
  At at(*this, stmt->test->span);
  std::string text = message.str();
  fail(DiagId::StaticAssert,
       "this assertion is false" + (text.empty() ? "" : ": " + text));
  return Flow::Fail;
}

Flow Interpreter::execRaise(const Raise *stmt) {
  std::string text;
  // `raise ValueError("…")`: the exception's class means nothing here.
  if (auto *made = stmt->exc ? llvm::dyn_cast<Call>(stmt->exc) : nullptr)
    if (made->args.size() == 1 && made->keywords.empty()) {
      Value message = eval(made->args[0]);
      if (!message)
        return Flow::Fail;
      text = ": " + message.str();
    }
  fail(DiagId::Raised, "the kernel raises an exception" + text);
  return Flow::Fail;
}

bool Interpreter::assign(const Expr *target, const Value &value) {
  At at(*this, target->span);
  if (auto *name = llvm::dyn_cast<Name>(target)) {
    define(name->id, value, target->span);
    return true;
  }
  const Exprs *targets = nullptr;
  if (auto *tuple = llvm::dyn_cast<Tuple>(target))
    targets = &tuple->elts;
  if (auto *list = llvm::dyn_cast<List>(target))
    targets = &list->elts;
  if (!targets) {
    fail(DiagId::UnsupportedPython,
         llvm::isa<Subscript>(target)
             ? "elements are not assigned; use `tl.store`, or `tl.where`"
             : "this cannot be assigned to in a kernel");
    return false;
  }
  const std::vector<Value> *items = value.items();
  if (!items || items->size() != targets->size()) {
    fail(DiagId::Unpack, std::to_string(targets->size()) + " names are given " +
                             (items ? std::to_string(items->size()) + " values"
                                    : value.describe()));
    return false;
  }
  // The items may lie in a tuple that an assigned name held.
  std::vector<Value> copies = *items;
  for (auto [each, item] : llvm::zip(*targets, copies))
    if (!assign(each, item))
      return false;
  return true;
}

} // namespace tesela::emit
