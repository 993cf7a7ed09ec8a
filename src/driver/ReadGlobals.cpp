//===- ReadGlobals.cpp - what a file's top level defines ------------------===//
//
// Walks the statements in order, as running them would, and keeps what it can
// know. A branch on an unknown condition, a loop and the like leave the names
// they assign unsupported, rather than guessed.
//
//===----------------------------------------------------------------------===//

#include "driver/FileProgram.h"
#include "driver/HostExpression.h"
#include "support/Values.h"
#include "syntax/Ast.h"

#include "llvm/Support/Casting.h"

#include <algorithm>
#include <filesystem>

namespace tesela::driver {

namespace fs = std::filesystem;
using namespace syntax;
using llvm::dyn_cast;
using llvm::isa;

/// "tesela" is another name of "triton".
static std::string canonicalModule(const std::string &path) {
  std::string head = path.substr(0, path.find('.'));
  return head == "tesela" ? "triton" + path.substr(6) : path;
}

static bool isLanguage(const std::string &path) {
  return path == "triton" || path.starts_with("triton.");
}

namespace {

class GlobalsReader {
public:
  GlobalsReader(FileProgram &program, FileModule &module)
      : program(program), module(module) {
    scope.lookup = [this](const std::string &name) { return find(name); };
    scope.attribute = [this](const ModuleName &owner, const std::string &name) {
      return this->program.attribute(owner, name);
    };
  }

  void run(const Stmts &body) {
    for (const Stmt *statement : body)
      run(statement);
  }

private:
  void run(const Stmt *statement);
  void define(const Expr *target, const Object &value);
  void assign(const Assign &node);
  void defineFunction(const FunctionDef &node);
  void import(const Import &node);
  void importFrom(const ImportFrom &node);
  void branch(const If &node);
  void forget(const Stmts &body, const std::string &what);

  std::optional<Object> find(const std::string &name);
  bool isJit(const Expr *decorator);
  std::optional<std::string> fileOf(const std::string &dotted, int32_t level);

  FileProgram &program;
  FileModule &module;
  HostScope scope;
};

} // namespace

/// A value of this file itself keeps its references; one of another file is
/// looked up there.
std::optional<Object> GlobalsReader::find(const std::string &name) {
  auto found = module.globals.find(name);
  if (found == module.globals.end())
    return program.lookup(module, name);
  auto *owner = std::get_if<ModuleName>(&found->second.value);
  std::optional<Reference> reference =
      owner ? Reference::decode(*owner) : std::nullopt;
  if (reference && reference->kind == Reference::Kind::Import)
    if (std::optional<Object> value = program.lookup(module, name))
      if (!std::holds_alternative<Object::FunctionRef>(value->value))
        return value;
  return found->second;
}

void GlobalsReader::run(const Stmt *statement) {
  switch (statement->kind) {
  case NodeKind::Assign:
    return assign(*llvm::cast<Assign>(statement));
  case NodeKind::AnnAssign: {
    auto &node = *llvm::cast<AnnAssign>(statement);
    if (node.value)
      define(node.target, evaluateHost(node.value, scope));
    return;
  }
  case NodeKind::AugAssign: {
    auto &node = *llvm::cast<AugAssign>(statement);
    if (auto *name = dyn_cast<Name>(node.target))
      define(name, evaluateHostBinary(
                       node.op,
                       find(name->id).value_or(Object{
                           Object::Unsupported{"a name without a value"}}),
                       evaluateHost(node.value, scope)));
    return;
  }
  case NodeKind::FunctionDef:
    return defineFunction(*llvm::cast<FunctionDef>(statement));
  case NodeKind::Import:
    return import(*llvm::cast<Import>(statement));
  case NodeKind::ImportFrom:
    return importFrom(*llvm::cast<ImportFrom>(statement));
  case NodeKind::If:
    return branch(*llvm::cast<If>(statement));
  case NodeKind::Try:
  case NodeKind::TryStar: {
    // What a file tries at its top level is mostly an import, and succeeds.
    auto &node = *static_cast<const TryBase *>(statement);
    run(node.body);
    run(node.orelse);
    return run(node.finalbody);
  }
  case NodeKind::With:
  case NodeKind::AsyncWith:
    return run(static_cast<const WithBase *>(statement)->body);
  case NodeKind::Delete:
    for (const Expr *target : llvm::cast<Delete>(statement)->targets)
      if (auto *name = dyn_cast<Name>(target)) {
        module.globals.erase(name->id);
        module.functions.erase(name->id);
        std::erase(module.order, name->id);
      }
    return;
  default:
    return forget({const_cast<Stmt *>(statement)},
                  "a value that the file's own code computes");
  }
}

void GlobalsReader::define(const Expr *target, const Object &value) {
  if (auto *name = dyn_cast<Name>(target)) {
    module.globals[name->id] = value;
    return;
  }
  const Exprs *targets = nullptr;
  if (auto *tuple = dyn_cast<Tuple>(target))
    targets = &tuple->elts;
  else if (auto *list = dyn_cast<List>(target))
    targets = &list->elts;
  if (!targets)
    return; // an attribute or an element: no global of this file
  auto *items = std::get_if<Object::Tuple>(&value.value);
  bool fits = items && items->size() == targets->size() &&
              std::none_of(targets->begin(), targets->end(),
                           [](const Expr *e) { return isa<Starred>(e); });
  for (size_t i = 0; i < targets->size(); ++i) {
    const Expr *each = (*targets)[i];
    if (auto *starred = dyn_cast<Starred>(each))
      each = starred->value;
    define(each, fits ? (*items)[i]
                      : Object{Object::Unsupported{
                            "a part of a value that is not a known tuple"}});
  }
}

void GlobalsReader::assign(const Assign &node) {
  Object value = evaluateHost(node.value, scope);
  for (const Expr *target : node.targets)
    define(target, value);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

bool GlobalsReader::isJit(const Expr *decorator) {
  if (auto *call = dyn_cast<Call>(decorator))
    decorator = call->func;
  Object value = evaluateHost(decorator, scope);
  auto *name = std::get_if<ModuleName>(&value.value);
  return name &&
         (name->path == "triton.jit" || name->path == "triton.runtime.jit" ||
          name->path == "triton.runtime.jit.jit");
}

void GlobalsReader::defineFunction(const FunctionDef &node) {
  bool jit = std::any_of(node.decoratorList.begin(), node.decoratorList.end(),
                         [&](const Expr *e) { return isJit(e); });
  module.functions.erase(node.name);
  std::erase(module.order, node.name);
  if (!jit) {
    module.globals[node.name] = {
        Object::Unsupported{"a Python function without `@triton.jit`"}};
    return;
  }
  module.functions[node.name] = &node;
  module.order.push_back(node.name);
  module.globals[node.name] = {
      Reference{Reference::Kind::Function, module.path, node.name}.encode()};
}

//===----------------------------------------------------------------------===//
// Imports
//===----------------------------------------------------------------------===//

/// The file of a module: `level` folders up from this one, or, absolute, in
/// this file's folder or the root of its package.
std::optional<std::string> GlobalsReader::fileOf(const std::string &dotted,
                                                 int32_t level) {
  std::string relative = dotted;
  std::replace(relative.begin(), relative.end(), '.', '/');
  auto existing = [&](const fs::path &folder) -> std::optional<std::string> {
    std::error_code ignored;
    fs::path base = relative.empty() ? folder : folder / relative;
    if (!relative.empty() &&
        fs::is_regular_file(base.string() + ".py", ignored))
      return fs::path(base.string() + ".py").lexically_normal().string();
    if (fs::is_regular_file(base / "__init__.py", ignored))
      return (base / "__init__.py").lexically_normal().string();
    return std::nullopt;
  };
  fs::path folder = fs::path(module.path).parent_path();
  for (int32_t i = 1; i < level; ++i)
    folder = folder.parent_path();
  if (std::optional<std::string> found = existing(folder))
    return found;
  if (level > 0)
    return std::nullopt;
  std::error_code ignored;
  while (fs::exists(folder / "__init__.py", ignored) &&
         folder.has_relative_path()) {
    folder = folder.parent_path();
    if (std::optional<std::string> found = existing(folder))
      return found;
  }
  return std::nullopt;
}

void GlobalsReader::import(const Import &node) {
  for (const Alias *alias : node.names) {
    std::string path = canonicalModule(alias->name);
    std::string head = path.substr(0, path.find('.'));
    // `import a.b` binds `a`; `import a.b as c` binds `a.b`.
    std::string bound = alias->asname.empty()
                            ? alias->name.substr(0, alias->name.find('.'))
                            : alias->asname;
    std::string named = alias->asname.empty() ? head : path;
    Object value = {ModuleName{named}};
    if (!isLanguage(path))
      if (std::optional<std::string> file = fileOf(named, 0))
        value = {Reference{Reference::Kind::File, *file, ""}.encode()};
    module.globals[bound] = std::move(value);
  }
}

void GlobalsReader::importFrom(const ImportFrom &node) {
  std::string path = canonicalModule(node.module);
  if (node.level == 0 && path == "__future__")
    return;
  bool language = node.level == 0 && isLanguage(path);
  std::optional<std::string> file =
      language ? std::nullopt : fileOf(node.module, node.level);
  for (const Alias *alias : node.names) {
    ModuleName owner = {path};
    if (file)
      owner = Reference{Reference::Kind::File, *file, ""}.encode();
    if (alias->name == "*") {
      module.starImports.insert(module.starImports.begin(), owner);
      continue;
    }
    const std::string &bound =
        alias->asname.empty() ? alias->name : alias->asname;
    // A module of a package, unless the package defines such a name itself.
    std::string dotted =
        node.module.empty() ? alias->name : node.module + "." + alias->name;
    std::optional<std::string> submodule =
        language ? std::nullopt : fileOf(dotted, node.level);
    Object value;
    if (submodule) {
      value = {Reference{Reference::Kind::File, *submodule, ""}.encode()};
    } else if (file) {
      value = {Reference{Reference::Kind::Import, *file, alias->name}.encode()};
    } else if (node.level > 0) {
      value = {Object::Unsupported{
          "a name from `" + std::string(size_t(node.level), '.') + node.module +
          "`, for which there is no file"}};
    } else {
      value = program.attribute(owner, alias->name)
                  .value_or(Object{ModuleName{path + "." + alias->name}});
    }
    module.globals[bound] = std::move(value);
  }
}

//===----------------------------------------------------------------------===//
// What may or may not run
//===----------------------------------------------------------------------===//

void GlobalsReader::branch(const If &node) {
  std::optional<bool> truth = hostTruth(evaluateHost(node.test, scope));
  if (truth)
    return run(*truth ? node.body : node.orelse);
  // Either side may run. Functions and imports of both are kept, the first of
  // each name; values that depend on the condition are not known.
  std::map<std::string, Object> before = module.globals;
  run(node.orelse);
  std::map<std::string, Object> orelse = module.globals;
  run(node.body);
  for (auto &[name, value] : module.globals) {
    if (std::holds_alternative<ModuleName>(value.value) ||
        std::holds_alternative<Object::Unsupported>(value.value))
      continue;
    auto differs = [&](const std::map<std::string, Object> &other) {
      auto found = other.find(name);
      return found == other.end() || !sameValue(found->second, value);
    };
    if (differs(before) || differs(orelse))
      value = {Object::Unsupported{
          "a value that depends on a condition of the file's own code"}};
  }
}

/// Marks every name that the statements assign.
void GlobalsReader::forget(const Stmts &body, const std::string &what) {
  for (const Stmt *statement : body) {
    if (auto *loop = dyn_cast<For>(statement)) {
      define(loop->target, {Object::Unsupported{what}});
      forget(loop->body, what);
      forget(loop->orelse, what);
    } else if (auto *loop = dyn_cast<While>(statement)) {
      forget(loop->body, what);
      forget(loop->orelse, what);
    } else if (auto *choice = dyn_cast<If>(statement)) {
      forget(choice->body, what);
      forget(choice->orelse, what);
    } else if (auto *assignment = dyn_cast<Assign>(statement)) {
      for (const Expr *target : assignment->targets)
        define(target, {Object::Unsupported{what}});
    } else if (auto *assignment = dyn_cast<AugAssign>(statement)) {
      define(assignment->target, {Object::Unsupported{what}});
    } else if (auto *assignment = dyn_cast<AnnAssign>(statement)) {
      define(assignment->target, {Object::Unsupported{what}});
    } else if (auto *type = dyn_cast<ClassDef>(statement)) {
      module.globals[type->name] = {Object::Unsupported{"a class"}};
    } else if (auto *function = dyn_cast<AsyncFunctionDef>(statement)) {
      module.globals[function->name] = {
          Object::Unsupported{"an asynchronous function"}};
    }
  }
}

void readGlobals(FileProgram &program, FileModule &module) {
  GlobalsReader(program, module).run(module.tree->body);
}

} // namespace tesela::driver
