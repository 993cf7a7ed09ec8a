//===- Loops.cpp - which loop a `for` is, and unrolling -------------------===//

#include "emit/Interpreter.h"

#include "sema/Constant.h"

#include "llvm/ADT/ScopeExit.h"

using namespace tesela::syntax;

namespace tesela::emit {

//===----------------------------------------------------------------------===//
// What a body assigns
//===----------------------------------------------------------------------===//

namespace {

/// Collects the names that statements bind, in order.
struct BoundNames {
  llvm::SetVector<llvm::StringRef> names;

  void target(const Expr *expr) {
    if (auto *name = llvm::dyn_cast<Name>(expr))
      names.insert(name->id);
    else if (auto *tuple = llvm::dyn_cast<Tuple>(expr))
      for (const Expr *element : tuple->elts)
        target(element);
    else if (auto *list = llvm::dyn_cast<List>(expr))
      for (const Expr *element : list->elts)
        target(element);
  }

  /// `name := value` can stand anywhere in an expression.
  void walrus(const Expr *expr) {
    if (!expr)
      return;
    if (auto *named = llvm::dyn_cast<NamedExpr>(expr)) {
      target(named->target);
      walrus(named->value);
    } else if (auto *binary = llvm::dyn_cast<BinOp>(expr)) {
      walrus(binary->left);
      walrus(binary->right);
    } else if (auto *unary = llvm::dyn_cast<UnaryOp>(expr)) {
      walrus(unary->operand);
    } else if (auto *boolean = llvm::dyn_cast<BoolOp>(expr)) {
      for (const Expr *value : boolean->values)
        walrus(value);
    } else if (auto *compare = llvm::dyn_cast<Compare>(expr)) {
      walrus(compare->left);
      for (const Expr *value : compare->comparators)
        walrus(value);
    } else if (auto *call = llvm::dyn_cast<Call>(expr)) {
      for (const Expr *value : call->args)
        walrus(value);
      for (const Keyword *keyword : call->keywords)
        walrus(keyword->value);
    } else if (auto *choice = llvm::dyn_cast<IfExp>(expr)) {
      walrus(choice->test);
      walrus(choice->body);
      walrus(choice->orelse);
    } else if (auto *tuple = llvm::dyn_cast<Tuple>(expr)) {
      for (const Expr *value : tuple->elts)
        walrus(value);
    } else if (auto *subscript = llvm::dyn_cast<Subscript>(expr)) {
      walrus(subscript->value);
      walrus(subscript->slice);
    }
  }

  void body(llvm::ArrayRef<Stmt *> stmts) {
    for (const Stmt *stmt : stmts)
      statement(stmt);
  }

  void statement(const Stmt *stmt) {
    if (auto *assignment = llvm::dyn_cast<Assign>(stmt)) {
      for (const Expr *each : assignment->targets)
        target(each);
      walrus(assignment->value);
    } else if (auto *augmented = llvm::dyn_cast<AugAssign>(stmt)) {
      target(augmented->target);
      walrus(augmented->value);
    } else if (auto *annotated = llvm::dyn_cast<AnnAssign>(stmt)) {
      if (annotated->value)
        target(annotated->target);
      walrus(annotated->value);
    } else if (auto *choice = llvm::dyn_cast<If>(stmt)) {
      walrus(choice->test);
      body(choice->body);
      body(choice->orelse);
    } else if (auto *loop = llvm::dyn_cast<For>(stmt)) {
      target(loop->target);
      walrus(loop->iter);
      body(loop->body);
      body(loop->orelse);
    } else if (auto *loop = llvm::dyn_cast<While>(stmt)) {
      walrus(loop->test);
      body(loop->body);
      body(loop->orelse);
    } else if (auto *expression = llvm::dyn_cast<ExprStmt>(stmt)) {
      walrus(expression->value);
    } else if (auto *result = llvm::dyn_cast<Return>(stmt)) {
      walrus(result->value);
    }
  }
};

} // namespace

const std::vector<llvm::StringRef> &
Interpreter::assignedIn(llvm::ArrayRef<Stmt *> body) {
  auto [it, isNew] = assigned.try_emplace(body.data());
  if (isNew) {
    BoundNames bound;
    bound.body(body);
    it->second.assign(bound.names.begin(), bound.names.end());
  }
  return it->second;
}

//===----------------------------------------------------------------------===//
// For
//===----------------------------------------------------------------------===//

Flow Interpreter::execFor(const For *stmt) {
  if (!stmt->orelse.empty())
    return unsupported(stmt->orelse.front()->span,
                       "`else` of a loop is not part of the language");
  Value iterable = eval(stmt->iter);
  if (!iterable)
    return Flow::Fail;
  At at(*this, stmt->iter->span);
  if (const std::vector<Value> *items = iterable.items()) {
    std::vector<Value> copies = *items;
    return execUnrolled(stmt, copies);
  }
  auto *range = iterable.getIf<sema::RangeRef>();
  if (!range) {
    fail(DiagId::UnsupportedPython,
         "a `for` runs over `range`, `tl.range`, `tl.static_range` or a "
         "tuple, and this is " +
             iterable.describe());
    return Flow::Fail;
  }
  if (!(*range)->unroll)
    return execRange(stmt, **range);

  sema::Int start = *(*range)->start.asInt(), stop = *(*range)->stop.asInt(),
            step = *(*range)->step.asInt();
  std::vector<Value> items;
  for (sema::Int i = start; step.isNegative() ? stop < i : i < stop;
       i = i + step) {
    if (!spend("unrolling this loop"))
      return Flow::Fail;
    items.push_back(i);
  }
  return execUnrolled(stmt, items);
}

Flow Interpreter::execUnrolled(const For *stmt, llvm::ArrayRef<Value> items) {
  Frame &owner = *frame;
  int before = owner.unrolledAt;
  path.push_back(0);
  auto leave = llvm::scope_exit([&] {
    owner.unrolledAt = before;
    path.pop_back();
  });
  while (!items.empty()) {
    if (!spend("unrolling this loop"))
      return Flow::Fail;
    owner.unrolledAt = owner.runtimeDepth;
    path.back() = items.size();
    Flow flow =
        assign(stmt->target, items.front()) ? execBody(stmt->body) : Flow::Fail;
    if (flow == Flow::Fail || flow == Flow::Stop)
      return flow;
    if (flow == Flow::Break)
      return Flow::Next;
    items = items.drop_front();
    if (owner.scope.returned.isRuntime())
      return items.empty()
                 ? Flow::Next
                 : execRest([&] { return execUnrolled(stmt, items); });
  }
  return Flow::Next;
}

} // namespace tesela::emit
