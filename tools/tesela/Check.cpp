//===- Check.cpp - tesela check: what is wrong with kernels ---------------===//

#include "ArgumentText.h"
#include "CommandLine.h"
#include "RunFile.h"

#include <algorithm>
#include <iostream>
#include <set>

namespace tesela::cli {

static constexpr const char *help = R"(usage: tesela check FILE… [options]

Reports what is wrong with the kernels of files: all that a compilation finds.
The types of arguments come from the options, or from the `# run:` lines of a
file. What neither says is guessed: pointers to fp32, ints, 64 for a constexpr.

  --arg NAME=TYPE the type of an argument, as for `tesela show`
  -D NAME=VALUE   the value of a constexpr
  --target=NAME   cpu, interp, cuda, or an architecture: cuda:80 … cuda:90a [cpu]
)";

namespace {

class Checker {
public:
  Checker(const Device &device, const ArgumentList &given)
      : device(device), given(given) {}

  void check(const std::string &path);
  bool foundErrors() const { return errors > 0; }
  void summarise() const {
    int others = kernels - helpers;
    std::cout << others << (others == 1 ? " kernel, " : " kernels, ");
    if (helpers > 0)
      std::cout << helpers << (helpers == 1 ? " helper, " : " helpers, ");
    std::cout << errors << (errors == 1 ? " error\n" : " errors\n");
  }

private:
  /// A jit function and what its text says.
  struct Candidate {
    Kernel kernel;
    Outline outline;
  };
  std::vector<Candidate> readKernels(const Module &module);
  void check(const Candidate &candidate, const RunFile *file, bool isCalled);
  void compileGuessed(const Candidate &candidate);
  template <typename T>
  bool report(const Result<T> &result) {
    if (!result)
      print(result.error().messages);
    return bool(result);
  }
  void print(const std::vector<Message> &messages) {
    for (const Message &message : messages) {
      // Kernels share what they call.
      if (message.severity == "error")
        ++errors;
      else if (!warned.insert(message.rendered).second)
        continue;
      std::cout << message.rendered;
    }
  }
  void compile(const Kernel &kernel, std::span<const NamedArgument> arguments,
               const LaunchOptions &options);

  const Device &device;
  const ArgumentList &given;
  /// Jit functions, and those of them that others call or that return
  /// something.
  int kernels = 0;
  int helpers = 0;
  int errors = 0;
  std::set<std::string> warned;
};

} // namespace

/// Whether it is given, or has a default.
static bool isKnown(const Parameter &parameter,
                    std::span<const NamedArgument> arguments) {
  return parameter.defaultValue.has_value() ||
         std::any_of(arguments.begin(), arguments.end(),
                     [&](const NamedArgument &argument) {
                       return argument.name == parameter.name;
                     });
}

void Checker::compile(const Kernel &kernel,
                      std::span<const NamedArgument> arguments,
                      const LaunchOptions &options) {
  Result<CompileReport> result = kernel.compile(device, {}, arguments, options);
  if (report(result))
    print(result->warnings);
}

/// What the options leave open, with floats behind pointers of the type given.
static std::string guess(const Kernel &kernel, const Outline &outline,
                         std::span<const NamedArgument> known,
                         std::string_view pointee, ArgumentList &guesses) {
  std::string said;
  for (size_t i = 0; i < kernel.parameters().size(); ++i) {
    const Parameter &parameter = kernel.parameters()[i];
    if (isKnown(parameter, known))
      continue;
    std::string text = outline.likelyArguments[i].second;
    if (text == "*fp32")
      text = "*" + std::string(pointee);
    if (parameter.type)
      text = signatureName(*parameter.type);
    else
      said += (said.empty() ? "" : ", ") + parameter.name + "=" + text;
    text = parameter.name + "=" + text;
    if (parameter.isConstexpr)
      guesses.addConstant(text);
    else
      guesses.addTyped(text);
  }
  return said;
}

void Checker::compileGuessed(const Candidate &candidate) {
  const Kernel &kernel = candidate.kernel;
  std::optional<Result<CompileReport>> first;
  std::string said;
  // Kernels that cast to halves before a product want halves in memory.
  for (std::string_view pointee : {"fp32", "fp16", "bf16"}) {
    std::vector<NamedArgument> arguments = given.matching(kernel);
    ArgumentList guesses;
    std::string guessed =
        guess(kernel, candidate.outline, arguments, pointee, guesses);
    arguments.insert(arguments.end(), guesses.arguments().begin(),
                     guesses.arguments().end());
    Result<CompileReport> result = kernel.compile(device, {}, arguments);
    if (result) {
      print(result->warnings);
      return;
    }
    if (!first) {
      first = std::move(result);
      said = std::move(guessed);
    }
  }
  report(*first);
  if (!said.empty())
    std::cout << "note: guessed for `" << kernel.name() << "`: " << said
              << "\n      where that is wrong, give `--arg NAME=TYPE` or "
                 "`-D NAME=VALUE`\n";
}

void Checker::check(const Candidate &candidate, const RunFile *file,
                    bool isCalled) {
  const Kernel &kernel = candidate.kernel;
  helpers += isCalled || candidate.outline.returnsValue;
  std::vector<NamedArgument> matching = given.matching(kernel);
  bool isComplete = std::all_of(
      kernel.parameters().begin(), kernel.parameters().end(),
      [&](const Parameter &parameter) { return isKnown(parameter, matching); });
  if (isComplete) {
    compile(kernel, matching, {});
    return;
  }
  bool hasRuns = false;
  for (const RunLine &run : file ? file->runs : std::vector<RunLine>()) {
    if (run.kernel != kernel.name())
      continue;
    hasRuns = true;
    ArgumentList list;
    for (const RunArgument &argument : run.arguments) {
      if (argument.isBuffer)
        list.add(argument.name,
                 Argument(reinterpret_cast<void *>(4096), *argument.dtype));
      else
        list.add(argument.name, Argument(argument.value));
    }
    compile(kernel, list.arguments(), run.options);
  }
  if (hasRuns || isCalled)
    return; // a called function is compiled with its callers
  if (candidate.outline.returnsValue)
    std::cout << "note: `" << kernel.name()
              << "` returns a value and no kernel of the file calls it; it is "
                 "not compiled\n";
  else
    compileGuessed(candidate);
}

std::vector<Checker::Candidate> Checker::readKernels(const Module &module) {
  std::vector<Candidate> candidates;
  for (const std::string &name : module.kernels()) {
    ++kernels;
    Result<Kernel> kernel = module.kernel(name);
    if (!report(kernel))
      continue;
    Result<Outline> outline = kernel->outline();
    if (report(outline))
      candidates.push_back({*kernel, *outline});
  }
  return candidates;
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
  std::vector<Candidate> candidates = readKernels(*module);
  std::set<std::string> called;
  for (const Candidate &candidate : candidates)
    for (const std::string &name : candidate.outline.calls)
      if (name != candidate.kernel.name())
        called.insert(name);
  for (const Candidate &candidate : candidates)
    check(candidate, file ? &*file : nullptr,
          called.count(candidate.kernel.name()) != 0);
}

int runCheck(CommandLine line) {
  ArgumentList arguments;
  std::vector<std::string> paths;
  std::string target = "cpu";
  while (!line.isDone()) {
    std::string problem;
    if (line.takeFlag("--help") || line.takeFlag("-h")) {
      std::cout << help;
      return Success;
    } else if (auto value = line.takeOption("--arg")) {
      problem = arguments.addTyped(*value);
    } else if (auto value = line.takeOption("-D")) {
      problem = arguments.addConstant(*value);
    } else if (auto value = line.takeOption("--target")) {
      target = *value;
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
  Result<Device> device = Device::named(target);
  if (!device) {
    std::cerr << device.error().text();
    return Usage;
  }
  Checker checker(*device, arguments);
  for (const std::string &path : paths)
    checker.check(path);
  checker.summarise();
  return checker.foundErrors() ? Failure : Success;
}

} // namespace tesela::cli
