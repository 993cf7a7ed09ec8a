//===- Compiler.h - the stages of one compilation, in order ---------------===//

#ifndef TESELA_DRIVER_COMPILER_H
#define TESELA_DRIVER_COMPILER_H

#include "driver/Contexts.h"
#include "driver/Targets.h"
#include "emit/Emit.h"
#include "support/Diagnostics.h"
#include "tesela/tesela.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tesela::driver {

/// Takes the text after each stage: "tile", "views", "cpu", "llvm", "asm".
/// Where the first parameter is asked for its text, it is printed.
using StageSink = std::function<void(const std::string &stage,
                                     const std::function<std::string()> &)>;

/// One compilation: `emit`, then `generate`.
class Compilation {
public:
  Compilation(const TargetRow &row, const emit::Request &request,
              Diagnostics &diags);
  ~Compilation();

  /// Interprets the kernel: the one part that asks its environment.
  bool emit();
  const std::vector<emit::Capture> &captures() const {
    return emitted->captures;
  }
  const std::string &printed() const { return emitted->printed; }

  /// The rest, down to machine code. `sourceLines` has the texts of MLIR stages
  /// name the lines of the kernel that they come from.
  bool generate(CompileOptions options, const StageSink &sink, bool sourceLines,
                Binary &binary);

  const std::vector<CompileReport::Stage> &stages() const { return times; }

private:
  void finishStage(const std::string &name);

  const TargetRow &row;
  const emit::Request &request;
  Diagnostics &diags;
  LentContext context;
  std::optional<emit::Emitted> emitted;
  std::vector<CompileReport::Stage> times;
  double stageBegin = 0;
};

} // namespace tesela::driver

#endif // TESELA_DRIVER_COMPILER_H
