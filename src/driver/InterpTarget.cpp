//===- InterpTarget.cpp - the reference evaluator as a target -------------===//
//
// Its binary is the emitted tile IR as text, before any pass, which makes it
// the oracle of all that follows emission.
//
//===----------------------------------------------------------------------===//

#include "driver/Compiler.h"
#include "driver/Targets.h"
#include "interp/Evaluator.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/raw_ostream.h"

namespace tesela::driver {

using namespace mlir;

static TargetFacts interpFacts() {
  TargetFacts facts;
  facts.kind = "interp";
  return facts;
}

static bool compileForInterp(ModuleOp module, const CompileOptions &,
                             StageObserver, Binary &binary) {
  llvm::raw_string_ostream stream(binary.code);
  module.print(stream, OpPrintingFlags().enableDebugInfo());
  return true;
}

namespace {

class InterpCode final : public runtime::Code {
public:
  static std::unique_ptr<runtime::Code>
  load(const TargetRow &, const Binary &binary, runtime::RunError &error) {
    auto code = std::make_unique<InterpCode>();
    code->context = makeContext();
    code->module =
        parseSourceString<ModuleOp>(binary.code, code->context.get());
    code->kernel = code->module
                       ? code->module->lookupSymbol<func::FuncOp>(binary.name)
                       : func::FuncOp();
    if (code->kernel)
      return code;
    error.text = "the tile IR lacks `" + binary.name + "`";
    return nullptr;
  }

  bool checksMemory() const override { return true; }

  runtime::RunOutcome run(const runtime::ExecutionContext &,
                          const runtime::LaunchFrame &frame,
                          runtime::RunError &error) const override {
    std::vector<interp::MemoryRange> memory;
    for (const runtime::MemorySpan &span : frame.memory)
      memory.push_back({span.begin, span.bytes});
    bool done = interp::evaluate(
        kernel, {frame.grid[0], frame.grid[1], frame.grid[2]}, frame.arguments,
        error.text, memory);
    return done ? runtime::RunOutcome::Done : runtime::RunOutcome::Failed;
  }

private:
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp kernel;
};

} // namespace

TargetRow interpreterTarget() {
  return {{"interp", interpFacts, compileForInterp},
          InterpCode::load,
          /*cached=*/false};
}

} // namespace tesela::driver
