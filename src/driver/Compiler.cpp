//===- Compiler.cpp - the stages of one compilation, in order -------------===//

#include "driver/Compiler.h"

#include "driver/DiagnosticBridge.h"
#include "driver/SourceLines.h"
#include "driver/WrittenArguments.h"

#include "mlir/IR/MLIRContext.h"

#include <chrono>

namespace tesela::driver {

using namespace mlir;

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Compilation::Compilation(const TargetRow &row, const emit::Request &request,
                         Diagnostics &diags)
    : row(row), request(request), diags(diags) {}

Compilation::~Compilation() = default;

void Compilation::finishStage(const std::string &name) {
  double end = now();
  times.push_back({name, end - stageBegin});
  stageBegin = end;
}

bool Compilation::emit() {
  stageBegin = now();
  context = lendContext();
  DiagnosticBridge bridge(*context, *request.function, row.target.name, diags);
  emitted = emit::emitKernel(*context, request, diags);
  finishStage("emit");
  if (emitted)
    return true;
  bridge.ensureError();
  return false;
}

/// The layout that a launch packs: the target's, with the signs that only the
/// request knows.
static ArgumentLayout argumentLayout(const emit::Request &request) {
  ArgumentLayout layout;
  for (const emit::Specialised &parameter : request.parameters)
    if (parameter.kind != emit::Specialised::Kind::Constant)
      layout.append(parameter.kind == emit::Specialised::Kind::Pointer,
                    parameter.dtype);
  return layout;
}

bool Compilation::generate(CompileOptions options, const StageSink &sink,
                           bool sourceLines, Binary &binary) {
  options.lines = bool(sink);
  ModuleOp module = *emitted->module;
  DiagnosticBridge bridge(*context, *request.function, row.target.name, diags);
  bridge.addSources(emitted->sources);
  SourceLines lines(emitted->sources);
  auto printModule = [&] { return lines.print(module, sourceLines); };

  binary.name = request.function->name;
  std::vector<bool> written = writtenArguments(module);
  if (sink)
    sink("tile", printModule);
  stageBegin = now();
  auto observe = [&](const std::string &stage,
                     llvm::function_ref<std::string()> print) {
    finishStage(stage);
    // Stages before LLVM's own leave their result in the module.
    bool inModule = stage != "llvm" && stage != "asm" && stage != "ptx";
    if (sink)
      sink(stage, [&] { return inModule ? printModule() : print(); });
    stageBegin = now();
  };
  bool done = row.target.compile(module, options, observe, binary);
  finishStage("code");
  if (!done || diags.hasErrors()) {
    bridge.ensureError();
    return false;
  }
  binary.arguments = argumentLayout(request);
  binary.written = std::move(written);
  binary.steps.assign(binary.arguments.slots.size(), false);
  for (unsigned argument : emitted->steps)
    binary.steps[argument] = true;
  return true;
}

} // namespace tesela::driver
