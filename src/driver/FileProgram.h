//===- FileProgram.h - kernels in plain files -----------------------------===//
//
// What Python would find in a file's globals after running it, as far as that
// can be known without running it: imports, constants of simple expressions,
// jit functions. Everything else is there as an unsupported value that says
// what it is.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_DRIVER_FILEPROGRAM_H
#define TESELA_DRIVER_FILEPROGRAM_H

#include "support/Diagnostics.h"
#include "tesela/environment.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tesela {

namespace syntax {
struct FunctionDef;
struct Module;
} // namespace syntax

namespace driver {

/// One file. Its values name functions, files and what is imported from them
/// rather than hold them (see `Reference`), so that nothing owns itself.
struct FileModule {
  /// The path that imports are relative to.
  std::string path;
  SourceRef source;
  std::unique_ptr<syntax::Module> tree;
  std::map<std::string, Object> globals;
  std::map<std::string, const syntax::FunctionDef *> functions;
  /// The names of `functions`, in the order of the file.
  std::vector<std::string> order;
  /// What `from … import *` took in, the last first.
  std::vector<ModuleName> starImports;

  FileModule();
  ~FileModule();
};

/// All files that belong to one that was asked for; sibling files are read when
/// a name of theirs is needed. Safe to use from several threads.
class FileProgram : public std::enable_shared_from_this<FileProgram> {
public:
  /// Reads a file; null, with errors in `diags`, where it can't be read or is
  /// no Python.
  static std::shared_ptr<FileProgram> load(const std::string &path,
                                           Diagnostics &diags);
  /// The same of a text.
  static std::shared_ptr<FileProgram> parse(SourceRef source,
                                            Diagnostics &diags);

  /// The file that was asked for.
  const FileModule &file() const { return *root; }
  /// Its jit function of this name; null where there is none.
  std::shared_ptr<const Function> kernel(const std::string &name);

  /// The value of a global, with references followed.
  std::optional<Object> lookup(FileModule &module, const std::string &name);
  std::optional<Object> attribute(const ModuleName &module,
                                  const std::string &name);

private:
  FileModule *add(const std::string &path, SourceRef source,
                  Diagnostics &diags);
  /// Reads a file once; null where that fails, and then `error` says why.
  FileModule *sibling(const std::string &path, std::string &error);
  std::shared_ptr<const Function> function(FileModule &module,
                                           const std::string &name);
  Object resolve(const Object &value, unsigned depth);
  std::optional<Object> global(FileModule &module, const std::string &name,
                               unsigned depth);
  std::optional<Object> member(const ModuleName &module,
                               const std::string &name, unsigned depth);

  FileModule *root = nullptr;
  std::recursive_mutex mutex;
  std::map<std::string, std::unique_ptr<FileModule>> modules;
  std::map<std::string, std::string> failures;
  std::map<std::string, std::weak_ptr<const Function>> living;
};

/// Fills a module's globals from its tree. Names of other files are looked up
/// in `program`.
void readGlobals(FileProgram &program, FileModule &module);

/// What a value in `FileModule::globals` may stand for, written as the name of
/// a module that Python cannot have.
struct Reference {
  enum class Kind : uint8_t { File, Function, Import };
  Kind kind = Kind::File;
  std::string path;
  /// Of the function, or of what is imported.
  std::string name;

  ModuleName encode() const;
  static std::optional<Reference> decode(const ModuleName &module);
};

} // namespace driver
} // namespace tesela

#endif // TESELA_DRIVER_FILEPROGRAM_H
