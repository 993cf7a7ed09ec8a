//===- Kernel.cpp - kernels of the API ------------------------------------===//

#include "api/State.h"

namespace tesela {

Kernel::Kernel(std::shared_ptr<detail::KernelState> state)
    : state(std::move(state)) {}

Result<Kernel> Kernel::create(std::shared_ptr<const Function> function) {
  if (!function || !function->environment)
    return makeError(DiagId::NoFunction,
                     function ? "`" + function->name + "` has no environment"
                              : "there is no function");
  Diagnostics diags;
  std::shared_ptr<Environment> environment = function->environment;
  std::unique_ptr<driver::JitKernel> kernel = driver::JitKernel::create(
      std::move(function), driver::Session::get(), diags);
  if (!kernel)
    return takeError(diags);
  return Kernel(std::make_shared<detail::KernelState>(std::move(kernel),
                                                      std::move(environment)));
}

std::vector<Message> detail::KernelState::takeWarnings(Diagnostics &diags) {
  if (diags.all().empty())
    return {};
  std::vector<Message> warnings = takeError(diags).messages;
  std::lock_guard lock(mutex);
  std::erase_if(warnings, [&](const Message &warning) {
    return !given.insert(warning.rendered).second;
  });
  return warnings;
}

const std::string &Kernel::name() const { return state->kernel->name(); }

const std::vector<Parameter> &Kernel::parameters() const {
  return state->kernel->parameters();
}

Result<Outline> Kernel::outline() const {
  Diagnostics diags;
  if (std::optional<Outline> outline = state->kernel->outline(diags))
    return std::move(*outline);
  return takeError(diags);
}

Result<Done> Kernel::launch(const Device &device, const Grid &grid,
                            std::span<const Argument> arguments,
                            std::span<const NamedArgument> named,
                            const LaunchOptions &options) const {
  Diagnostics diags;
  const detail::DeviceState &where = *device.impl();
  if (state->kernel->launch(*where.row, {where.pool.get(), options.stream},
                            grid, {arguments, named, options}, diags)) {
    if (!diags.all().empty())
      for (const Message &warning : state->takeWarnings(diags))
        state->environment->warn(warning);
    return Done();
  }
  return takeError(diags);
}

Result<Done> Kernel::launch(const Device &device, const Grid &grid,
                            std::initializer_list<Argument> arguments,
                            std::initializer_list<NamedArgument> named,
                            const LaunchOptions &options) const {
  return launch(device, grid, std::span(arguments.begin(), arguments.size()),
                std::span(named.begin(), named.size()), options);
}

Result<CompileReport> Kernel::compile(const Device &device,
                                      std::span<const Argument> arguments,
                                      std::span<const NamedArgument> named,
                                      const LaunchOptions &options) const {
  Diagnostics diags;
  std::optional<CompileReport> report = state->kernel->compile(
      *device.impl()->row, {arguments, named, options}, diags);
  if (report) {
    report->warnings = state->takeWarnings(diags);
    return std::move(*report);
  }
  return takeError(diags);
}

Result<std::string> Kernel::show(const Device &device, std::string_view stage,
                                 std::span<const Argument> arguments,
                                 std::span<const NamedArgument> named,
                                 const LaunchOptions &options,
                                 bool sourceLines) const {
  Diagnostics diags;
  std::optional<std::string> text =
      state->kernel->show(*device.impl()->row, stage,
                          {arguments, named, options}, sourceLines, diags);
  if (text) {
    for (const Message &warning : state->takeWarnings(diags))
      state->environment->warn(warning);
    return std::move(*text);
  }
  return takeError(diags);
}

} // namespace tesela
