//===- JitKernel.cpp - the launch path ------------------------------------===//
//
// A launch binds arguments, makes their key on the stack, finds the
// specialisation by its hash and the variant whose captured values still hold,
// packs the arguments and runs. Where code is missing, JitCompile.cpp gets it.
//
//===----------------------------------------------------------------------===//

#include "driver/JitKernel.h"
#include "driver/JitCall.h"
#include "emit/Outline.h"
#include "emit/ParsedFunction.h"
#include "support/Values.h"

namespace tesela::driver {

using runtime::LaunchProblem;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

std::unique_ptr<JitKernel>
JitKernel::create(std::shared_ptr<const Function> function, Session &session,
                  Diagnostics &diags) {
  std::optional<emit::Signature> signature =
      emit::readSignature(*function, diags);
  if (!signature || diags.hasErrors())
    return nullptr;
  return std::unique_ptr<JitKernel>(
      new JitKernel(std::move(function), std::move(*signature), session));
}

JitKernel::JitKernel(std::shared_ptr<const Function> given,
                     emit::Signature read, Session &session)
    : function(std::move(given)), signature(std::move(read)), session(session) {
  rules.name = signature.name;
  for (const emit::Parameter &parameter : signature.parameters) {
    runtime::ParameterRules rule;
    rule.name = parameter.name;
    rule.isConstexpr = parameter.isConstexpr;
    rule.annotatedType = parameter.annotatedType;
    rule.specialiseOne = !parameter.doNotSpecialize;
    rule.specialiseAlignment =
        !parameter.doNotSpecialize && !parameter.doNotSpecializeOnAlignment;
    rule.defaultValue = parameter.defaultValue;
    rules.parameters.push_back(std::move(rule));
    declared.push_back({parameter.name, parameter.isConstexpr,
                        parameter.defaultValue, parameter.annotatedType});
  }
  // Now that the defaults no longer move.
  for (runtime::ParameterRules &rule : rules.parameters)
    if (rule.defaultValue)
      rule.defaultArgument = argumentOf(*rule.defaultValue);
}

std::optional<Outline> JitKernel::outline(Diagnostics &diags) const {
  return emit::readOutline(function, diags);
}

/// The place of a parameter in the source; of the kernel's name for -1.
static Location parameterLocation(std::shared_ptr<const Function> function,
                                  int parameter) {
  Diagnostics ignored;
  std::unique_ptr<emit::ParsedFunction> parsed =
      emit::parseFunction(function, ignored);
  if (!parsed)
    return {};
  auto parameters = emit::parametersOf(*parsed->definition);
  if (parameter >= 0 && size_t(parameter) < parameters.size()) {
    const syntax::Span &span = parameters[size_t(parameter)].first->span;
    return {parsed->source, span.line, span.col, span.endLine, span.endCol};
  }
  int32_t line = parsed->definition->span.line;
  size_t column = parsed->source->line(line).find(function->name);
  if (column == std::string_view::npos)
    return {};
  return {parsed->source, line, int32_t(column), line,
          int32_t(column + function->name.size())};
}

bool JitKernel::refuse(const LaunchProblem &problem, Diagnostics &diags) const {
  diags.error(problem.id, parameterLocation(function, problem.parameter),
              problem.message);
  return false;
}

bool JitKernel::refuse(const char *verb, const runtime::RunError &error,
                       Diagnostics &diags) const {
  return refuse(
      {error.id, -1, "`" + rules.name + "` " + verb + ": " + error.text},
      diags);
}

//===----------------------------------------------------------------------===//
// From a call to its key
//===----------------------------------------------------------------------===//

/// The options as one word.
static uint64_t settingsWord(const LaunchOptions &options) {
  return uint64_t(options.numWarps) | uint64_t(options.numStages) << 16 |
         uint64_t(options.enableFpFusion) << 32;
}

static std::optional<LaunchProblem> checkOptions(const std::string &kernel,
                                                 const TargetFacts &facts,
                                                 const LaunchOptions &options) {
  int warps = options.numWarps;
  bool hasWarps = facts.warpSize > 1;
  if (warps < 1 || warps > (hasWarps ? 32 : 64) || (warps & (warps - 1)) != 0)
    return LaunchProblem{
        DiagId::LaunchOption, -1,
        "`num_warps` of `" + kernel + "` is " + std::to_string(warps) +
            "; it must be a power of two from 1 to " +
            (hasWarps ? "32, as a block has at most 1024 threads" : "64")};
  if (options.numStages < 0 || options.numStages > 255)
    return LaunchProblem{DiagId::LaunchOption, -1,
                         "`num_stages` of `" + kernel + "` is " +
                             std::to_string(options.numStages) +
                             "; it must be from 0 to 255"};
  return std::nullopt;
}

bool JitKernel::bind(const TargetRow &row, const CallArguments &call,
                     BoundCall &bound, Diagnostics &diags) const {
  if (auto problem = checkOptions(rules.name, row.facts, call.options))
    return refuse(*problem, diags);
  bool complete =
      call.named.empty() && call.positional.size() == rules.parameters.size();
  for (const Argument &argument : call.positional)
    complete = complete && argument.kind != Argument::Kind::Default;
  if (complete) {
    bound.arguments = call.positional;
  } else {
    bound.storage.resize(rules.parameters.size());
    if (auto problem =
            bindArguments(rules, call.positional, call.named, bound.storage))
      return refuse(*problem, diags);
    bound.arguments = bound.storage;
  }
  bound.key.target = &row;
  bound.key.settings = settingsWord(call.options);
  if (auto problem = makeKey(rules, bound.arguments, bound.key))
    return refuse(*problem, diags);
  return true;
}

emit::Request JitKernel::request(const runtime::Key &key,
                                 std::span<const Argument> bound,
                                 const LaunchOptions &options) const {
  using Kind = emit::Specialised::Kind;
  emit::Request result;
  result.function = function;
  result.numWarps = options.numWarps;
  result.numStages = options.numStages;
  for (size_t i = 0; i < bound.size(); ++i) {
    const runtime::ParameterKey &parameter = key.parameters[i];
    emit::Specialised specialised;
    switch (parameter.kind) {
    case runtime::ParameterKind::Constant:
      specialised.constant = objectOf(bound[i]);
      break;
    case runtime::ParameterKind::Pointer:
      specialised.kind = Kind::Pointer;
      break;
    case runtime::ParameterKind::Scalar:
      specialised.kind = Kind::Scalar;
      break;
    }
    specialised.dtype = parameter.dtype;
    specialised.divisibility = parameter.divisible ? 16 : 1;
    result.parameters.push_back(std::move(specialised));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

/// The memory behind all pointers; nothing where one is of unknown size.
static std::vector<runtime::MemorySpan>
memoryOf(const runtime::PackPlan &plan, std::span<const Argument> bound) {
  std::vector<runtime::MemorySpan> memory;
  for (const runtime::PackedSlot &slot : plan.slots) {
    const Argument &argument = bound[slot.parameter];
    if (!slot.isPointer)
      continue;
    if (argument.bytes == Argument::unknownBytes)
      return {};
    memory.push_back({argument.pointer, argument.bytes});
  }
  return memory;
}

runtime::RunOutcome JitKernel::runCode(const runtime::Code &code,
                                       const runtime::ExecutionContext &context,
                                       const runtime::PackPlan &plan,
                                       std::span<const Argument> bound,
                                       runtime::LaunchFrame &frame,
                                       runtime::RunError &error) const {
  std::vector<runtime::MemorySpan> memory;
  if (code.checksMemory())
    memory = memoryOf(plan, bound);
  frame.memory = memory;
  Unlocked unlocked(*function);
  return code.run(context, frame, error);
}

bool JitKernel::launch(const TargetRow &row,
                       const runtime::ExecutionContext &context,
                       const Grid &grid, const CallArguments &call,
                       Diagnostics &diags) {
  if (auto problem = checkGrid(rules, grid))
    return refuse(*problem, diags);
  BoundCall bound;
  if (!bind(row, call, bound, diags))
    return false;

  runtime::Specialisation *specialisation =
      table.find(bound.key, bound.arguments);
  runtime::Variant *variant = specialisation ? specialisation->find() : nullptr;
  if (!variant) {
    specialisation = &table.get(bound.key, bound.arguments);
    CompileReport report;
    variant = compileVariant(*specialisation, row,
                             request(bound.key, bound.arguments, call.options),
                             call.options, report, diags);
    if (!variant)
      return false;
  }

  alignas(16) char inlineBuffer[1024];
  llvm::SmallVector<char, 0> largeBuffer;
  char *buffer = inlineBuffer;
  if (variant->plan.bytes > sizeof inlineBuffer) {
    largeBuffer.resize(variant->plan.bytes);
    buffer = largeBuffer.data();
  }
  if (auto problem =
          packArguments(rules, variant->plan, bound.arguments, buffer))
    return refuse(*problem, diags);

  runtime::LaunchFrame frame;
  frame.arguments = buffer;
  frame.grid[0] = int32_t(grid.x);
  frame.grid[1] = int32_t(grid.y);
  frame.grid[2] = int32_t(grid.z);
  runtime::RunError error;
  runtime::RunOutcome outcome = runCode(*variant->fast, context, variant->plan,
                                        bound.arguments, frame, error);
  if (outcome == runtime::RunOutcome::NotAccepted) {
    const runtime::Code *code =
        variant->general.load(std::memory_order_acquire);
    if (!code)
      code = compileGeneral(*specialisation, *variant, row,
                            request(bound.key, bound.arguments, call.options),
                            call.options, diags);
    if (!code)
      return false;
    error = {DiagId::LaunchFailed, "its general code refuses the arguments"};
    outcome =
        runCode(*code, context, variant->plan, bound.arguments, frame, error);
  }
  return outcome == runtime::RunOutcome::Done ||
         refuse("cannot run", error, diags);
}

std::optional<CompileReport> JitKernel::compile(const TargetRow &row,
                                                const CallArguments &call,
                                                Diagnostics &diags) {
  BoundCall bound;
  if (!bind(row, call, bound, diags))
    return std::nullopt;
  runtime::Specialisation &specialisation =
      table.get(bound.key, bound.arguments);
  CompileReport report;
  report.origin = "memory";
  if (!specialisation.find() &&
      !compileVariant(specialisation, row,
                      request(bound.key, bound.arguments, call.options),
                      call.options, report, diags))
    return std::nullopt;
  return report;
}

} // namespace tesela::driver
