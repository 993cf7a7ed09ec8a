//===- HostExpression.cpp - the values of module-level expressions --------===//

#include "driver/HostExpression.h"

#include "driver/HostNumbers.h"
#include "support/Values.h"
#include "syntax/Ast.h"

#include "llvm/ADT/TypeSwitch.h"

namespace tesela::driver {

using namespace syntax;

static Object unsupported(std::string what) {
  return {Object::Unsupported{std::move(what)}};
}

std::optional<bool> hostTruth(const Object &value) {
  if (std::holds_alternative<Object::None>(value.value))
    return false;
  if (auto *text = std::get_if<std::string>(&value.value))
    return !text->empty();
  if (auto *items = std::get_if<Object::Tuple>(&value.value))
    return !items->empty();
  if (std::optional<Number> number = Number::of(value))
    return number->isTrue();
  return std::nullopt;
}

Object evaluateHostBinary(BinOpKind op, const Object &left,
                          const Object &right) {
  std::optional<Number> a = Number::of(left), b = Number::of(right);
  if (a && b)
    return binary(op, *a, *b)
        .value_or(unsupported("a number that cannot be computed"));
  auto *aText = std::get_if<std::string>(&left.value);
  auto *bText = std::get_if<std::string>(&right.value);
  if (op == BinOpKind::Add && aText && bText)
    return {*aText + *bText};
  auto *aItems = std::get_if<Object::Tuple>(&left.value);
  auto *bItems = std::get_if<Object::Tuple>(&right.value);
  if (op == BinOpKind::Add && aItems && bItems) {
    Object::Tuple items = *aItems;
    items.insert(items.end(), bItems->begin(), bItems->end());
    return {std::move(items)};
  }
  return unsupported("the result of an operator");
}

namespace {

class Evaluator {
public:
  explicit Evaluator(const HostScope &scope) : scope(scope) {}

  Object run(const Expr *expression) {
    // Deep nesting is cut off long before the stack ends.
    if (depth > 200)
      return unsupported("a deeply nested expression");
    ++depth;
    Object result =
        llvm::TypeSwitch<const Node *, Object>(expression)
            .Case<Constant, Name, Attribute, Tuple, UnaryOp, BinOp, BoolOp,
                  Compare, IfExp, Subscript, Call>(
                [&](auto *node) { return visit(*node); })
            .Default([](const Node *node) { return unsupported(kind(node)); });
    --depth;
    return result;
  }

private:
  static std::string kind(const Node *node) {
    switch (node->kind) {
    case NodeKind::List:
    case NodeKind::ListComp:
      return "a list";
    case NodeKind::Dict:
    case NodeKind::DictComp:
      return "a dictionary";
    case NodeKind::Set:
    case NodeKind::SetComp:
      return "a set";
    case NodeKind::Lambda:
      return "a lambda";
    default:
      return "a value that the file's own code computes";
    }
  }

  Object visit(const Constant &node) {
    switch (node.constant) {
    case ConstantKind::None:
      return {Object::None{}};
    case ConstantKind::True:
      return {true};
    case ConstantKind::False:
      return {false};
    case ConstantKind::Int:
      return Number::integer(node.text).object();
    case ConstantKind::Float:
      return {node.number};
    case ConstantKind::Str:
      return {node.text};
    case ConstantKind::Bytes:
      return unsupported("bytes");
    case ConstantKind::Imaginary:
      return unsupported("a complex number");
    case ConstantKind::Ellipsis:
      return unsupported("`...`");
    }
    return unsupported("a constant");
  }

  Object visit(const Name &node) {
    if (std::optional<Object> value = scope.lookup(node.id))
      return *value;
    // A builtin: only its call means something here.
    return {ModuleName{"builtins." + node.id}};
  }

  Object visit(const Attribute &node) {
    Object value = run(node.value);
    if (auto *module = std::get_if<ModuleName>(&value.value))
      if (std::optional<Object> found = scope.attribute(*module, node.attr))
        return *found;
    return unsupported("an attribute `" + node.attr + "`");
  }

  Object visit(const Tuple &node) {
    Object::Tuple items;
    for (const Expr *item : node.elts)
      items.push_back(run(item));
    return {std::move(items)};
  }

  Object visit(const UnaryOp &node) {
    Object value = run(node.operand);
    if (node.op == UnaryOpKind::Not) {
      if (std::optional<bool> truth = hostTruth(value))
        return {!*truth};
    } else if (std::optional<Number> number = Number::of(value)) {
      if (std::optional<Object> result = unary(node.op, *number))
        return *result;
    }
    return unsupported("the result of an operator");
  }

  Object visit(const BinOp &node) {
    Object left = run(node.left);
    return evaluateHostBinary(node.op, left, run(node.right));
  }

  Object visit(const BoolOp &node) {
    Object value = {Object::None{}};
    for (const Expr *operand : node.values) {
      value = run(operand);
      std::optional<bool> truth = hostTruth(value);
      if (!truth)
        return unsupported("a condition that is only known at run time");
      if (*truth == (node.op == BoolOpKind::Or))
        break;
    }
    return value;
  }

  Object visit(const Compare &node) {
    Object left = run(node.left);
    for (size_t i = 0; i < node.ops.size(); ++i) {
      Object right = run(node.comparators[i]);
      std::optional<bool> holds = compareHost(node.ops[i], left, right);
      if (!holds)
        return unsupported("a condition that is only known at run time");
      if (!*holds)
        return {false};
      left = right;
    }
    return {true};
  }

  static bool isKnown(const Object &value) {
    return !std::holds_alternative<Object::Unsupported>(value.value) &&
           !std::holds_alternative<ModuleName>(value.value);
  }

  static std::optional<bool> compareHost(CmpOpKind op, const Object &left,
                                         const Object &right) {
    std::optional<Number> a = Number::of(left), b = Number::of(right);
    if (a && b && op <= CmpOpKind::GtE)
      return compare(op, *a, *b);
    if (!isKnown(left) || !isKnown(right))
      return std::nullopt;
    if (op == CmpOpKind::Eq || op == CmpOpKind::Is)
      return sameValue(left, right);
    if (op == CmpOpKind::NotEq || op == CmpOpKind::IsNot)
      return !sameValue(left, right);
    return std::nullopt;
  }

  Object visit(const IfExp &node) {
    std::optional<bool> truth = hostTruth(run(node.test));
    if (!truth)
      return unsupported("a choice that is only known at run time");
    return run(*truth ? node.body : node.orelse);
  }

  Object visit(const Subscript &node) {
    Object value = run(node.value);
    Object index = run(node.slice);
    auto *items = std::get_if<Object::Tuple>(&value.value);
    std::optional<Number> number = Number::of(index);
    if (!items || !number)
      return unsupported("an element of something");
    std::optional<int64_t> position = number->asInt64();
    int64_t size = int64_t(items->size());
    if (position && *position < 0)
      *position += size;
    if (!position || *position < 0 || *position >= size)
      return unsupported("an element past the end of a tuple");
    return (*items)[size_t(*position)];
  }

  Object visit(const Call &node) {
    Object callee = run(node.func);
    auto *function = std::get_if<ModuleName>(&callee.value);
    if (!function)
      return unsupported("the result of a call");
    std::string name = function->path;
    if (name.starts_with("builtins."))
      name = name.substr(9);
    std::vector<Object> arguments;
    for (const Expr *argument : node.args)
      arguments.push_back(run(argument));
    for (const Keyword *keyword : node.keywords) {
      if (keyword->arg != "value")
        return unsupported("the result of a call of `" + name + "`");
      arguments.push_back(run(keyword->value));
    }
    if (std::optional<Object> result = callHost(function->path, arguments))
      return *result;
    return unsupported("the result of a call of `" + name + "`");
  }

  const HostScope &scope;
  unsigned depth = 0;
};

} // namespace

Object evaluateHost(const Expr *expression, const HostScope &scope) {
  return Evaluator(scope).run(expression);
}

} // namespace tesela::driver
