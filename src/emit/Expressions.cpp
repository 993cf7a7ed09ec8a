//===- Expressions.cpp - expressions to values ----------------------------===//

#include "emit/Interpreter.h"

#include "sema/Constant.h"

#include "llvm/ADT/ScopeExit.h"

using namespace tesela::syntax;

namespace tesela::emit {

static constexpr unsigned maxDepth = 400;

Value Interpreter::operate(BinOpKind op, const Value &a, const Value &b) {
  if (a.isRuntime() || b.isRuntime())
    return binary(op, a, b);
  std::string error;
  // Tuples of run-time values are joined and repeated like any other.
  Value result = sema::foldBinary(op, a, b, error);
  return result ? result : fail(DiagId::ConstantOperation, error);
}

Value Interpreter::operate(CmpOpKind op, const Value &a, const Value &b) {
  bool isIdentity = op == CmpOpKind::Is || op == CmpOpKind::IsNot;
  bool isOrder = op <= CmpOpKind::GtE;
  bool isNumeric =
      (a.isRuntime() || a.isNumber()) && (b.isRuntime() || b.isNumber());
  if (isOrder && isNumeric && (a.isRuntime() || b.isRuntime()))
    return compare(op, a, b);
  // A run-time value is never `None`, nor equal to a string or a dtype.
  if ((op == CmpOpKind::Eq || op == CmpOpKind::NotEq) && !isNumeric &&
      (a.isRuntime() || b.isRuntime()))
    return op == CmpOpKind::NotEq;
  if (!isIdentity && (a.hasRuntime() || b.hasRuntime()) &&
      !(a.items() && b.items()))
    return fail(DiagId::OperandType, std::string("`") + sema::spelling(op) +
                                         "` is not defined for " +
                                         a.describe() + " and " + b.describe());
  std::string error;
  Value result = sema::foldCompare(op, a, b, error);
  return result ? result : fail(DiagId::ConstantOperation, error);
}

Value Interpreter::operate(UnaryOpKind op, const Value &a) {
  if (a.isRuntime())
    return unary(op, a);
  std::string error;
  Value result = sema::foldUnary(op, a, error);
  return result ? result : fail(DiagId::ConstantOperation, error);
}

Value Interpreter::eval(const Expr *expr) {
  At at(*this, expr->span);
  if (depth > maxDepth)
    return fail(DiagId::TooLarge, "this code is nested too deeply");
  ++depth;
  auto leave = llvm::scope_exit([&] { --depth; });
  switch (expr->kind) {
  case NodeKind::Constant:
    return evalConstant(llvm::cast<Constant>(expr));
  case NodeKind::Name:
    return evalName(llvm::cast<Name>(expr));
  case NodeKind::Attribute:
    return evalAttribute(llvm::cast<Attribute>(expr));
  case NodeKind::BinOp:
    return evalOperands(llvm::cast<BinOp>(expr));
  case NodeKind::UnaryOp: {
    auto *unary = llvm::cast<UnaryOp>(expr);
    Value operand = eval(unary->operand);
    return operand ? operate(unary->op, operand) : Value();
  }
  case NodeKind::BoolOp:
    return evalBoolOp(llvm::cast<BoolOp>(expr));
  case NodeKind::Compare:
    return evalCompare(llvm::cast<Compare>(expr));
  case NodeKind::Call:
    return evalCall(llvm::cast<Call>(expr));
  case NodeKind::Subscript:
    return evalSubscript(llvm::cast<Subscript>(expr));
  case NodeKind::Tuple:
    return evalSequence(llvm::cast<Tuple>(expr)->elts, /*isList=*/false);
  case NodeKind::List:
    return evalSequence(llvm::cast<List>(expr)->elts, /*isList=*/true);
  case NodeKind::IfExp:
    return evalIfExp(llvm::cast<IfExp>(expr));
  case NodeKind::JoinedStr:
    return evalJoinedStr(llvm::cast<JoinedStr>(expr));
  case NodeKind::ListComp:
    return evalListComp(llvm::cast<ListComp>(expr));
  case NodeKind::NamedExpr: {
    auto *named = llvm::cast<NamedExpr>(expr);
    Value value = eval(named->value);
    return value && assign(named->target, value) ? value : Value();
  }
  case NodeKind::Slice: {
    auto *slice = llvm::cast<Slice>(expr);
    auto part = [&](const Expr *e) { return e ? eval(e) : sema::None(); };
    Value lower = part(slice->lower);
    Value upper = lower ? part(slice->upper) : Value();
    Value step = upper ? part(slice->step) : Value();
    if (!step)
      return Value();
    return std::make_shared<const sema::SliceObject>(
        sema::SliceObject{lower, upper, step});
  }
  default: {
    static const std::pair<NodeKind, const char *> names[] = {
        {NodeKind::Lambda, "`lambda`"},
        {NodeKind::Dict, "a dict"},
        {NodeKind::Set, "a set"},
        {NodeKind::SetComp, "a set"},
        {NodeKind::DictComp, "a dict"},
        {NodeKind::GeneratorExp, "a generator"},
        {NodeKind::Await, "`await`"},
        {NodeKind::Yield, "`yield`"},
        {NodeKind::YieldFrom, "`yield`"},
        {NodeKind::TemplateStr, "a template string"},
        {NodeKind::Starred, "`*` here"}};
    std::string what = "this expression";
    for (auto &[kind, name] : names)
      if (kind == expr->kind)
        what = name;
    return fail(DiagId::UnsupportedPython,
                what + " is not part of the language");
  }
  }
}

Value Interpreter::evalConstant(const Constant *expr) {
  switch (expr->constant) {
  case ConstantKind::None:
    return sema::None();
  case ConstantKind::True:
    return true;
  case ConstantKind::False:
    return false;
  case ConstantKind::Int:
    if (std::optional<sema::Int> value = sema::Int::parse(expr->text))
      return *value;
    return fail(DiagId::TooLarge, "this number is too large");
  case ConstantKind::Float:
    return expr->number;
  case ConstantKind::Str:
    return expr->text;
  case ConstantKind::Ellipsis:
    return sema::Symbol{"..."};
  case ConstantKind::Imaginary:
  case ConstantKind::Bytes:
    break;
  }
  return fail(DiagId::UnsupportedPython,
              expr->constant == ConstantKind::Bytes
                  ? "bytes are not part of the language"
                  : "complex numbers are not part of the language");
}

Value Interpreter::evalOperands(const BinOp *expr) {
  Value left = eval(expr->left);
  Value right = left ? eval(expr->right) : Value();
  return right ? operate(expr->op, left, right) : Value();
}

Value Interpreter::evalBoolOp(const BoolOp *expr) {
  Value result;
  for (const Expr *operand : expr->values) {
    if (result && !result.hasRuntime()) {
      // What is known decides, as in Python, whether the rest is looked at.
      bool decides = sema::truth(result) == (expr->op == BoolOpKind::Or);
      if (decides)
        return result;
    }
    Value next = eval(operand);
    if (!next)
      return Value();
    bool isFirst = !result;
    if (isFirst || !result.hasRuntime())
      result = next;
    else if (!next.hasRuntime() && !next.isNumber())
      return fail(DiagId::OperandType,
                  std::string(expr->op == BoolOpKind::And ? "`and`" : "`or`") +
                      " is not defined for " + result.describe() + " and " +
                      next.describe());
    else
      result = logical(expr->op, result, next);
    if (!result)
      return Value();
  }
  return result;
}

Value Interpreter::evalCompare(const Compare *expr) {
  Value left = eval(expr->left);
  if (!left)
    return Value();
  Value result;
  for (auto [op, comparator] : llvm::zip(expr->ops, expr->comparators)) {
    Value right = eval(comparator);
    Value link = right ? operate(op, left, right) : Value();
    if (!link)
      return Value();
    if (!result)
      result = link;
    else if (!result.isRuntime())
      result = sema::truth(result) ? link : result;
    else
      result = logical(BoolOpKind::And, result, link);
    if (!result)
      return Value();
    left = right;
  }
  return result;
}

Value Interpreter::evalJoinedStr(const JoinedStr *expr) {
  std::string text;
  for (const Expr *part : expr->values) {
    auto *field = llvm::dyn_cast<FormattedValue>(part);
    if (!field) {
      Value piece = eval(part);
      if (!piece)
        return Value();
      text += piece.str();
      continue;
    }
    Value value = eval(field->value);
    Value spec =
        value && field->formatSpec ? eval(field->formatSpec) : std::string();
    if (!value || !spec)
      return Value();
    if (field->conversion == 'r' || field->conversion == 'a')
      value = value.repr();
    std::optional<std::string> piece = sema::format(value, spec.str());
    if (!piece)
      return fail(DiagId::UnsupportedPython, "the format `" + spec.str() +
                                                 "` is not known for " +
                                                 value.describe());
    text += *piece;
  }
  return text;
}

Value Interpreter::evalSequence(const std::vector<Expr *> &elements,
                                bool isList) {
  std::vector<Value> items;
  for (const Expr *element : elements) {
    auto *starred = llvm::dyn_cast<Starred>(element);
    Value item = eval(starred ? starred->value : element);
    if (!item)
      return Value();
    if (!starred) {
      items.push_back(std::move(item));
      continue;
    }
    const std::vector<Value> *inner = item.items();
    if (!inner)
      return fail(DiagId::Unpack,
                  "`*` unpacks a tuple, and this is " + item.describe());
    items.insert(items.end(), inner->begin(), inner->end());
  }
  return isList ? Value::list(std::move(items))
                : Value::tuple(std::move(items));
}

Value Interpreter::evalListComp(const ListComp *expr) {
  if (expr->generators.size() != 1 || expr->generators[0]->isAsync)
    return fail(DiagId::UnsupportedPython,
                "a list comprehension has one `for` in this language");
  const Comprehension &generator = *expr->generators[0];
  Value iterable = eval(generator.iter);
  if (!iterable)
    return Value();
  const std::vector<Value> *items = iterable.items();
  if (!items)
    return fail(DiagId::UnsupportedPython,
                "a list comprehension runs over a tuple or list, and this is " +
                    iterable.describe());
  // The variable of a comprehension is its own.
  Scope before = frame->scope;
  std::vector<Value> results;
  for (const Value &item : *items) {
    bool keep = assign(generator.target, item);
    for (const Expr *filter : generator.ifs) {
      Value test = keep && !pendingError ? eval(filter) : Value();
      if (test.hasRuntime())
        fail(DiagId::Condition, "this condition must be known while compiling");
      keep = test && !test.hasRuntime() && sema::truth(test);
    }
    if (pendingError)
      return Value();
    if (!keep)
      continue;
    results.push_back(eval(expr->elt));
    if (!results.back())
      return Value();
  }
  frame->scope = std::move(before);
  return Value::list(std::move(results));
}

//===----------------------------------------------------------------------===//
// Subscripts
//===----------------------------------------------------------------------===//

Value Interpreter::evalSubscript(const Subscript *expr) {
  Value base = eval(expr->value);
  Value index = base ? eval(expr->slice) : Value();
  if (!index)
    return Value();
  if (base.isRuntime())
    return indexTile(base, index);
  if (base.items())
    return indexSequence(base, index);
  return fail(DiagId::OperandType, base.describe() + " has no elements");
}

/// `tile[:, None]`: `:` keeps an axis, `None` inserts one.
Value Interpreter::indexTile(const Value &tile, const Value &index) {
  std::vector<Value> single{index};
  const std::vector<Value> &indices = index.items() ? *index.items() : single;
  size_t kept = 0;
  for (const Value &item : indices) {
    auto *slice = item.getIf<sema::SliceRef>();
    bool isWhole = slice && (*slice)->lower.isNone() &&
                   (*slice)->upper.isNone() && (*slice)->step.isNone();
    if (!isWhole && !item.isNone())
      return fail(DiagId::OperandType,
                  "a tile is indexed with `:` and `None` alone, and this is " +
                      item.describe() +
                      "; use `tl.load`, or a reduction of `tl.where`");
    kept += isWhole;
  }
  if (kept > tile.type().shape.size())
    return fail(DiagId::ShapeMismatch,
                "`" + tile.type().str() + "` has " +
                    std::to_string(tile.type().rank()) + " axes, and " +
                    std::to_string(kept) + " are indexed");
  Value result = tile;
  for (size_t i = 0; i < indices.size(); ++i)
    if (indices[i].isNone())
      result = expandDims(result, int64_t(i));
  return result;
}

Value Interpreter::indexSequence(const Value &sequence, const Value &index) {
  const std::vector<Value> &items = *sequence.items();
  int64_t size = int64_t(items.size());
  if (std::optional<int64_t> position = index.asInt64()) {
    int64_t i = *position < 0 ? *position + size : *position;
    if (i < 0 || i >= size)
      return fail(DiagId::ConstantOperation,
                  "index " + std::to_string(*position) +
                      " is past the end of " + std::to_string(size) + " items");
    return items[i];
  }
  auto *slice = index.getIf<sema::SliceRef>();
  if (!slice)
    return fail(index.hasRuntime() ? DiagId::NotConstexpr : DiagId::OperandType,
                "a tuple is indexed with ints that are known while compiling, "
                "and this is " +
                    index.describe());
  auto part = [&](const Value &value, int64_t otherwise) {
    int64_t i = value.asInt64().value_or(otherwise);
    return !value.isNone() && i < 0 ? i + size : i;
  };
  int64_t step =
      std::clamp((*slice)->step.asInt64().value_or(1), -size - 1, size + 1);
  if (step == 0)
    return fail(DiagId::ConstantOperation, "the step of a slice is zero");
  int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  int64_t start =
      std::clamp(part((*slice)->lower, step > 0 ? 0 : size - 1), low, high);
  int64_t stop =
      std::clamp(part((*slice)->upper, step > 0 ? size : -1), low, high);
  std::vector<Value> result;
  for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step)
    result.push_back(items[i]);
  return sequence.get<sema::SequenceRef>()->isList
             ? Value::list(std::move(result))
             : Value::tuple(std::move(result));
}

} // namespace tesela::emit
