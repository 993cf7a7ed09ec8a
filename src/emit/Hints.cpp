//===- Hints.cpp - promises, assertions and prints ------------------------===//
//
// Promises are accepted and not relied on: facts that are proved serve as well.
//
//===----------------------------------------------------------------------===//

#include "emit/Interpreter.h"

#include "sema/Constant.h"

using tesela::sema::BuiltinId;
using tesela::syntax::BinOpKind;

namespace tesela::emit {

static Value emitInput(Interpreter &, const Arguments &args) { return args[0]; }

static Value emitAssume(Interpreter &in, const Arguments &args) {
  if (!args[0].isRuntime() && !sema::truth(args[0]))
    return in.fail(DiagId::StaticAssert,
                   "`tl.assume` is given a condition that is false");
  return sema::None();
}

static Value emitStaticAssert(Interpreter &in, const Arguments &args) {
  if (sema::truth(args[0]))
    return sema::None();
  Emitter::At at(in, args.spans[0]);
  std::string message = args[1].str();
  return in.fail(DiagId::StaticAssert,
                 "this assertion is false" +
                     (message.empty() ? "" : ": " + message));
}

static Value emitStaticPrint(Interpreter &in, const Arguments &args) {
  std::string line;
  for (const Value &value : *args[0].items())
    line += (line.empty() ? "" : args.text(1)) + value.str();
  in.printed += line + args.text(2);
  return sema::None();
}

static void warnNoEffect(Interpreter &in, const std::string &what) {
  in.warnings.push_back({DiagId::NoEffect,
                         Severity::Warning,
                         in.locationOf(in.span),
                         what + " prints nothing",
                         {}});
}

static Value emitDevicePrint(Interpreter &in, const Arguments &args) {
  warnNoEffect(in, args.name());
  return sema::None();
}

/// Constants are printed while compiling; there is no print at run time.
static Value emitPrint(Interpreter &in, const Arguments &args) {
  if (!args[0].hasRuntime())
    return emitStaticPrint(in, args);
  warnNoEffect(in, "`print` of run-time values");
  return sema::None();
}

static Value emitNothing(Interpreter &, const Arguments &) {
  return sema::None();
}

/// Walks a matrix of `size_i` rows in groups of `size_g` rows, each group from
/// column to column:
///
///   ij = i * size_j + j, the position in row-major order
///   group = ij / (size_g * size_j), its first row and its number of rows
///   within it, row = r % rows, column = r / rows
static Value emitSwizzle2d(Interpreter &in, const Arguments &args) {
  auto op = [&](BinOpKind kind, const Value &a, const Value &b) {
    return a && b ? in.operate(kind, a, b) : Value();
  };
  const Value &i = args[0], &j = args[1], &sizeI = args[2], &sizeJ = args[3],
              &sizeG = args[4];
  Value position = op(BinOpKind::Add, op(BinOpKind::Mult, i, sizeJ), j);
  Value perGroup = op(BinOpKind::Mult, sizeG, sizeJ);
  Value group = op(BinOpKind::FloorDiv, position, perGroup);
  Value firstRow = op(BinOpKind::Mult, group, sizeG);
  Value left = op(BinOpKind::Sub, sizeI, firstRow);
  Value rows = left ? in.callBuiltin(BuiltinId::PyMin, {left, sizeG}) : Value();
  Value within = op(BinOpKind::Mod, position, perGroup);
  Value row = op(BinOpKind::Add, firstRow, op(BinOpKind::Mod, within, rows));
  Value column = op(BinOpKind::FloorDiv, within, rows);
  return row && column ? Value::tuple({row, column}) : Value();
}

void bindHints(HandlerTable &table) {
  table[BuiltinId::MultipleOf] = emitInput;
  table[BuiltinId::MaxContiguous] = emitInput;
  table[BuiltinId::MaxConstancy] = emitInput;
  table[BuiltinId::Assume] = emitAssume;
  table[BuiltinId::StaticAssert] = emitStaticAssert;
  table[BuiltinId::StaticPrint] = emitStaticPrint;
  table[BuiltinId::DeviceAssert] = emitNothing;
  table[BuiltinId::DevicePrint] = emitDevicePrint;
  table[BuiltinId::PyPrint] = emitPrint;
  table[BuiltinId::Swizzle2d] = emitSwizzle2d;
}

} // namespace tesela::emit
