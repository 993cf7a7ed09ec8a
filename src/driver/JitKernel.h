//===- JitKernel.h - a kernel that compiles itself when launched ----------===//

#ifndef TESELA_DRIVER_JITKERNEL_H
#define TESELA_DRIVER_JITKERNEL_H

#include "driver/Compiler.h"
#include "driver/Session.h"
#include "emit/Emit.h"
#include "runtime/Specialisation.h"
#include "runtime/ThreadPool.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tesela::driver {

/// What a call gives besides the grid.
struct CallArguments {
  std::span<const Argument> positional;
  std::span<const NamedArgument> named;
  LaunchOptions options;
};

class JitKernel {
public:
  /// Null, with errors in `diags`, where the function's parameters are wrong.
  static std::unique_ptr<JitKernel>
  create(std::shared_ptr<const Function> function, Session &session,
         Diagnostics &diags);

  const std::string &name() const { return rules.name; }
  const std::vector<Parameter> &parameters() const { return declared; }

  std::optional<Outline> outline(Diagnostics &diags) const;

  /// False, with errors in `diags`, where nothing was run.
  bool launch(const TargetRow &row, const runtime::ExecutionContext &context,
              const Grid &grid, const CallArguments &call, Diagnostics &diags);

  std::optional<CompileReport>
  compile(const TargetRow &row, const CallArguments &call, Diagnostics &diags);

  std::optional<std::string> show(const TargetRow &row, std::string_view stage,
                                  const CallArguments &call, bool sourceLines,
                                  Diagnostics &diags);

private:
  /// A call whose arguments are bound and whose key is known.
  struct BoundCall;
  struct Loaded;

  JitKernel(std::shared_ptr<const Function> function, emit::Signature signature,
            Session &session);

  bool bind(const TargetRow &row, const CallArguments &call, BoundCall &bound,
            Diagnostics &diags) const;
  bool refuse(const runtime::LaunchProblem &problem, Diagnostics &diags) const;
  /// Says that the kernel `verb` ("cannot run"), and why.
  bool refuse(const char *verb, const runtime::RunError &error,
              Diagnostics &diags) const;
  runtime::RunOutcome
  runCode(const runtime::Code &code, const runtime::ExecutionContext &context,
          const runtime::PackPlan &plan, std::span<const Argument> bound,
          runtime::LaunchFrame &frame, runtime::RunError &error) const;
  emit::Request request(const runtime::Key &key,
                        std::span<const Argument> bound,
                        const LaunchOptions &options) const;
  std::string settings(const TargetRow &row,
                       const CompileOptions &options) const;

  runtime::Variant *compileVariant(runtime::Specialisation &specialisation,
                                   const TargetRow &row,
                                   const emit::Request &request,
                                   const LaunchOptions &options,
                                   CompileReport &report, Diagnostics &diags);
  const runtime::Code *compileGeneral(runtime::Specialisation &specialisation,
                                      runtime::Variant &variant,
                                      const TargetRow &row,
                                      const emit::Request &request,
                                      const LaunchOptions &options,
                                      Diagnostics &diags);
  std::optional<Loaded> obtain(const TargetRow &row,
                               const emit::Request &request,
                               const CompileOptions &options,
                               CompileReport &report, Diagnostics &diags);
  std::optional<Loaded> fromDisk(const TargetRow &row,
                                 const emit::Request &request,
                                 const std::string &key);
  void toDisk(const emit::Request &request, const std::string &key,
              const std::vector<emit::Capture> &captures, const Binary &binary);
  StageSink dumpSink(const std::string &key) const;

  std::shared_ptr<const Function> function;
  emit::Signature signature;
  Session &session;
  runtime::KernelRules rules;
  std::vector<Parameter> declared;
  runtime::SpecialisationTable table;
};

} // namespace tesela::driver

#endif // TESELA_DRIVER_JITKERNEL_H
