//===- Emit.cpp - from a function's text to tile IR -----------------------===//

#include "emit/Emit.h"

#include "dialect/tile/Tile.h"
#include "emit/Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace tesela::syntax;

namespace tesela::emit {

Interpreter::Interpreter(MLIRContext &context, const Request &request)
    : Emitter(context), request(request) {}

std::vector<SourceRef> Interpreter::sources() const {
  std::vector<SourceRef> list;
  for (auto &[function, parsed] : functions)
    if (parsed)
      list.push_back(parsed->source);
  return list;
}

/// The run-time value of a parameter that is not a constant.
static Type parameterType(const Specialised &parameter) {
  return Type(parameter.dtype, parameter.kind == Specialised::Kind::Pointer);
}

bool Interpreter::run(ModuleOp module, Diagnostics &diags) {
  functions[request.function.get()] = parseFunction(request.function, diags);
  Frame kernel;
  kernel.function = functions[request.function.get()].get();
  if (!kernel.function)
    return false;
  const FunctionDef &definition = *kernel.function->definition;
  source = kernel.function->source;
  span = definition.span;
  span.endLine = span.line;
  span.endCol = span.col;
  frame = &kernel;
  frames.push_back(&kernel);

  auto parameters = parametersOf(definition);
  if (parameters.size() != request.parameters.size()) {
    fail(DiagId::CallArguments,
         "`" + definition.name + "` has " + std::to_string(parameters.size()) +
             " parameters, and " + std::to_string(request.parameters.size()) +
             " are given");
    return false;
  }
  llvm::SmallVector<mlir::Type> types;
  for (const Specialised &parameter : request.parameters)
    if (parameter.kind != Specialised::Kind::Constant)
      types.push_back(irType(parameterType(parameter)));
  builder.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(builder, loc(), definition.name,
                                       builder.getFunctionType(types, {}));
  function->setAttr(tile::kernelAttr, builder.getUnitAttr());
  Block *entry = function.addEntryBlock();

  unsigned next = 0;
  for (auto [pair, parameter] : llvm::zip(parameters, request.parameters)) {
    const Arg *arg = pair.first;
    At at(*this, arg->span);
    Value value;
    if (parameter.kind == Specialised::Kind::Constant) {
      value = usable(sema::fromObject(parameter.constant), arg->arg);
      if (!value)
        return false;
    } else {
      BlockArgument argument = entry->getArgument(next);
      argument.setLoc(loc());
      function.setArgAttr(next, tile::nameAttr,
                          builder.getStringAttr(arg->arg));
      if (parameter.divisibility > 1)
        function.setArgAttr(next, tile::divisibilityAttr,
                            builder.getI64IntegerAttr(parameter.divisibility));
      ++next;
      value = make(argument, parameterType(parameter));
    }
    kernel.scope.variables[arg->arg] = {value, arg->span, ""};
  }

  builder.setInsertionPointToEnd(entry);
  if (execBody(definition.body) == Flow::Fail)
    return false;
  func::ReturnOp::create(builder, loc());
  return true;
}

/// A verifier that complains has found a mistake of this room; the user is told
/// where, so that the process goes on.
static bool verified(ModuleOp module, Interpreter &interpreter) {
  std::string message;
  ScopedDiagnosticHandler handler(module.getContext(),
                                  [&](mlir::Diagnostic &diagnostic) {
                                    if (message.empty())
                                      message = diagnostic.str();
                                    return success();
                                  });
  if (succeeded(verify(module)))
    return true;
  interpreter.fail(DiagId::Unsupported,
                   "the compiler made invalid IR from this kernel: " + message);
  return false;
}

std::optional<Emitted> emitKernel(MLIRContext &context, const Request &request,
                                  Diagnostics &diags) {
  context.loadDialect<tile::TileDialect, arith::ArithDialect, math::MathDialect,
                      scf::SCFDialect, func::FuncDialect>();
  Emitted emitted;
  emitted.module = ModuleOp::create(UnknownLoc::get(&context));
  Interpreter interpreter(context, request);
  bool isGood = interpreter.run(*emitted.module, diags) &&
                verified(*emitted.module, interpreter);
  auto add = [&](const Diagnostic &from) {
    Diagnostic &to = from.severity == Severity::Warning
                         ? diags.warning(from.id, from.location, from.message)
                         : diags.error(from.id, from.location, from.message);
    to.notes = from.notes;
  };
  for (const Diagnostic &warning : interpreter.warnings)
    add(warning);
  if (interpreter.pendingError)
    add(*interpreter.pendingError);
  if (!isGood)
    return std::nullopt;
  emitted.captures = std::move(interpreter.captures);
  emitted.printed = std::move(interpreter.printed);
  emitted.sources = interpreter.sources();
  emitted.steps = std::move(interpreter.steps);
  emitted.statements = interpreter.statements;
  return emitted;
}

std::vector<Location> userLocations(mlir::Location location,
                                    llvm::ArrayRef<SourceRef> sources) {
  std::vector<Location> list;
  while (auto call = dyn_cast<CallSiteLoc>(location)) {
    for (const Location &inner : userLocations(call.getCallee(), sources))
      list.push_back(inner);
    location = call.getCaller();
  }
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (mlir::Location part : fused.getLocations()) {
      list = userLocations(part, sources);
      if (!list.empty())
        return list;
    }
    return list;
  }
  auto range = dyn_cast<FileLineColRange>(location);
  if (!range)
    return list;
  for (const SourceRef &source : sources) {
    if (llvm::StringRef(source->name()) != range.getFilename().getValue() ||
        source->line(range.getStartLine()).empty())
      continue;
    list.push_back({source, int32_t(range.getStartLine()),
                    int32_t(range.getStartColumn()) - 1,
                    int32_t(range.getEndLine()),
                    int32_t(range.getEndColumn()) - 1});
    break;
  }
  return list;
}

} // namespace tesela::emit
