//===- Evaluator.cpp - the grid and the argument buffer -------------------===//

#include "interp/Evaluator.h"

#include "dialect/tile/Tile.h"
#include "interp/Evaluation.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cstring>
#include <optional>

using namespace mlir;

namespace tesela::interp {

/// The element type that a scalar argument has in the argument buffer.
static std::optional<DType> scalarDType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    switch (integer.getWidth()) {
    case 1:
      return DType::Int1;
    case 8:
      return DType::Int8;
    case 16:
      return DType::Int16;
    case 32:
      return DType::Int32;
    case 64:
      return DType::Int64;
    }
  return llvm::TypeSwitch<Type, std::optional<DType>>(type)
      .Case([](Float8E4M3FNType) { return DType::Float8E4M3; })
      .Case([](Float8E5M2Type) { return DType::Float8E5M2; })
      .Case([](Float16Type) { return DType::Float16; })
      .Case([](BFloat16Type) { return DType::BFloat16; })
      .Case([](Float32Type) { return DType::Float32; })
      .Case([](Float64Type) { return DType::Float64; })
      .Default(std::nullopt);
}

/// A pointer to something that has no name among the element types (a pointer)
/// counts as one to `Int64`.
static void appendArgument(ArgumentLayout &layout, Type type) {
  if (auto ptr = dyn_cast<tile::PtrType>(type))
    layout.append(true, scalarDType(ptr.getPointee()).value_or(DType::Int64));
  else
    layout.append(false, scalarDType(type).value_or(DType::Int64));
}

ArgumentLayout argumentLayout(func::FuncOp kernel) {
  ArgumentLayout layout;
  for (Type type : kernel.getArgumentTypes())
    appendArgument(layout, type);
  return layout;
}

/// Sets the function's first arguments from the buffer.
static bool unpack(Evaluation &evaluation, func::FuncOp function,
                   ArrayRef<BlockArgument> arguments, const void *buffer) {
  ArgumentLayout layout;
  for (BlockArgument argument : arguments) {
    Type type = argument.getType();
    if (!isa<tile::PtrType>(type) && !scalarDType(type))
      return evaluation.fail(*function, "argument " +
                                            Twine(argument.getArgNumber()) +
                                            " is no scalar and no pointer");
    appendArgument(layout, type);
    uint64_t bits = 0;
    std::memcpy(&bits,
                static_cast<const char *>(buffer) + layout.slots.back().offset,
                elementBytes(type));
    evaluation.setScalar(argument, lowBits(bits, elementWidth(type)));
  }
  return true;
}

/// Runs the instances in the order of `CpuEntry`.
static bool runGrid(Evaluation &evaluation, Block &body) {
  auto [x, y, z] = evaluation.grid;
  for (int32_t k = 0; k < z; ++k)
    for (int32_t j = 0; j < y; ++j)
      for (int32_t i = 0; i < x; ++i) {
        evaluation.programId = {i, j, k};
        if (!evaluation.runBlock(body))
          return false;
      }
  return true;
}

bool evaluate(func::FuncOp kernel, std::array<int32_t, 3> grid,
              const void *arguments, std::string &error,
              ArrayRef<MemoryRange> memory) {
  Evaluation evaluation(kernel, grid, memory);
  bool ok = evaluation.check() &&
            unpack(evaluation, kernel, kernel.getArguments(), arguments) &&
            runGrid(evaluation, kernel.getBody().front());
  error = std::move(evaluation.error);
  return ok;
}

bool evaluatePrecondition(func::FuncOp precondition, const void *arguments,
                          std::array<int32_t, 3> grid, std::string &error) {
  Evaluation evaluation(precondition, grid, {});
  auto holds = [&] {
    if (!evaluation.check())
      return false;
    ArrayRef<BlockArgument> parameters = precondition.getArguments();
    ArrayRef<Type> results = precondition.getResultTypes();
    if (parameters.size() < 3 || results.size() != 1 ||
        !results[0].isInteger(1) ||
        !llvm::all_of(parameters.take_back(3), [](BlockArgument extent) {
          return extent.getType().isInteger(32);
        }))
      return evaluation.fail(*precondition, "is no precondition of a kernel");
    for (auto [argument, extent] : llvm::zip(parameters.take_back(3), grid))
      evaluation.setScalar(argument, uint32_t(extent));
    Block &body = precondition.getBody().front();
    return unpack(evaluation, precondition, parameters.drop_back(3),
                  arguments) &&
           evaluation.runBlock(body) &&
           evaluation.get(body.getTerminator()->getOperand(0))[0] != 0;
  };
  bool result = holds();
  error = std::move(evaluation.error);
  return result;
}

} // namespace tesela::interp
