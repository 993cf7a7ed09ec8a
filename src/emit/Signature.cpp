//===- Signature.cpp - the parameters of a jit function -------------------===//
//
// Read without a context: defaults and decorators are constant expressions,
// over literals and the names that the function's surroundings know.
//
//===----------------------------------------------------------------------===//

#include "emit/Emit.h"
#include "emit/ParsedFunction.h"

#include "sema/Builtins.h"
#include "sema/Constant.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"

#include <set>

using namespace tesela::syntax;
using tesela::sema::Value;

namespace tesela::emit {

namespace {

/// Evaluates the expressions that defaults and decorators are made of. Gives an
/// invalid value for any other.
class ConstantExpression {
public:
  explicit ConstantExpression(Environment *environment)
      : environment(environment) {}

  Value eval(const Expr *expr) {
    if (auto *constant = llvm::dyn_cast<Constant>(expr))
      return literal(*constant);
    if (auto *name = llvm::dyn_cast<Name>(expr))
      return lookup(name->id);
    if (auto *attribute = llvm::dyn_cast<Attribute>(expr))
      return member(*attribute);
    if (auto *unary = llvm::dyn_cast<UnaryOp>(expr)) {
      Value operand = eval(unary->operand);
      return operand ? sema::foldUnary(unary->op, operand, error) : Value();
    }
    if (auto *binary = llvm::dyn_cast<BinOp>(expr)) {
      Value left = eval(binary->left);
      Value right = left ? eval(binary->right) : Value();
      return right ? sema::foldBinary(binary->op, left, right, error) : Value();
    }
    if (auto *tuple = llvm::dyn_cast<Tuple>(expr))
      return sequence(tuple->elts, /*isList=*/false);
    if (auto *list = llvm::dyn_cast<List>(expr))
      return sequence(list->elts, /*isList=*/true);
    if (auto *call = llvm::dyn_cast<Call>(expr))
      return conversion(*call);
    return Value();
  }

private:
  Value literal(const Constant &constant) {
    switch (constant.constant) {
    case ConstantKind::None:
      return sema::None();
    case ConstantKind::True:
      return true;
    case ConstantKind::False:
      return false;
    case ConstantKind::Int:
      if (std::optional<sema::Int> value = sema::Int::parse(constant.text))
        return *value;
      return Value();
    case ConstantKind::Float:
      return constant.number;
    case ConstantKind::Str:
      return constant.text;
    default:
      return Value();
    }
  }

  Value lookup(const std::string &name) {
    if (environment)
      if (std::optional<Object> object = environment->lookup(name))
        return sema::fromObject(*object);
    return sema::pythonBuiltin(name).value_or(Value());
  }

  Value member(const Attribute &attribute) {
    Value base = eval(attribute.value);
    auto *module = base.getIf<ModuleName>();
    if (!module)
      return Value();
    if (std::optional<Value> value =
            sema::languageAttribute(*module, attribute.attr))
      return *value;
    if (environment)
      if (std::optional<Object> object =
              environment->attribute(*module, attribute.attr))
        return sema::fromObject(*object);
    return Value();
  }

  Value sequence(const Exprs &elements, bool isList) {
    std::vector<Value> items;
    for (const Expr *element : elements) {
      items.push_back(eval(element));
      if (!items.back())
        return Value();
    }
    return isList ? Value::list(std::move(items))
                  : Value::tuple(std::move(items));
  }

  /// `tl.constexpr(x)` and `float("inf")`.
  Value conversion(const Call &call) {
    Value callee = eval(call.func);
    auto *id = callee.getIf<sema::BuiltinId>();
    if (!id || call.args.size() != 1 || !call.keywords.empty())
      return Value();
    Value argument = eval(call.args[0]);
    if (*id == sema::BuiltinId::Constexpr)
      return argument;
    if (*id != sema::BuiltinId::PyFloat)
      return Value();
    if (std::optional<double> number = argument.asDouble())
      return *number;
    if (auto *text = argument.getIf<std::string>())
      if (std::optional<double> number = sema::parseFloat(*text))
        return *number;
    return Value();
  }

  Environment *environment;
  std::string error;
};

/// `x: tl.int64` and `x: "i64"`.
std::optional<DType> annotatedType(const Expr *annotation) {
  if (!annotation)
    return std::nullopt;
  if (auto *attribute = llvm::dyn_cast<Attribute>(annotation))
    return parseDType(attribute->attr);
  if (auto *name = llvm::dyn_cast<Name>(annotation))
    return parseDType(name->id);
  if (auto *text = llvm::dyn_cast<Constant>(annotation))
    if (text->constant == ConstantKind::Str)
      return parseDType(
          llvm::StringRef(text->text).rsplit('.').second.empty()
              ? std::string_view(text->text)
              : std::string_view(
                    llvm::StringRef(text->text).rsplit('.').second));
  return std::nullopt;
}

/// The parameters that a keyword of the decorator lists, by name or position.
struct DecoratorList {
  std::set<std::string> names;
  std::set<int64_t> positions;

  DecoratorList(const FunctionDef &definition, llvm::StringRef keyword,
                ConstantExpression &constants) {
    for (const Expr *decorator : definition.decoratorList) {
      auto *call = llvm::dyn_cast<Call>(decorator);
      if (!call)
        continue;
      for (const Keyword *each : call->keywords) {
        if (each->arg != keyword)
          continue;
        Value value = constants.eval(each->value);
        if (const std::vector<Value> *items = value.items())
          for (const Value &item : *items) {
            if (auto *name = item.getIf<std::string>())
              names.insert(*name);
            else if (std::optional<int64_t> position = item.asInt64())
              positions.insert(*position);
          }
      }
    }
  }

  bool contains(const std::string &name, size_t position) const {
    return names.count(name) || positions.count(int64_t(position));
  }
};

} // namespace

std::optional<Signature> readSignature(const Function &function,
                                       Diagnostics &diags) {
  auto shared = std::make_shared<const Function>(function);
  std::unique_ptr<ParsedFunction> parsed = parseFunction(shared, diags);
  if (!parsed)
    return std::nullopt;
  const FunctionDef &definition = *parsed->definition;
  ConstantExpression constants(function.environment.get());
  DecoratorList noSpecialize(definition, "do_not_specialize", constants);
  DecoratorList noAlignment(definition, "do_not_specialize_on_alignment",
                            constants);

  Signature signature;
  signature.name = definition.name;
  auto where = [&](const Span &span) {
    return Location{parsed->source, span.line, span.col, span.endLine,
                    span.endCol};
  };
  for (const Arg *arg : {definition.args->vararg, definition.args->kwarg})
    if (arg) {
      diags.error(DiagId::UnsupportedPython, where(arg->span),
                  "a kernel has no `*" + arg->arg +
                      "`: its parameters are all named");
      return std::nullopt;
    }
  for (auto [i, pair] : llvm::enumerate(parametersOf(definition))) {
    auto [arg, defaultExpr] = pair;
    Parameter parameter;
    parameter.name = arg->arg;
    parameter.isConstexpr = isConstexprAnnotation(arg->annotation);
    if (!parameter.isConstexpr)
      parameter.annotatedType = annotatedType(arg->annotation);
    parameter.doNotSpecialize =
        noSpecialize.contains(arg->arg, i) ||
        llvm::is_contained(function.doNotSpecialize, arg->arg);
    parameter.doNotSpecializeOnAlignment =
        noAlignment.contains(arg->arg, i) ||
        llvm::is_contained(function.doNotSpecializeOnAlignment, arg->arg);
    if (defaultExpr) {
      Value value = constants.eval(defaultExpr);
      Object object = value ? sema::toObject(value)
                            : Object{Object::Unsupported{"not constant"}};
      if (std::holds_alternative<Object::Unsupported>(object.value)) {
        diags.error(DiagId::NotConstexpr, where(defaultExpr->span),
                    "the default of `" + arg->arg +
                        "` is not a number, a string, a dtype or a function "
                        "that is known from the text");
        return std::nullopt;
      }
      parameter.defaultValue = std::move(object);
    }
    signature.parameters.push_back(std::move(parameter));
  }
  return signature;
}

} // namespace tesela::emit
