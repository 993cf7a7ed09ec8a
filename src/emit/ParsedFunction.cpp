//===- ParsedFunction.cpp - the syntax tree of one jit function -----------===//

#include "emit/ParsedFunction.h"

#include "syntax/Parser.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"

using namespace tesela::syntax;

namespace tesela::emit {

std::unique_ptr<ParsedFunction>
parseFunction(std::shared_ptr<const Function> function, Diagnostics &diags) {
  auto parsed = std::make_unique<ParsedFunction>();
  // The text of a nested function or of a method is indented; a line before it
  // makes that right and leaves every position where it is.
  const std::string &text = function->source;
  bool isIndented = !text.empty() && (text[0] == ' ' || text[0] == '\t');
  parsed->source =
      isIndented ? Source::create(function->file, "if 1:\n" + text,
                                  function->firstLine - 1)
                 : Source::create(function->file, text, function->firstLine);
  Location start{parsed->source, function->firstLine, 0, function->firstLine,
                 0};
  // Its text need not be one that can be parsed.
  if (function->name == "<lambda>") {
    diags.error(DiagId::NoFunction, start,
                "a kernel is a `def`, and this is a `lambda`");
    return nullptr;
  }
  parsed->module = parseModule(parsed->source, diags);
  if (!parsed->module)
    return nullptr;
  const Stmts *body = &parsed->module->body;
  if (isIndented && !body->empty())
    if (auto *wrapper = llvm::dyn_cast<If>(body->front()))
      body = &wrapper->body;
  for (const Stmt *stmt : *body)
    if (auto *definition = llvm::dyn_cast<FunctionDef>(stmt);
        definition && !parsed->definition)
      parsed->definition = definition;
  if (!parsed->definition && !body->empty() &&
      llvm::isa<AsyncFunctionDef>(body->front())) {
    const Span &span = body->front()->span;
    diags.error(DiagId::NoFunction,
                {parsed->source, span.line, span.col, span.line, span.col},
                "a kernel is a plain `def`, and `" + function->name +
                    "` is an `async def`");
    return nullptr;
  }
  if (!parsed->definition) {
    diags.error(DiagId::NoFunction, start,
                "the text of `" + function->name +
                    "` does not begin with a `def`");
    return nullptr;
  }
  parsed->function = std::move(function);
  return parsed;
}

bool isConstexprAnnotation(const Expr *annotation) {
  if (!annotation)
    return false;
  if (auto *name = llvm::dyn_cast<Name>(annotation))
    return name->id == "constexpr";
  if (auto *attribute = llvm::dyn_cast<Attribute>(annotation))
    return attribute->attr == "constexpr";
  if (auto *text = llvm::dyn_cast<Constant>(annotation))
    return text->constant == ConstantKind::Str &&
           (text->text == "constexpr" ||
            llvm::StringRef(text->text).ends_with(".constexpr"));
  // `tl.constexpr[int]`.
  if (auto *subscript = llvm::dyn_cast<Subscript>(annotation))
    return isConstexprAnnotation(subscript->value);
  return false;
}

std::vector<std::pair<const Arg *, const Expr *>>
parametersOf(const FunctionDef &definition) {
  const syntax::Arguments &arguments = *definition.args;
  std::vector<std::pair<const Arg *, const Expr *>> list;
  for (const Arg *arg : arguments.posonlyargs)
    list.emplace_back(arg, nullptr);
  for (const Arg *arg : arguments.args)
    list.emplace_back(arg, nullptr);
  size_t first = list.size() - arguments.defaults.size();
  for (size_t i = 0; i < arguments.defaults.size(); ++i)
    list[first + i].second = arguments.defaults[i];
  for (size_t i = 0; i < arguments.kwonlyargs.size(); ++i)
    list.emplace_back(arguments.kwonlyargs[i], arguments.kwDefaults[i]);
  return list;
}

} // namespace tesela::emit
