//===- Check.cpp - tesela check: what is wrong with kernels ---------------===//

#include "ArgumentText.h"
#include "CommandLine.h"
#include "RunFile.h"

#include <iostream>

namespace tesela::cli {

static constexpr const char *help = R"(usage: tesela check FILE… [options]

Reports what is wrong with the kernels of files: their syntax, their parameters,
and, where the types of the arguments are known, all that a compilation finds.
Types come from the options, or from the `# run:` lines of a file.

  --arg NAME=TYPE the type of an argument, as for `tesela show`
  -D NAME=VALUE   the value of a constexpr
)";

namespace {

class Checker {
public:
  explicit Checker(const ArgumentList &given) : given(given) {}

  void check(const std::string &path);
  bool foundErrors() const { return errors > 0; }
  void summarise() const {
    std::cout << kernels << (kernels == 1 ? " kernel, " : " kernels, ")
              << compiled << " compiled, " << errors
              << (errors == 1 ? " error\n" : " errors\n");
  }

private:
  template <typename T>
  bool report(const Result<T> &result) {
    if (result)
      return true;
    for (const Message &message : result.error().messages) {
      std::cout << message.rendered;
      errors += message.severity == "error";
    }
    return false;
  }
  void compile(const Kernel &kernel, std::span<const NamedArgument> arguments,
               const LaunchOptions &options);

  const ArgumentList &given;
  int kernels = 0;
  int compiled = 0;
  int errors = 0;
};

} // namespace

/// Whether every parameter has an argument or a default.
static bool isComplete(const Kernel &kernel,
                       std::span<const NamedArgument> arguments) {
  for (const Parameter &parameter : kernel.parameters()) {
    bool known = parameter.defaultValue.has_value();
    for (const NamedArgument &argument : arguments)
      known = known || argument.name == parameter.name;
    if (!known)
      return false;
  }
  return true;
}

void Checker::compile(const Kernel &kernel,
                      std::span<const NamedArgument> arguments,
                      const LaunchOptions &options) {
  ++compiled;
  report(kernel.compile(Device::cpu(), {}, arguments, options));
}

void Checker::check(const std::string &path) {
  Result<Module> module = Module::load(path);
  if (!report(module))
    return;
  std::string error;
  std::optional<RunFile> file = readRunFile(path, error);
  if (!file) {
    std::cout << error << "\n";
    ++errors;
  }
  for (const std::string &name : module->kernels()) {
    ++kernels;
    Result<Kernel> kernel = module->kernel(name);
    if (!report(kernel))
      continue;
    std::vector<NamedArgument> matching = given.matching(*kernel);
    if (isComplete(*kernel, matching)) {
      compile(*kernel, matching, {});
      continue;
    }
    for (const RunLine &run : file ? file->runs : std::vector<RunLine>()) {
      if (run.kernel != name)
        continue;
      ArgumentList list;
      for (const RunArgument &argument : run.arguments) {
        if (argument.isBuffer)
          list.add(argument.name,
                   Argument(reinterpret_cast<void *>(4096), *argument.dtype));
        else
          list.add(argument.name, Argument(argument.value));
      }
      compile(*kernel, list.arguments(), run.options);
    }
  }
}

int runCheck(CommandLine line) {
  ArgumentList arguments;
  std::vector<std::string> paths;
  while (!line.isDone()) {
    std::string problem;
    if (line.takeFlag("--help") || line.takeFlag("-h")) {
      std::cout << help;
      return Success;
    } else if (auto value = line.takeOption("--arg")) {
      problem = arguments.addTyped(*value);
    } else if (auto value = line.takeOption("-D")) {
      problem = arguments.addConstant(*value);
    } else if (auto word = line.takeWord()) {
      paths.push_back(*word);
    } else {
      return line.failUnknown();
    }
    if (!problem.empty())
      return line.fail(problem);
  }
  if (paths.empty())
    return line.fail("which files?");
  Checker checker(arguments);
  for (const std::string &path : paths)
    checker.check(path);
  checker.summarise();
  return checker.foundErrors() ? Failure : Success;
}

} // namespace tesela::cli
