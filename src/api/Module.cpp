//===- Module.cpp - files of kernels --------------------------------------===//

#include "api/State.h"
#include "syntax/FunctionLines.h"

namespace tesela {

std::string v1::functionLines(const std::string &text) {
  return text.substr(0, syntax::functionLength(text));
}

Module::Module(std::shared_ptr<detail::ModuleState> state)
    : state(std::move(state)) {}

static Result<Module> makeModule(std::shared_ptr<driver::FileProgram> program,
                                 Diagnostics &diags) {
  if (!program)
    return takeError(diags);
  return Module(std::make_shared<detail::ModuleState>(
      detail::ModuleState{std::move(program)}));
}

Result<Module> Module::load(const std::string &path) {
  Diagnostics diags;
  return makeModule(driver::FileProgram::load(path, diags), diags);
}

Result<Module> Module::parse(const std::string &name,
                             const std::string &source) {
  Diagnostics diags;
  return makeModule(
      driver::FileProgram::parse(Source::create(name, source), diags), diags);
}

const std::vector<std::string> &Module::kernels() const {
  return state->program->file().order;
}

Result<Kernel> Module::kernel(const std::string &name) const {
  if (std::shared_ptr<const Function> function = state->program->kernel(name))
    return Kernel::create(std::move(function));
  std::string message = "`" + state->program->file().source->name() +
                        "` has no jit function `" + name + "`";
  std::string others;
  for (const std::string &other : kernels())
    others += (others.empty() ? "`" : ", `") + other + "`";
  return makeError(
      DiagId::UnknownKernel,
      message + (others.empty() ? " nor any other" : "; it has " + others));
}

} // namespace tesela
