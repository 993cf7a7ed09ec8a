//===- LoopCounting.cpp - how a loop of run-time length counts ------------===//
//
// The values of the variable are those of Python's `range`, whatever the
// bounds. An `scf.for` counts up; a loop that counts down gives it -1 - i:
//
//   for i in range(a, b, -s)      scf.for %j = -1 - a to -1 - b step s
//                                   %i = -1 - %j
//
// which turns the order around, and never overflows. A step that is known at
// run time alone counts up; where it is not positive there is no iteration.
//
//===----------------------------------------------------------------------===//

#include "emit/Interpreter.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace tesela::syntax;

namespace tesela::emit {

namespace {

/// The types of a loop's numbers.
struct CountingTypes {
  /// Of the variable: 32 bits unless a bound needs more.
  DType counter = DType::Int32;
  /// Of the bounds and the step, which may need more than the variable.
  DType bounds = DType::Int32;
};

} // namespace

static CountingTypes countingTypes(const sema::RangeObject &range,
                                   const std::optional<sema::Int> &step) {
  std::optional<DType> counter;
  bool hasSigned = false;
  for (const Value *bound : {&range.start, &range.stop, &range.step}) {
    if (!bound->isRuntime())
      continue;
    DType type = bound->type().dtype;
    if (bitWidth(type) < 32)
      type = DType::Int32;
    hasSigned |= sema::isSigned(type);
    counter = counter ? *sema::promote({*counter, false}, {type, false},
                                       sema::Arithmetic::Plain)
                      : type;
  }
  CountingTypes types;
  types.counter = counter.value_or(DType::Int32);
  auto fits = [](const sema::Int &number, DType type) {
    return number.fits(bitWidth(type), sema::isSigned(type));
  };
  // Beside another bound a number has no type of its own, unless it needs it.
  auto cover = [&](const sema::Int &number) {
    if (!fits(number, types.counter))
      types.counter = number.fits(64, true) ? DType::Int64 : DType::UInt64;
    hasSigned |= number.isNegative();
  };
  if (std::optional<sema::Int> start = range.start.asInt())
    cover(*start);
  if (std::optional<sema::Int> stop = range.stop.asInt()) {
    // Down to 0, the stop itself is no value of the variable.
    if (step && step->isNegative() && *stop == sema::Int(-1))
      hasSigned = true;
    else
      cover(*stop);
  }
  bool bigStep = false;
  if (step) {
    sema::Int size = step->isNegative() ? -*step : *step;
    bigStep = !fits(size, DType::Int32);
    if (!step->isNegative() && !fits(size, types.counter))
      cover(size);
  }
  // Unsigned bounds count in 64 bits, where those of 32 have a sign.
  if (types.counter == DType::Int32)
    types.bounds = bigStep ? DType::Int64 : DType::Int32;
  else
    types.bounds = types.counter == DType::UInt64 && !hasSigned ? DType::UInt64
                                                                : DType::Int64;
  return types;
}

/// Whether the step is more than zero wherever the kernel runs.
static bool isCertainlyPositive(const Value &step) {
  return Emitter::ir(step).getDefiningOp<tile::NumProgramsOp>() != nullptr;
}

/// A kernel's argument that is the step of a loop which every launch reaches:
/// the launch then checks it.
void Interpreter::markStep(const Value &step) {
  if (llvm::any_of(frames, [](Frame *f) { return f->runtimeDepth != 0; }))
    return;
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(ir(step));
  if (argument &&
      llvm::isa<mlir::func::FuncOp>(argument.getOwner()->getParentOp()))
    steps.insert(argument.getArgNumber());
}

std::optional<Interpreter::LoopCounting>
Interpreter::countLoop(const sema::RangeObject &range) {
  std::optional<sema::Int> fixedStep = range.step.asInt();
  if (fixedStep && fixedStep->isZero()) {
    fail(DiagId::CallValue, "the step of a loop is zero");
    return std::nullopt;
  }
  for (const Value *bound : {&range.start, &range.stop, &range.step})
    if (!typeOf(*bound)) {
      toRuntime(*bound); // says why
      return std::nullopt;
    }
  CountingTypes types = countingTypes(range, fixedStep);
  LoopCounting loop;
  loop.counter = types.counter;
  loop.isDown = fixedStep && fixedStep->isNegative();
  loop.isUnsigned = types.bounds == DType::UInt64;
  auto bound = [&](const Value &value) {
    if (value.isRuntime())
      return cast(value, types.bounds);
    if (!isRepresentable(value, types.bounds))
      return fail(DiagId::TooLarge, "this loop cannot count with " +
                                        value.describe() + " in `" +
                                        Type(types.bounds).str() + "`");
    return constant(value, types.bounds);
  };
  loop.lower = bound(range.start);
  loop.upper = bound(range.stop);
  loop.step = bound(loop.isDown ? Value(-*fixedStep) : range.step);
  if (!loop.lower || !loop.upper || !loop.step)
    return std::nullopt;
  if (loop.isDown) {
    loop.lower = turned(loop.lower);
    loop.upper = turned(loop.upper);
  }
  if (range.step.isRuntime() && !isCertainlyPositive(range.step)) {
    markStep(range.step);
    Value counts = compare(CmpOpKind::Gt, loop.step, zero(loop.step.type()));
    loop.upper = select(counts, loop.upper, loop.lower, "a loop");
  }
  return loop;
}

/// -1 - value.
Value Interpreter::turned(const Value &value) {
  Value minusOne = constant(Value::integer(-1), value.type());
  return sameType<mlir::arith::SubIOp>(minusOne, value);
}

} // namespace tesela::emit
