//===- Calls.cpp - calls of builtins and of other jit functions -----------===//

#include "emit/Interpreter.h"

#include "sema/Builtins.h"

#include "llvm/ADT/ScopeExit.h"

using namespace tesela::syntax;

namespace tesela::emit {

bool Interpreter::evalArguments(const Call *expr, CallArguments &arguments) {
  for (const Expr *argument : expr->args) {
    auto *starred = llvm::dyn_cast<Starred>(argument);
    Value value = eval(starred ? starred->value : argument);
    if (!value)
      return false;
    if (!starred) {
      arguments.positional.push_back(value);
      arguments.spans.push_back(argument->span);
      continue;
    }
    const std::vector<Value> *items = value.items();
    if (!items) {
      At at(*this, argument->span);
      fail(DiagId::Unpack,
           "`*` unpacks a tuple, and this is " + value.describe());
      return false;
    }
    for (const Value &item : *items) {
      arguments.positional.push_back(item);
      arguments.spans.push_back(argument->span);
    }
  }
  for (const Keyword *keyword : expr->keywords) {
    if (keyword->arg.empty()) {
      At at(*this, keyword->span);
      fail(DiagId::UnsupportedPython,
           "`**` in a call is not part of the language");
      return false;
    }
    Value value = eval(keyword->value);
    if (!value)
      return false;
    arguments.keywords.push_back({keyword->arg, value, keyword->span});
  }
  return true;
}

Value Interpreter::evalCall(const Call *expr) {
  Value callee = eval(expr->func);
  CallArguments arguments;
  if (!callee || !evalArguments(expr, arguments))
    return Value();
  return dispatch(callee, arguments);
}

Value Interpreter::dispatch(const Value &callee, CallArguments &arguments) {
  if (auto *id = callee.getIf<sema::BuiltinId>())
    return callBuiltin(*id, arguments);
  if (auto *method = callee.getIf<sema::Method>()) {
    arguments.positional.insert(arguments.positional.begin(), *method->self);
    arguments.spans.insert(arguments.spans.begin(), span);
    return callBuiltin(method->builtin, arguments);
  }
  if (auto *function = callee.getIf<sema::FunctionRef>())
    return callFunction(*function, arguments);
  if (auto *thunk = callee.getIf<sema::Thunk>()) {
    if (arguments.positional.empty() && arguments.keywords.empty())
      return *thunk->result;
    return fail(DiagId::CallArguments, "this method takes no arguments");
  }
  const char *hint =
      callee.is<Type>() ? "; to convert, use `.to` or `tl.cast`" : "";
  return fail(DiagId::NotCallable,
              callee.describe() + " is called, and is no function" + hint);
}

Value Interpreter::call(const Value &callee, llvm::ArrayRef<Value> values) {
  CallArguments arguments;
  arguments.positional.assign(values.begin(), values.end());
  arguments.spans.assign(values.size(), span);
  return dispatch(callee, arguments);
}

Value Interpreter::callBuiltin(sema::BuiltinId id,
                               llvm::ArrayRef<Value> values) {
  return call(Value(id), values);
}

//===----------------------------------------------------------------------===//
// Builtins
//===----------------------------------------------------------------------===//

/// A function of Python's that takes its arguments by position alone.
bool Interpreter::checkPositionalOnly(sema::BuiltinId id,
                                      const CallArguments &given) {
  std::string name = "`" + sema::qualifiedName(id) + "`";
  if (!given.keywords.empty()) {
    At at(*this, given.keywords.front().span);
    bool isRange = id == sema::BuiltinId::PyRange;
    fail(DiagId::CallArguments,
         name + " takes no keyword arguments" +
             (isRange ? "; `tl.range` takes options of the loop" : ""));
    return false;
  }
  const std::vector<sema::Parameter> &parameters =
      sema::signatureOf(id).parameters;
  size_t most = parameters.size(), least = 0;
  for (const sema::Parameter &parameter : parameters)
    least += !parameter.defaultValue;
  size_t count = given.positional.size();
  if (least <= count && count <= most)
    return true;
  fail(DiagId::CallArguments, name + " takes " + std::to_string(least) +
                                  " to " + std::to_string(most) +
                                  " arguments, and " + std::to_string(count) +
                                  (count == 1 ? " is given" : " are given"));
  return false;
}

Value Interpreter::callBuiltin(sema::BuiltinId id, CallArguments &given) {
  const sema::Signature &signature = sema::signatureOf(id);
  const std::vector<sema::Parameter> &parameters = signature.parameters;
  if (signature.isPositionalOnly && !checkPositionalOnly(id, given))
    return Value();
  std::string name = "`" + sema::qualifiedName(id) + "`";
  Arguments arguments{id, {}, {}};
  arguments.values.resize(parameters.size());
  arguments.spans.resize(parameters.size(), span);

  size_t next = 0, passed = 0;
  for (; next < parameters.size() && passed < given.positional.size();
       ++next, ++passed) {
    if (parameters[next].isVariadic) {
      std::vector<Value> rest(given.positional.begin() + passed,
                              given.positional.end());
      arguments.spans[next] = given.spans[passed];
      arguments.values[next] = Value::tuple(std::move(rest));
      passed = given.positional.size();
      break;
    }
    arguments.values[next] = given.positional[passed];
    arguments.spans[next] = given.spans[passed];
  }
  if (passed < given.positional.size())
    return fail(DiagId::CallArguments,
                name + " takes at most " + std::to_string(parameters.size()) +
                    " arguments, and " +
                    std::to_string(given.positional.size()) + " are given");
  for (const CallArguments::Keyword &keyword : given.keywords) {
    At at(*this, keyword.span);
    auto it = llvm::find_if(parameters, [&](const sema::Parameter &p) {
      return p.name == keyword.name;
    });
    if (it == parameters.end())
      return fail(DiagId::CallArguments,
                  name + " has no parameter `" + keyword.name + "`");
    size_t index = it - parameters.begin();
    if (arguments.values[index])
      return fail(DiagId::CallArguments,
                  "`" + keyword.name + "` of " + name + " is given twice");
    bool wrap = it->isVariadic && !keyword.value.items();
    arguments.values[index] =
        wrap ? Value::tuple({keyword.value}) : keyword.value;
    arguments.spans[index] = keyword.span;
  }

  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    Value &value = arguments.values[i];
    if (!value) {
      if (parameter.isVariadic)
        value = Value::tuple({});
      else if (parameter.defaultValue)
        value = *parameter.defaultValue;
      else
        return fail(DiagId::CallArguments,
                    name + " lacks its argument `" + parameter.name + "`");
      continue;
    }
    std::vector<Value> single{value};
    bool areMany = parameter.isVariadic && value.items();
    for (const Value &each : areMany ? *value.items() : single) {
      if (sema::accepts(parameter, each))
        continue;
      At at(*this, arguments.spans[i]);
      bool mustBeKnown = parameter.kind > sema::ParamKind::Pointer;
      if (mustBeKnown && each.hasRuntime())
        return fail(DiagId::NotConstexpr,
                    "`" + parameter.name + "` of " + name + " is " +
                        each.describe() +
                        ", which is known at run time alone; it must be " +
                        sema::describe(parameter) +
                        " (such as a `tl.constexpr` parameter)");
      auto *symbol = each.getIf<sema::Symbol>();
      if (symbol && llvm::StringRef(symbol->name).starts_with("float8"))
        return fail(DiagId::UnsupportedYet,
                    "`tl." + symbol->name +
                        "` is not supported yet by this version; of the floats "
                        "of 8 bits, `tl.float8e4nv` and `tl.float8e5` are");
      return fail(DiagId::CallType, "`" + parameter.name + "` of " + name +
                                        " is " + each.describe() +
                                        "; it must be " +
                                        sema::describe(parameter));
    }
  }
  return handlers()[id](*this, arguments);
}

//===----------------------------------------------------------------------===//
// Jit functions
//===----------------------------------------------------------------------===//

ParsedFunction *Interpreter::parse(const sema::FunctionRef &function) {
  std::unique_ptr<ParsedFunction> &parsed = functions[function.get()];
  if (!parsed) {
    Diagnostics diags;
    parsed = parseFunction(function, diags);
    if (!parsed) {
      std::vector<Diagnostic> list = diags.take();
      fail(list.front().id, list.front().message);
      pendingError->location = list.front().location;
    }
  }
  return parsed.get();
}

Value Interpreter::callFunction(const sema::FunctionRef &function,
                                CallArguments &arguments) {
  if (!spend("interpreting this call in place"))
    return Value();
  for (const Frame *active : frames)
    if (active->function->function == function)
      return fail(DiagId::Recursion, "`" + function->name +
                                         "` calls itself; recursion is not "
                                         "part of the language");
  ParsedFunction *parsed = parse(function);
  if (!parsed)
    return Value();

  Frame callee;
  callee.function = parsed;
  if (!bindParameters(callee, arguments))
    return Value();

  mlir::LocationAttr here = loc();
  calls.push_back({locationOf(span), function->name});
  Frame *caller = std::exchange(frame, &callee);
  SourceRef callerSource = std::exchange(source, parsed->source);
  mlir::LocationAttr outer = std::exchange(callerLoc, here);
  frames.push_back(&callee);
  path.push_back(uint64_t(span.line) << 32 | uint32_t(span.col));
  auto leave = llvm::scope_exit([&] {
    path.pop_back();
    frames.pop_back();
    calls.pop_back();
    frame = caller;
    source = callerSource;
    callerLoc = outer;
  });
  callee.runtimeDepth = 0;
  Flow flow;
  {
    At at(*this, parsed->definition->span);
    flow = execBody(parsed->definition->body);
  }
  if (flow == Flow::Fail)
    return Value();
  const Value &returned = callee.scope.returned;
  const Value &result = callee.scope.result;
  if (!result || result.isNone())
    return sema::None();
  if (returned.is<bool>())
    return result;
  At at(*this, parsed->definition->span);
  return fail(DiagId::ReturnType, "`" + function->name + "` returns " +
                                      result.describe() +
                                      " on some paths, and nothing on others");
}

/// Gives the parameters of a function their values.
bool Interpreter::bindParameters(Frame &callee, CallArguments &given) {
  const FunctionDef &definition = *callee.function->definition;
  std::string name = "`" + definition.name + "`";
  auto parameters = parametersOf(definition);
  size_t positional = parameters.size() - definition.args->kwonlyargs.size();
  std::vector<Value> values(parameters.size());
  std::vector<Span> spans(parameters.size(), span);

  size_t taken = std::min(positional, given.positional.size());
  for (size_t i = 0; i < taken; ++i) {
    values[i] = given.positional[i];
    spans[i] = given.spans[i];
  }
  std::vector<Value> rest(given.positional.begin() + taken,
                          given.positional.end());
  if (!rest.empty() && !definition.args->vararg) {
    fail(DiagId::CallArguments,
         name + " takes at most " + std::to_string(positional) +
             " positional arguments, and " +
             std::to_string(given.positional.size()) + " are given");
    return false;
  }
  if (definition.args->kwarg) {
    fail(DiagId::UnsupportedPython,
         "`**` parameters are not part of the language");
    return false;
  }
  for (const CallArguments::Keyword &keyword : given.keywords) {
    At at(*this, keyword.span);
    auto it = llvm::find_if(parameters, [&](const auto &p) {
      return p.first->arg == keyword.name;
    });
    if (it == parameters.end()) {
      fail(DiagId::CallArguments,
           name + " has no parameter `" + keyword.name + "`");
      return false;
    }
    size_t index = it - parameters.begin();
    if (values[index]) {
      fail(DiagId::CallArguments,
           "`" + keyword.name + "` of " + name + " is given twice");
      return false;
    }
    values[index] = keyword.value;
    spans[index] = keyword.span;
  }

  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    const auto &[arg, defaultExpr] = parameter;
    if (!values[i] && defaultExpr) {
      // A default belongs to the function's own surroundings.
      Frame outside;
      outside.function = callee.function;
      Frame *caller = std::exchange(frame, &outside);
      SourceRef callerSource = std::exchange(source, callee.function->source);
      values[i] = eval(defaultExpr);
      frame = caller;
      source = callerSource;
      if (!values[i])
        return false;
    }
    if (!values[i]) {
      fail(DiagId::CallArguments,
           name + " lacks its argument `" + arg->arg + "`");
      return false;
    }
    if (isConstexprAnnotation(arg->annotation) && values[i].hasRuntime()) {
      At at(*this, spans[i]);
      fail(DiagId::NotConstexpr,
           "`" + arg->arg + "` of " + name + " is `tl.constexpr`, and " +
               values[i].describe() + " is known at run time alone");
      return false;
    }
    callee.scope.variables[arg->arg] = {values[i], arg->span, ""};
  }
  if (const Arg *vararg = definition.args->vararg)
    callee.scope.variables[vararg->arg] = {Value::tuple(std::move(rest)),
                                           vararg->span, ""};
  return true;
}

} // namespace tesela::emit
