//===- Branches.cpp - `if` and early `return` -----------------------------===//
//
// A condition that is known picks a branch. One that is not becomes an
// `scf.if`: both branches are interpreted from the same variables, and what
// they leave behind is merged into results.
//
//   if n > 4: x = a                  %x = scf.if %test -> i32 {
//   else: x = b                        scf.yield %a
//                                    } else { scf.yield %b }
//
// A `return` under such a condition sets a flag that is merged like a variable,
// and the rest of the body runs where the flag is not set:
//
//   if pid >= n: return              %go = not (pid >= n)
//   rest                             scf.if %go { rest }
//
//===----------------------------------------------------------------------===//

#include "emit/Interpreter.h"

#include "sema/Constant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace tesela::syntax;

namespace tesela::emit {

namespace {

/// Merges what two blocks leave behind. A merged value that depends on the path
/// is an argument of `pending` until the `scf.if` exists and `resolve` replaces
/// it by a result.
class Join {
public:
  Join(Emitter &emitter, const Value &test, Block *thenBlock, Block *elseBlock)
      : emitter(emitter), test(test), blocks{thenBlock, elseBlock} {}

  std::optional<Value> merge(const Value &a, const Value &b) {
    if (a.identical(b))
      return a;
    if (a.items() && b.items())
      return mergeItems(a, b);
    if (a.is<bool>() && b.is<bool>())
      return mergeFlags(a.get<bool>());
    std::optional<Type> type = commonType(a, b);
    if (!type)
      return std::nullopt;
    return result(inBlock(0, a, *type), inBlock(1, b, *type), *type);
  }

  /// The value of the first block; what the second gives is never looked at.
  Value mergeDead(const Value &a) {
    if (a.isRuntime()) {
      OpBuilder::InsertionGuard guard(emitter.builder);
      emitter.builder.setInsertionPointToEnd(blocks[1]);
      return result(a, emitter.zero(a.type()), a.type());
    }
    if (!a.hasRuntime())
      return a;
    std::vector<Value> items;
    for (const Value &item : *a.items())
      items.push_back(mergeDead(item));
    return sequenceLike(a, std::move(items));
  }
  /// The value of the second block alone.
  Value mergeDeadThen(const Value &b) {
    std::swap(blocks[0], blocks[1]);
    swapped = !swapped;
    Value merged = mergeDead(b);
    std::swap(blocks[0], blocks[1]);
    swapped = !swapped;
    return merged;
  }

  bool hasResults() { return pending.getNumArguments() != 0; }
  TypeRange resultTypes() { return pending.getArgumentTypes(); }
  ArrayRef<mlir::Value> yields(unsigned block) const { return values[block]; }

  /// `value` with pending results replaced.
  Value resolve(const Value &value, ResultRange results) {
    if (!value.hasRuntime())
      return value;
    if (value.isRuntime()) {
      auto argument = dyn_cast<BlockArgument>(Emitter::ir(value));
      if (!argument || argument.getOwner() != &pending)
        return value;
      return Emitter::make(results[argument.getArgNumber()], value.type());
    }
    std::vector<Value> items;
    for (const Value &item : *value.items())
      items.push_back(resolve(item, results));
    return sequenceLike(value, std::move(items));
  }

private:
  static Value sequenceLike(const Value &like, std::vector<Value> items) {
    return like.get<sema::SequenceRef>()->isList
               ? Value::list(std::move(items))
               : Value::tuple(std::move(items));
  }

  std::optional<Value> mergeItems(const Value &a, const Value &b) {
    if (a.items()->size() != b.items()->size())
      return std::nullopt;
    std::vector<Value> items;
    for (auto [x, y] : llvm::zip(*a.items(), *b.items())) {
      std::optional<Value> merged = merge(x, y);
      if (!merged)
        return std::nullopt;
      items.push_back(*merged);
    }
    return sequenceLike(a, std::move(items));
  }

  /// True on one path and false on the other: the condition says which.
  Value mergeFlags(bool onThen) {
    return onThen ? test : emitter.unary(UnaryOpKind::Not, test);
  }

  /// Numbers adapt to a scalar of the other path, and to each other.
  std::optional<Type> commonType(const Value &a, const Value &b) {
    std::optional<Type> x = emitter.typeOf(a), y = emitter.typeOf(b);
    if (!x || !y || x->isPointer != y->isPointer)
      return std::nullopt;
    if (*x == *y)
      return x;
    if (x->isPointer || x->isBlock() || y->isBlock())
      return std::nullopt;
    if (a.isNumber() || b.isNumber()) {
      std::optional<DType> common =
          sema::promote({x->dtype, a.isNumber()}, {y->dtype, b.isNumber()},
                        sema::Arithmetic::Plain);
      auto fits = [&](const Value &value) {
        return value.isNumber() ? Emitter::isRepresentable(value, *common)
                                : value.type().dtype == *common;
      };
      if (common && fits(a) && fits(b))
        return Type(*common);
    }
    return std::nullopt;
  }

  Value inBlock(unsigned index, const Value &value, const Type &type) {
    if (value.isRuntime())
      return value;
    OpBuilder::InsertionGuard guard(emitter.builder);
    emitter.builder.setInsertionPointToEnd(blocks[index]);
    return emitter.constant(value, type);
  }

  Value result(const Value &a, const Value &b, const Type &type) {
    values[swapped].push_back(Emitter::ir(a));
    values[!swapped].push_back(Emitter::ir(b));
    mlir::Value argument =
        pending.addArgument(emitter.irType(type), emitter.loc());
    return Emitter::make(argument, type);
  }

  Emitter &emitter;
  Value test;
  Block *blocks[2];
  bool swapped = false;
  llvm::SmallVector<mlir::Value> values[2];
  Block pending;
};

} // namespace

Value Interpreter::condition(const Value &value, const char *what) {
  if (!value.hasRuntime())
    return sema::truth(value);
  if (!value.isRuntime())
    return !value.items()->empty();
  if (value.type().isBlock())
    return fail(DiagId::Condition,
                std::string("the condition of ") + what + " is " +
                    value.describe() +
                    "; it must be a scalar (use `tl.where`, or reduce it with "
                    "`tl.max`)");
  return toBool(value);
}

/// One variable after a branch, from what it is on either path.
static Variable mergeVariable(Join &join, llvm::StringRef name,
                              const Variable *a, const Variable *b,
                              bool elseIsDead) {
  if (a && elseIsDead) {
    if (!a->problem.empty() || (b && a->value.identical(b->value)))
      return *a;
    return {join.mergeDead(a->value), a->span, ""};
  }
  if (!a || !b) {
    const Variable &one = a ? *a : *b;
    if (!one.problem.empty())
      return one;
    return {Value(), one.span,
            "`" + name.str() + "` is defined on one of two paths alone"};
  }
  if (!a->problem.empty() || !b->problem.empty())
    return a->problem.empty() ? *b : *a;
  if (std::optional<Value> merged = join.merge(a->value, b->value))
    return {*merged, b->span, ""};
  return {Value(), b->span,
          "`" + name.str() + "` is " + a->value.describe() +
              " on one path and " + b->value.describe() + " on the other"};
}

Flow Interpreter::branch(const Value &test,
                         llvm::function_ref<Flow()> thenBranch,
                         llvm::function_ref<Flow()> elseBranch, Live live) {
  Frame &owner = *frame;
  ++owner.runtimeDepth;
  auto leave = llvm::scope_exit([&] { --owner.runtimeDepth; });
  Scope before = owner.scope;
  Region regions[2];
  Scope scopes[2];
  for (unsigned i : {0, 1}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&regions[i].emplaceBlock());
    if (i == 1)
      owner.scope = std::move(before);
    if ((i == 0 ? thenBranch() : elseBranch()) == Flow::Fail)
      return Flow::Fail;
    scopes[i] = std::move(owner.scope);
    owner.scope = Scope();
  }

  Join join(*this, test, &regions[0].front(), &regions[1].front());
  Scope merged;
  auto find = [](Scope &scope, llvm::StringRef name) -> const Variable * {
    auto it = scope.variables.find(name);
    return it == scope.variables.end() ? nullptr : &it->second;
  };
  bool elseIsDead = live == Live::OfThen;
  if (live == Live::None)
    scopes[0].variables.clear();
  for (auto &[name, variable] : scopes[0].variables)
    merged.variables[name] =
        mergeVariable(join, name, &variable, find(scopes[1], name), elseIsDead);
  if (live == Live::All)
    for (auto &[name, variable] : scopes[1].variables)
      if (!find(scopes[0], name))
        merged.variables[name] =
            mergeVariable(join, name, nullptr, &variable, elseIsDead);

  std::optional<Value> returned =
      join.merge(scopes[0].returned, scopes[1].returned);
  merged.returned = *returned;
  const Value &x = scopes[0].result, &y = scopes[1].result;
  if (x && y) {
    std::optional<Value> result = join.merge(x, y);
    if (!result) {
      fail(DiagId::ReturnType,
           "`" + owner.function->function->name + "` returns " + x.describe() +
               " on one path and " + y.describe() + " on another");
      return Flow::Fail;
    }
    merged.result = *result;
  } else if (x || y) {
    merged.result = x ? join.mergeDead(x) : join.mergeDeadThen(y);
  }

  bool isEmpty = regions[0].front().empty() && regions[1].front().empty();
  if (!isEmpty || join.hasResults()) {
    for (unsigned i : {0, 1}) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(&regions[i].front());
      scf::YieldOp::create(builder, loc(), join.yields(i));
    }
    auto op = scf::IfOp::create(builder, loc(), join.resultTypes(), ir(test),
                                /*addThenBlock=*/false,
                                /*addElseBlock=*/false);
    op.getThenRegion().takeBody(regions[0]);
    bool needsElse =
        join.hasResults() || regions[1].front().getOperations().size() > 1;
    if (needsElse)
      op.getElseRegion().takeBody(regions[1]);
    for (auto &[name, variable] : merged.variables)
      variable.value = join.resolve(variable.value, op.getResults());
    merged.returned = join.resolve(merged.returned, op.getResults());
    merged.result = join.resolve(merged.result, op.getResults());
  }
  owner.scope = std::move(merged);
  bool isOver =
      owner.scope.returned.is<bool>() && owner.scope.returned.get<bool>();
  return isOver ? Flow::Stop : Flow::Next;
}

Flow Interpreter::execIf(const If *stmt) {
  Value value = eval(stmt->test);
  Value test;
  {
    At at(*this, stmt->test->span);
    test = value ? condition(value, "`if`") : Value();
  }
  if (!test)
    return Flow::Fail;
  if (test.is<bool>())
    return execBody(test.get<bool>() ? stmt->body : stmt->orelse);
  return branch(
      test, [&] { return execBody(stmt->body); },
      [&] { return execBody(stmt->orelse); }, Live::All);
}

Flow Interpreter::execRest(llvm::function_ref<Flow()> rest, bool isLast) {
  Value returned = frame->scope.returned;
  Value test = unary(UnaryOpKind::Not, returned);
  auto run = [&] {
    frame->scope.returned = false;
    return rest();
  };
  auto skip = [&] {
    frame->scope.returned = true;
    return Flow::Stop;
  };
  // Merging takes the flag apart again where the rest falls through.
  return branch(test, run, skip, isLast ? Live::None : Live::OfThen);
}

Value Interpreter::evalIfExp(const IfExp *expr) {
  Value value = eval(expr->test);
  Value test;
  {
    At at(*this, expr->test->span);
    test = value ? condition(value, "a conditional expression") : Value();
  }
  if (!test)
    return Value();
  if (test.is<bool>())
    return eval(test.get<bool>() ? expr->body : expr->orelse);
  // The value is merged as a variable that no program can name.
  static constexpr llvm::StringLiteral name = "this conditional expression";
  auto arm = [&](const Expr *side) {
    Value result = eval(side);
    if (!result)
      return Flow::Fail;
    define(name, result, side->span);
    return Flow::Next;
  };
  if (branch(
          test, [&] { return arm(expr->body); },
          [&] { return arm(expr->orelse); }, Live::All) == Flow::Fail)
    return Value();
  Variable result = frame->scope.variables[name];
  frame->scope.variables.erase(name);
  if (!result.problem.empty())
    return fail(DiagId::OperandType, result.problem);
  return result.value;
}

} // namespace tesela::emit
