//===- Names.cpp - names and attributes -----------------------------------===//

#include "emit/Interpreter.h"

#include "sema/Builtins.h"

using namespace tesela::syntax;

namespace tesela::emit {

std::optional<Value>
Interpreter::capture(const std::optional<ModuleName> &module,
                     const std::string &name) {
  const auto &function = frame->function->function;
  std::string key = module ? module->path + "." + name : name;
  auto it = captured.find({function.get(), key});
  if (it != captured.end())
    return it->second;
  if (!function->environment)
    return std::nullopt;
  std::optional<Object> object =
      module ? function->environment->attribute(*module, name)
             : function->environment->lookup(name);
  if (!object && module)
    return std::nullopt;
  captures.push_back({function, module, name, object});
  std::optional<Value> value;
  if (object)
    value = sema::fromObject(*object);
  return captured[{function.get(), key}] = value;
}

/// What a kernel may not use is refused.
Value Interpreter::usable(const Value &value, const std::string &name) {
  auto *object = value.getIf<Object::Unsupported>();
  if (!object)
    return value;
  return fail(DiagId::UnsupportedCapture,
              "`" + name + "` is " + object->what +
                  ", which a kernel cannot use; pass it as an argument, or "
                  "make it a number, a string, a dtype, a tuple of these or a "
                  "jit function");
}

/// Functions of Python's that a kernel has no use of.
static bool isForeignBuiltin(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {
      "all",     "any",    "bytes",  "callable",  "chr",        "complex",
      "delattr", "dict",   "dir",    "divmod",    "enumerate",  "eval",
      "exec",    "filter", "format", "frozenset", "getattr",    "globals",
      "hasattr", "hash",   "id",     "input",     "isinstance", "iter",
      "list",    "locals", "map",    "next",      "object",     "open",
      "ord",     "pow",    "repr",   "reversed",  "round",      "set",
      "setattr", "slice",  "sorted", "str",       "sum",        "super",
      "tuple",   "type",   "vars",   "zip",       "issubclass", "__import__"};
  return llvm::is_contained(names, name);
}

Value Interpreter::evalName(const Name *expr) {
  auto &variables = frame->scope.variables;
  if (auto it = variables.find(llvm::StringRef(expr->id));
      it != variables.end()) {
    if (it->second.problem.empty())
      return it->second.value;
    fail(DiagId::UndefinedName, it->second.problem);
    note(it->second.span, "`" + expr->id + "` was last given a value here");
    return Value();
  }
  if (std::optional<Value> value = capture(std::nullopt, expr->id))
    return usable(*value, expr->id);
  if (std::optional<Value> builtin = sema::pythonBuiltin(expr->id))
    return *builtin;
  if (isForeignBuiltin(expr->id))
    return fail(DiagId::UndefinedName,
                "Python's `" + expr->id +
                    "` is not part of the language of kernels");
  return fail(DiagId::UndefinedName, "`" + expr->id + "` is not defined");
}

Value Interpreter::moduleAttribute(const ModuleName &module,
                                   const std::string &name) {
  if (std::optional<Value> value = sema::languageAttribute(module, name))
    return *value;
  // The language is read as `tl`, which is how people know it.
  std::string shown = module.path == "triton.language"
                          ? "tl." + name
                          : module.path + "." + name;
  if (sema::isLanguageModule(module)) {
    if (sema::isUnsupportedName(name))
      return fail(DiagId::UnsupportedYet,
                  "`" + shown + "` is not supported yet by this version");
    return fail(DiagId::UnknownAttribute,
                "the language has no `" + shown + "`");
  }
  if (std::optional<Value> value = capture(module, name))
    return usable(*value, shown);
  return fail(DiagId::UnknownAttribute,
              "the module `" + module.path + "` has no `" + name + "`");
}

Value Interpreter::evalAttribute(const Attribute *expr) {
  Value base = eval(expr->value);
  return base ? attribute(base, expr->attr) : Value();
}

Value Interpreter::attribute(const Value &base, const std::string &name) {
  if (auto *module = base.getIf<ModuleName>())
    return moduleAttribute(*module, name);
  if (auto *type = base.getIf<Type>()) {
    if (std::optional<Value> value = sema::typeAttribute(*type, name))
      return *value;
    return fail(DiagId::UnknownAttribute,
                "the type `" + type->str() + "` has no `" + name + "`");
  }
  if (!base.isRuntime() && name == "value")
    return base; // of a constexpr
  if (std::optional<Type> type = typeOf(base)) {
    if (name == "dtype")
      return type->scalar();
    if (name == "type")
      return *type;
    if (name == "shape")
      return Value::shape(type->shape);
    if (name == "numel")
      return Value::integer(type->numElements());
    if (name == "T" && base.isRuntime())
      return callBuiltin(sema::BuiltinId::Trans, {base});
    if (std::optional<sema::BuiltinId> method = sema::tensorMethod(name))
      return sema::Method{*method, std::make_shared<const Value>(base)};
    if (sema::isUnsupportedName(name))
      return fail(DiagId::UnsupportedYet,
                  "`." + name + "` is not supported yet by this version");
  }
  return fail(DiagId::UnknownAttribute,
              base.describe() + " has no `" + name + "`");
}

} // namespace tesela::emit
