//===- FileProgram.cpp - kernels in plain files ---------------------------===//

#include "driver/FileProgram.h"

#include "driver/HostExpression.h"
#include "syntax/Ast.h"
#include "syntax/Parser.h"

#include <filesystem>
#include <limits>
#include <numbers>

namespace tesela::driver {

namespace fs = std::filesystem;

FileModule::FileModule() = default;
FileModule::~FileModule() = default;

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

// "\x01file\x01PATH\x01NAME": no name in a Python file has such characters.
static constexpr char mark = '\x01';

ModuleName Reference::encode() const {
  static constexpr const char *words[] = {"file", "function", "import"};
  return {mark + std::string(words[size_t(kind)]) + mark + path + mark + name};
}

std::optional<Reference> Reference::decode(const ModuleName &module) {
  const std::string &text = module.path;
  if (text.empty() || text[0] != mark)
    return std::nullopt;
  size_t second = text.find(mark, 1);
  size_t last = text.rfind(mark);
  std::string word = text.substr(1, second - 1);
  Reference result;
  result.kind = word == "file"       ? Kind::File
                : word == "function" ? Kind::Function
                                     : Kind::Import;
  result.path = text.substr(second + 1, last - second - 1);
  result.name = text.substr(last + 1);
  return result;
}

//===----------------------------------------------------------------------===//
// The environment of a function in a file
//===----------------------------------------------------------------------===//

namespace {

class FileEnvironment final : public Environment {
public:
  FileEnvironment(std::shared_ptr<FileProgram> program, FileModule &module)
      : program(std::move(program)), module(module) {}

  std::optional<Object> lookup(const std::string &name) override {
    return program->lookup(module, name);
  }
  std::optional<Object> attribute(const ModuleName &owner,
                                  const std::string &name) override {
    return program->attribute(owner, name);
  }
  // A file is read once, and nothing changes its values.
  uint64_t identity(const std::string &) override { return 1; }
  uint64_t identity(const ModuleName &, const std::string &) override {
    return 1;
  }

private:
  std::shared_ptr<FileProgram> program;
  FileModule &module;
};

} // namespace

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

std::shared_ptr<FileProgram> FileProgram::load(const std::string &path,
                                               Diagnostics &diags) {
  std::string error;
  SourceRef source = Source::read(path, error);
  if (!source) {
    diags.error(DiagId::CannotRead, {}, error);
    return nullptr;
  }
  return parse(std::move(source), diags);
}

std::shared_ptr<FileProgram> FileProgram::parse(SourceRef source,
                                                Diagnostics &diags) {
  auto program = std::make_shared<FileProgram>();
  std::string name = source->name();
  std::lock_guard lock(program->mutex);
  program->root = program->add(name, std::move(source), diags);
  return program->root ? program : nullptr;
}

static std::string normalised(const std::string &path) {
  std::error_code ignored;
  fs::path absolute = fs::absolute(path, ignored);
  return absolute.empty() ? path : absolute.lexically_normal().string();
}

FileModule *FileProgram::add(const std::string &path, SourceRef source,
                             Diagnostics &diags) {
  std::unique_ptr<syntax::Module> tree = syntax::parseModule(source, diags);
  if (!tree)
    return nullptr;
  auto owned = std::make_unique<FileModule>();
  FileModule *module = owned.get();
  module->path = normalised(path);
  module->source = std::move(source);
  module->tree = std::move(tree);
  // Before it is read, so that files that import each other find it.
  modules[module->path] = std::move(owned);
  readGlobals(*this, *module);
  return module;
}

FileModule *FileProgram::sibling(const std::string &path, std::string &error) {
  if (auto found = modules.find(path); found != modules.end())
    return found->second.get();
  if (auto found = failures.find(path); found != failures.end()) {
    error = found->second;
    return nullptr;
  }
  SourceRef source = Source::read(path, error);
  Diagnostics diags;
  FileModule *module = source ? add(path, source, diags) : nullptr;
  if (!module) {
    if (source) {
      const Diagnostic &first = diags.all().front();
      error = "`" + path + "`, which line " +
              std::to_string(first.location.line) +
              " makes invalid: " + first.message;
    }
    failures[path] = error;
  }
  return module;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Whole lines, from the first decorator to the last line of the body.
static std::string linesOf(const Source &source, int32_t first, int32_t last) {
  std::string result;
  for (int32_t line = first; line <= last; ++line)
    result += std::string(source.line(line)) + "\n";
  return result;
}

static bool isTrueConstant(const syntax::Expr *expression) {
  auto *constant = expression->kind == syntax::NodeKind::Constant
                       ? static_cast<const syntax::Constant *>(expression)
                       : nullptr;
  return constant && constant->constant == syntax::ConstantKind::True;
}

static bool isNoinline(const syntax::FunctionDef &definition) {
  for (const syntax::Expr *decorator : definition.decoratorList)
    if (decorator->kind == syntax::NodeKind::Call)
      for (const syntax::Keyword *keyword :
           static_cast<const syntax::Call *>(decorator)->keywords)
        if (keyword->arg == "noinline" && isTrueConstant(keyword->value))
          return true;
  return false;
}

std::shared_ptr<const Function> FileProgram::function(FileModule &module,
                                                      const std::string &name) {
  std::weak_ptr<const Function> &place = living[module.path + mark + name];
  if (std::shared_ptr<const Function> alive = place.lock())
    return alive;
  const syntax::FunctionDef &definition = *module.functions.at(name);
  auto result = std::make_shared<Function>();
  int32_t first = definition.span.line;
  for (const syntax::Expr *decorator : definition.decoratorList)
    first = std::min(first, decorator->span.line);
  result->name = name;
  result->file = module.source->name();
  result->firstLine = first;
  result->source = linesOf(*module.source, first, definition.span.endLine);
  result->environment =
      std::make_shared<FileEnvironment>(shared_from_this(), module);
  result->noinline = isNoinline(definition);
  place = result;
  return result;
}

std::shared_ptr<const Function> FileProgram::kernel(const std::string &name) {
  std::lock_guard lock(mutex);
  return root->functions.count(name) ? function(*root, name) : nullptr;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::optional<Object> FileProgram::lookup(FileModule &module,
                                          const std::string &name) {
  std::lock_guard lock(mutex);
  return global(module, name, 0);
}

std::optional<Object> FileProgram::attribute(const ModuleName &module,
                                             const std::string &name) {
  std::lock_guard lock(mutex);
  return member(module, name, 0);
}

std::optional<Object> FileProgram::global(FileModule &module,
                                          const std::string &name,
                                          unsigned depth) {
  if (auto found = module.globals.find(name); found != module.globals.end())
    return resolve(found->second, depth + 1);
  if (depth < 64)
    for (const ModuleName &star : module.starImports)
      if (std::optional<Object> found = member(star, name, depth + 1))
        return found;
  if (name == "__name__")
    return Object{fs::path(module.path).stem().string()};
  return std::nullopt;
}

Object FileProgram::resolve(const Object &value, unsigned depth) {
  if (depth > 64)
    return {Object::Unsupported{"an import that leads back to itself"}};
  if (auto *items = std::get_if<Object::Tuple>(&value.value)) {
    Object::Tuple result;
    for (const Object &item : *items)
      result.push_back(resolve(item, depth + 1));
    return {std::move(result)};
  }
  auto *module = std::get_if<ModuleName>(&value.value);
  std::optional<Reference> reference =
      module ? Reference::decode(*module) : std::nullopt;
  if (!reference || reference->kind == Reference::Kind::File)
    return value;
  std::string error;
  FileModule *file = sibling(reference->path, error);
  if (!file)
    return {Object::Unsupported{"a name from " + error}};
  if (reference->kind == Reference::Kind::Function)
    return {function(*file, reference->name)};
  if (std::optional<Object> found = global(*file, reference->name, depth + 1))
    return *found;
  return {Object::Unsupported{"a name that `" + reference->path +
                              "` does not define"}};
}

/// `math.NAME`.
static std::optional<Object> mathConstant(const std::string &name) {
  if (name == "pi")
    return Object{std::numbers::pi};
  if (name == "e")
    return Object{std::numbers::e};
  if (name == "tau")
    return Object{2 * std::numbers::pi};
  if (name == "inf")
    return Object{std::numeric_limits<double>::infinity()};
  if (name == "nan")
    return Object{std::numeric_limits<double>::quiet_NaN()};
  return Object{ModuleName{"math." + name}};
}

std::optional<Object> FileProgram::member(const ModuleName &module,
                                          const std::string &name,
                                          unsigned depth) {
  if (std::optional<Reference> reference = Reference::decode(module)) {
    std::string error;
    FileModule *file = sibling(reference->path, error);
    if (!file)
      return Object{Object::Unsupported{"a name from " + error}};
    return global(*file, name, depth + 1);
  }
  if (module.path == "math")
    return mathConstant(name);
  if (module.path == "triton.language")
    if (std::optional<DType> dtype = parseDType(name);
        dtype && languageName(*dtype) == name)
      return Object{*dtype};
  if (module.path == "triton" && name == "cdiv")
    return Object{ModuleName{"triton.language.cdiv"}};
  std::string path = module.path + "." + name;
  if (path.starts_with("triton."))
    return Object{ModuleName{path}};
  return Object{Object::Unsupported{"`" + path +
                                    "`, which is outside the "
                                    "files of kernels"}};
}

} // namespace tesela::driver
