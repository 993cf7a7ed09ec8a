//===- RuntimeLoops.cpp - loops whose length is not known -----------------===//
//
//   acc = tl.zeros(…)                %acc = … : tensor<64xf32>
//   for k in range(0, K, 32):        %r = scf.for %k = 0 to %K step 32
//     acc += …                           iter_args(%a = %acc) { …; scf.yield }
//
// A variable is carried where the body assigns it and it is defined before the
// loop. A number that is known while compiling is first taken to keep its
// value; where the body turns out to change it, the body is interpreted again
// with the number carried at run time. Whatever is carried keeps its type.
//
// What the attempts found is kept for the next attempt at a loop around it, so
// that the body of a loop in d others is interpreted d + 2 times at most for
// each round of findings, not 2^d times.
//
// A `return` in the body carries the flag that the function has returned, and
// its result; later iterations do nothing.
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

//===----------------------------------------------------------------------===//
// Carried variables
//===----------------------------------------------------------------------===//

/// The carried variables of one attempt at a loop.
class Interpreter::Carried {
public:
  Carried(Interpreter &interpreter, llvm::ArrayRef<Stmt *> body,
          const Expr *target, LoopFindings &findings)
      : carriesReturn(findings.carriesReturn), self(interpreter),
        findings(findings), result(findings.result) {
    for (llvm::StringRef name : self.assignedIn(body)) {
      auto it = self.frame->scope.variables.find(name);
      auto *loopVariable = target ? llvm::dyn_cast<Name>(target) : nullptr;
      if (it == self.frame->scope.variables.end() ||
          !it->second.problem.empty() ||
          (loopVariable && loopVariable->id == name))
        continue;
      variables.push_back({name, it->second, it->second.value,
                           llvm::is_contained(findings.forced, name)});
    }
  }

  /// Makes numbers into run-time values, all of them or those that an earlier
  /// attempt found to change.
  void force(bool everything) {
    for (Entry &entry : variables) {
      if (everything)
        entry.isForced = true;
      if (entry.isForced)
        entry.init = forced(entry.before.value);
    }
    if (!carriesReturn)
      return;
    notReturned = ir(self.constant(Value(false), DType::Int1));
    noResult.clear();
    rebuilt(result, [&](Value leaf) {
      if (leaf.isRuntime())
        noResult.push_back(ir(self.zero(leaf.type())));
      return leaf;
    });
  }

  /// Gives `block` an argument for each carried value, and the variables these.
  void enter(Block &block) {
    inits.clear();
    for (Entry &entry : variables) {
      entry.entered = entered(entry.init, block);
      self.frame->scope.variables[entry.name].value = entry.entered;
    }
    if (!carriesReturn)
      return;
    mlir::Value flag = block.addArgument(self.builder.getI1Type(), self.loc());
    inits.push_back(notReturned);
    inits.append(noResult.begin(), noResult.end());
    self.frame->scope.returned = make(flag, DType::Int1);
    // Its parts belong to an attempt that is gone; only their types count.
    result = rebuilt(result, [&](Value leaf) {
      if (!leaf.isRuntime())
        return leaf;
      mlir::Type type = self.irType(leaf.type());
      return make(block.addArgument(type, self.loc()), leaf.type());
    });
    self.frame->scope.result = result;
  }

  /// The carried values at the end of the body. False where they do not fit;
  /// then either `retry` or an error has been set.
  bool leave(llvm::SmallVectorImpl<mlir::Value> &yields) {
    for (Entry &entry : variables) {
      auto it = self.frame->scope.variables.find(entry.name);
      bool isGone = it == self.frame->scope.variables.end();
      if (isGone || !it->second.problem.empty())
        return mismatch(entry,
                        isGone ? "is deleted in it"
                               : "is not one value at its end: " +
                                     it->second.problem,
                        isGone ? entry.before.span : it->second.span);
      Variable &after = it->second;
      switch (match(entry.entered, after.value, yields)) {
      case Fit::Yes:
        break;
      case Fit::ChangedConstant:
        if (!entry.isForced && canForce(entry.before.value)) {
          forceNext(entry);
          break;
        }
        [[fallthrough]];
      case Fit::No:
        return mismatch(entry,
                        "is " + after.value.describe() + " after an iteration",
                        after.span);
      }
    }
    // What the body returns is known once its variables are.
    return !retry && leaveReturn(yields);
  }

  /// After a failed attempt: whether some number that was taken to stay had
  /// already changed, so that the attempt proves nothing.
  bool shouldRetry() {
    for (Entry &entry : variables) {
      auto it = self.frame->scope.variables.find(entry.name);
      if (entry.isForced || it == self.frame->scope.variables.end() ||
          !canForce(entry.before.value))
        continue;
      if (!it->second.value.identical(entry.entered))
        forceNext(entry);
    }
    return std::exchange(retry, false);
  }

  /// The variables after the loop.
  void finish(const Scope &before, llvm::ArrayRef<mlir::Value> results,
              const Expr *target) {
    Scope inside = std::move(self.frame->scope);
    self.frame->scope = before;
    auto &after = self.frame->scope.variables;
    size_t next = 0;
    for (Entry &entry : variables)
      after[entry.name] = {replaced(entry.entered, results, next),
                           inside.variables[entry.name].span, ""};
    if (carriesReturn) {
      self.frame->scope.returned = make(results[next++], DType::Int1);
      self.frame->scope.result = replaced(result, results, next);
    }
    for (auto &[name, variable] : inside.variables) {
      auto it = after.find(name);
      if (it == after.end())
        after[name] = {Value(), variable.span,
                       "`" + name.str() +
                           "` is defined inside a run-time loop alone, which "
                           "may run no iteration"};
    }
    if (auto *name = target ? llvm::dyn_cast<Name>(target) : nullptr)
      after[name->id] = {Value(), name->span,
                         "the variable `" + name->id +
                             "` of a run-time loop has no value after it"};
  }

  bool retry = false;
  /// The body returns from the function.
  bool carriesReturn;
  llvm::SmallVector<mlir::Value> inits;

private:
  struct Entry {
    llvm::StringRef name;
    Variable before;
    Value init;
    bool isForced;
    Value entered = Value();
  };

  enum class Fit { Yes, ChangedConstant, No };

  /// The next attempt carries it at run time.
  void forceNext(Entry &entry) {
    entry.isForced = retry = true;
    findings.forced.push_back(entry.name);
  }

  /// The flag and the result at the end of the body.
  bool leaveReturn(llvm::SmallVectorImpl<mlir::Value> &yields) {
    const Scope &scope = self.frame->scope;
    if (!carriesReturn) {
      if (scope.returned.identical(Value(false)))
        return true;
      findings.result = result = scope.result;
      findings.carriesReturn = carriesReturn = retry = true;
      return false;
    }
    Value flag = self.toRuntime(scope.returned);
    yields.push_back(ir(flag));
    if (match(result, scope.result, yields) == Fit::Yes)
      return true;
    retry = false;
    self.fail(DiagId::ReturnType,
              "this loop returns " + scope.result.describe() +
                  " in one iteration and " + result.describe() + " in another");
    return false;
  }

  static bool canForce(const Value &value) {
    if (const std::vector<Value> *items = value.items())
      return llvm::any_of(*items, canForce);
    return value.isNumber();
  }

  Value rebuilt(const Value &value, llvm::function_ref<Value(Value)> leaf) {
    const std::vector<Value> *items = value.items();
    if (!items)
      return leaf(value);
    std::vector<Value> results;
    for (const Value &item : *items)
      results.push_back(rebuilt(item, leaf));
    return value.get<sema::SequenceRef>()->isList
               ? Value::list(std::move(results))
               : Value::tuple(std::move(results));
  }

  Value forced(const Value &value) {
    return rebuilt(value, [&](Value leaf) {
      return leaf.isNumber() && sema::numberType(leaf) ? self.toRuntime(leaf)
                                                       : leaf;
    });
  }

  Value entered(const Value &value, Block &block) {
    return rebuilt(value, [&](Value leaf) {
      if (!leaf.isRuntime())
        return leaf;
      inits.push_back(ir(leaf));
      return make(block.addArgument(ir(leaf).getType(), self.loc()),
                  leaf.type());
    });
  }

  Value replaced(const Value &value, llvm::ArrayRef<mlir::Value> results,
                 size_t &next) {
    return rebuilt(value, [&](Value leaf) {
      return leaf.isRuntime() ? make(results[next++], leaf.type()) : leaf;
    });
  }

  Fit match(const Value &entry, const Value &after,
            llvm::SmallVectorImpl<mlir::Value> &yields) {
    if (entry.isRuntime()) {
      Value value = after;
      const Type &type = entry.type();
      if (after.isNumber() && !type.isBlock() && !type.isPointer) {
        std::optional<DType> own = sema::numberType(after);
        if (own && sema::kindOf(*own) <= sema::kindOf(type.dtype) &&
            isRepresentable(after, type.dtype))
          value = self.constant(after, type);
      }
      if (!value.isRuntime() || value.type() != type)
        return Fit::No;
      yields.push_back(ir(value));
      return Fit::Yes;
    }
    const std::vector<Value> *items = entry.items();
    if (items && entry.hasRuntime()) {
      if (!after.items() || after.items()->size() != items->size())
        return Fit::No;
      Fit fit = Fit::Yes;
      for (auto [x, y] : llvm::zip(*items, *after.items()))
        fit = std::max(fit, match(x, y, yields));
      return fit;
    }
    return entry.identical(after) ? Fit::Yes : Fit::ChangedConstant;
  }

  bool mismatch(const Entry &entry, const std::string &what,
                const Span &place) {
    At at(self, place);
    retry = false;
    self.fail(DiagId::LoopCarriedType,
              "`" + entry.name.str() + "` is " + entry.before.value.describe() +
                  " before this loop and " + what +
                  "; a run-time loop keeps the types of variables");
    self.note(entry.before.span,
              "`" + entry.name.str() + "` is defined before the loop here");
    return false;
  }

  Interpreter &self;
  LoopFindings &findings;
  std::vector<Entry> variables;
  /// What the function returns from the body, and the flag and the parts of
  /// it before the first iteration.
  Value result;
  mlir::Value notReturned;
  llvm::SmallVector<mlir::Value> noResult;
};

//===----------------------------------------------------------------------===//
// for
//===----------------------------------------------------------------------===//

/// What is known of this loop from an earlier attempt at the one around it.
Interpreter::LoopFindings &Interpreter::findingsOf(const For *stmt) {
  LoopPlace place{stmt, path, 0};
  place.nth = loopAround->seen[place]++;
  std::unique_ptr<LoopFindings> &inner = loopAround->inner[place];
  if (!inner)
    inner = std::make_unique<LoopFindings>();
  return *inner;
}

Flow Interpreter::execRange(const For *stmt, const sema::RangeObject &range) {
  auto *name = llvm::dyn_cast<Name>(stmt->target);
  if (!name)
    return unsupported(stmt->target->span,
                       "the variable of a run-time loop is one name");
  std::optional<LoopCounting> counting = countLoop(range);
  if (!counting)
    return Flow::Fail;

  Frame &owner = *frame;
  LoopFindings own;
  LoopFindings &findings = loopAround ? findingsOf(stmt) : own;
  ++owner.runtimeDepth;
  LoopFindings *outer = std::exchange(loopAround, &findings);
  auto outerPath = std::exchange(path, {});
  auto leave = llvm::scope_exit([&] {
    --owner.runtimeDepth;
    loopAround = outer;
    path = std::move(outerPath);
  });
  Scope before = owner.scope;
  Carried carried(*this, stmt->body, stmt->target, findings);
  for (;;) {
    Checkpoint point = checkpoint();
    findings.seen.clear();
    carried.force(/*everything=*/false);
    Region region;
    Block &block = region.emplaceBlock();
    llvm::SmallVector<mlir::Value> yields;
    bool isDone = false;
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(&block);
      const Type &type = counting->lower.type();
      Value index =
          make(block.addArgument(irType(type), locOf(name->span)), type);
      carried.enter(block);
      if (counting->isDown)
        index = turned(index);
      define(name->id, cast(index, counting->counter), name->span);
      auto runBody = [&] { return execBody(stmt->body); };
      Flow flow = carried.carriesReturn ? execRest(runBody) : runBody();
      if (flow == Flow::Fail) {
        if (!carried.shouldRetry())
          return Flow::Fail;
        pendingError.reset();
      } else {
        isDone = carried.leave(yields);
        if (!isDone && !std::exchange(carried.retry, false))
          return Flow::Fail;
      }
    }
    if (!isDone) {
      rollBack(point);
      owner.scope = before;
      continue;
    }

    // A value that no iteration changes is no argument of the loop.
    llvm::SmallVector<mlir::Value> results(yields.size());
    llvm::SmallVector<mlir::Value> inits, kept;
    llvm::SmallVector<size_t> positions;
    for (size_t i = yields.size(); i-- > 0;) {
      BlockArgument argument = block.getArgument(i + 1);
      if (yields[i] != argument)
        continue;
      results[i] = carried.inits[i];
      for (mlir::Value &yield : yields)
        if (yield == argument)
          yield = carried.inits[i];
      argument.replaceAllUsesWith(carried.inits[i]);
    }
    for (size_t i = yields.size(); i-- > 0;)
      if (results[i])
        block.eraseArgument(i + 1);
    for (size_t i = 0; i < yields.size(); ++i) {
      if (results[i])
        continue;
      inits.push_back(carried.inits[i]);
      kept.push_back(yields[i]);
      positions.push_back(i);
    }
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(&block);
      scf::YieldOp::create(builder, loc(), kept);
    }
    auto op =
        scf::ForOp::create(builder, loc(), ir(counting->lower),
                           ir(counting->upper), ir(counting->step), inits);
    op.setUnsignedCmp(counting->isUnsigned);
    op.getRegion().takeBody(region);
    for (auto [position, result] : llvm::zip(positions, op.getResults()))
      results[position] = result;
    carried.finish(before, results, stmt->target);
    return Flow::Next;
  }
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

Flow Interpreter::execWhile(const While *stmt) {
  if (!stmt->orelse.empty())
    return unsupported(stmt->orelse.front()->span,
                       "`else` of a loop is not part of the language");
  Frame &owner = *frame;
  ++owner.runtimeDepth;
  auto leave = llvm::scope_exit([&] { --owner.runtimeDepth; });
  Scope before = owner.scope;
  LoopFindings own;
  Carried carried(*this, stmt->body, nullptr, own);
  carried.force(/*everything=*/true);

  Region test, body;
  llvm::SmallVector<mlir::Value> passed, yields, inits;
  {
    OpBuilder::InsertionGuard guard(builder);
    Block &block = test.emplaceBlock();
    builder.setInsertionPointToEnd(&block);
    carried.enter(block);
    inits = carried.inits;
    Value value = eval(stmt->test);
    At at(*this, stmt->test->span);
    Value condition = value ? this->condition(value, "`while`") : Value();
    if (!condition)
      return Flow::Fail;
    if (condition.is<bool>() && !condition.get<bool>()) {
      owner.scope = before;
      return Flow::Next;
    }
    if (condition.is<bool>())
      condition = toRuntime(condition);
    passed.assign(block.args_begin(), block.args_end());
    scf::ConditionOp::create(builder, loc(), ir(condition), passed);
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    Block &block = body.emplaceBlock();
    builder.setInsertionPointToEnd(&block);
    carried.enter(block);
    Flow flow = execBody(stmt->body);
    if (flow == Flow::Fail)
      return flow;
    if (!owner.scope.returned.identical(Value(false))) {
      fail(DiagId::UnsupportedPython,
           "`return` inside a `while` is not part of the language; set a "
           "variable and return after the loop");
      return Flow::Fail;
    }
    if (!carried.leave(yields))
      return Flow::Fail;
    scf::YieldOp::create(builder, loc(), yields);
  }
  auto op =
      scf::WhileOp::create(builder, loc(), ValueRange(inits).getTypes(), inits);
  op.getBefore().takeBody(test);
  op.getAfter().takeBody(body);
  llvm::SmallVector<mlir::Value> results(op.getResults());
  carried.finish(before, results, nullptr);
  return Flow::Next;
}

} // namespace tesela::emit
