//===- Interpreter.h - walks a kernel's syntax tree -----------------------===//
//
// One object interprets one kernel: statements run in order, expressions give
// `Value`s, and where something is known at run time alone the `Emitter`
// beneath makes ops. Functions that are called are interpreted in place.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_EMIT_INTERPRETER_H
#define TESELA_EMIT_INTERPRETER_H

#include "emit/Emit.h"
#include "emit/Emitter.h"
#include "emit/Handlers.h"
#include "emit/ParsedFunction.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

#include <map>
#include <set>

namespace tesela::emit {

/// A local variable. Where paths disagree about it, it has no value, and
/// `problem` says why, for whoever reads it.
struct Variable {
  Value value;
  syntax::Span span;
  std::string problem;
};

/// The local variables of a function at one point, and whether it has returned:
/// `returned` is a bool, known or (after a `return` under a run-time
/// condition) at run time.
struct Scope {
  llvm::MapVector<llvm::StringRef, Variable> variables;
  Value returned = Value(false);
  Value result; // invalid where no path has returned
};

/// A function that is being interpreted.
struct Frame {
  ParsedFunction *function = nullptr;
  Scope scope;
  /// Run-time branches and loops around the current statement, and how many of
  /// them are outside the innermost unrolled loop; -1 where there is none.
  int runtimeDepth = 0;
  int unrolledAt = -1;
};

/// What a statement does to those after it.
enum class Flow : uint8_t { Next, Stop, Break, Continue, Fail };

class Interpreter : public Emitter {
public:
  Interpreter(mlir::MLIRContext &context, const Request &request);

  /// Interprets the kernel into `module`. False, and `pendingError`, where it
  /// is wrong.
  bool run(mlir::ModuleOp module, Diagnostics &diags);

  std::vector<Capture> captures;
  std::string printed;
  std::set<unsigned> steps;
  uint64_t statements = 0;
  std::vector<SourceRef> sources() const;
  const Request &request;

  //===--- for handlers --------------------------------------------------===//

  /// Calls a function or builtin with positional arguments.
  Value call(const Value &callee, llvm::ArrayRef<Value> arguments);
  /// Calls the handler of a builtin.
  Value callBuiltin(sema::BuiltinId id, llvm::ArrayRef<Value> arguments);

private:
  //===--- Statements.cpp ------------------------------------------------===//
  Flow execBody(llvm::ArrayRef<syntax::Stmt *> body);
  Flow exec(const syntax::Stmt *stmt);
  Flow execReturn(const syntax::Return *stmt);
  Flow execAssert(const syntax::Assert *stmt);
  Flow execRaise(const syntax::Raise *stmt);
  bool assign(const syntax::Expr *target, const Value &value);
  void define(llvm::StringRef name, const Value &value,
              const syntax::Span &span);
  Flow unsupported(const syntax::Span &span, const std::string &what);

  //===--- Branches.cpp --------------------------------------------------===//
  Flow execIf(const syntax::If *stmt);
  /// The condition as a run-time `int1` scalar, or as a bool that is known.
  Value condition(const Value &value, const char *what);
  /// Which variables are looked at after a branch.
  enum class Live : uint8_t { All, OfThen, None };
  /// Runs both branches and merges what they leave behind.
  Flow branch(const Value &test, llvm::function_ref<Flow()> thenBranch,
              llvm::function_ref<Flow()> elseBranch, Live live);
  /// Runs the rest of a body where the function has not returned yet.
  Flow execRest(llvm::function_ref<Flow()> rest, bool isLast = false);
  Value evalIfExp(const syntax::IfExp *expr);

  //===--- Loops.cpp, LoopCounting.cpp, RuntimeLoops.cpp ------------------===//
  Flow execFor(const syntax::For *stmt);
  Flow execUnrolled(const syntax::For *stmt, llvm::ArrayRef<Value> items);
  Flow execRange(const syntax::For *stmt, const sema::RangeObject &range);
  Flow execWhile(const syntax::While *stmt);
  /// How a loop of run-time length counts: up, from `lower` to below `upper`.
  struct LoopCounting {
    Value lower, upper, step;
    /// The type of the variable.
    DType counter;
    /// The variable is -1 minus what is counted.
    bool isDown, isUnsigned;
  };
  std::optional<LoopCounting> countLoop(const sema::RangeObject &range);
  Value turned(const Value &value);
  void markStep(const Value &step);
  const std::vector<llvm::StringRef> &
  assignedIn(llvm::ArrayRef<syntax::Stmt *> body);

  //===--- Expressions.cpp -----------------------------------------------===//
  Value eval(const syntax::Expr *expr);
  Value evalOperands(const syntax::BinOp *expr);
  Value evalBoolOp(const syntax::BoolOp *expr);
  Value evalCompare(const syntax::Compare *expr);
  Value evalConstant(const syntax::Constant *expr);
  Value evalJoinedStr(const syntax::JoinedStr *expr);
  Value evalSequence(const std::vector<syntax::Expr *> &elements, bool isList);
  Value evalListComp(const syntax::ListComp *expr);
  Value evalSubscript(const syntax::Subscript *expr);
  Value indexTile(const Value &tile, const Value &index);
  Value indexSequence(const Value &sequence, const Value &index);

public:
  /// A binary operator on any two values.
  Value operate(syntax::BinOpKind op, const Value &a, const Value &b);
  Value operate(syntax::CmpOpKind op, const Value &a, const Value &b);
  Value operate(syntax::UnaryOpKind op, const Value &a);

private:
  //===--- Names.cpp -----------------------------------------------------===//
  Value evalName(const syntax::Name *expr);
  Value evalAttribute(const syntax::Attribute *expr);
  Value attribute(const Value &base, const std::string &name);
  Value moduleAttribute(const ModuleName &module, const std::string &name);
  Value usable(const Value &value, const std::string &name);
  /// What the surroundings of the current function say about a free name, or,
  /// with a module, about `module.name`. Asked once.
  std::optional<Value> capture(const std::optional<ModuleName> &module,
                               const std::string &name);

  //===--- Calls.cpp -----------------------------------------------------===//
  Value evalCall(const syntax::Call *expr);
  struct CallArguments {
    llvm::SmallVector<Value, 8> positional;
    llvm::SmallVector<syntax::Span, 8> spans;
    struct Keyword {
      std::string name;
      Value value;
      syntax::Span span;
    };
    llvm::SmallVector<Keyword, 4> keywords;
  };
  bool evalArguments(const syntax::Call *expr, CallArguments &arguments);
  Value dispatch(const Value &callee, CallArguments &arguments);
  Value callBuiltin(sema::BuiltinId id, CallArguments &arguments);
  bool checkPositionalOnly(sema::BuiltinId id, const CallArguments &given);
  Value callFunction(const sema::FunctionRef &function,
                     CallArguments &arguments);
  bool bindParameters(Frame &callee, CallArguments &arguments);
  ParsedFunction *parse(const sema::FunctionRef &function);

  Frame *frame = nullptr;
  llvm::SmallVector<Frame *, 8> frames;
  std::map<const Function *, std::unique_ptr<ParsedFunction>> functions;
  llvm::DenseMap<const void *, std::vector<llvm::StringRef>> assigned;
  std::map<std::pair<const Function *, std::string>, std::optional<Value>>
      captured;
  Diagnostics *diagnostics = nullptr;
  unsigned depth = 0;
  /// What unrolling and inlining may still cost.
  unsigned budget = 200000;

  bool spend(const char *what);
  /// Undoes what an attempt left behind besides ops.
  struct Checkpoint {
    size_t printed, warnings;
  };
  Checkpoint checkpoint() const { return {printed.size(), warnings.size()}; }
  void rollBack(const Checkpoint &point);
  class Carried;

  /// Where an attempt at a loop meets a loop inside it: the statement, the
  /// calls and turns of unrolled loops on the way to it, and how often it came
  /// by here before.
  struct LoopPlace {
    const syntax::For *stmt;
    std::vector<uint64_t> path;
    unsigned nth;
    auto operator<=>(const LoopPlace &) const = default;
  };
  /// What attempts at a loop found out.
  struct LoopFindings {
    /// The variables whose numbers have to be carried at run time.
    std::vector<llvm::StringRef> forced;
    /// The body returns from the function, with values of these types.
    bool carriesReturn = false;
    Value result;
    std::map<LoopPlace, std::unique_ptr<LoopFindings>> inner;
    /// Of the current attempt, with `nth` 0.
    std::map<LoopPlace, unsigned> seen;
  };
  LoopFindings &findingsOf(const syntax::For *stmt);
  /// Of the loop around the current statement; null where there is none.
  LoopFindings *loopAround = nullptr;
  /// From there to the current statement.
  std::vector<uint64_t> path;
};

} // namespace tesela::emit

#endif // TESELA_EMIT_INTERPRETER_H
