//===- TileKernel.cpp - a kernel from text, ready to run ------------------===//

#include "unit/TileKernel.h"

#include "dialect/tile/Tile.h"
#include "interp/Evaluator.h"
#include "interp/Numbers.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cstring>

using namespace mlir;

namespace tesela::test {

MLIRContext &tileContext() {
  thread_local MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<tile::TileDialect, arith::ArithDialect, func::FuncDialect,
                      math::MathDialect, scf::SCFDialect, ub::UBDialect>();
  return context;
}

OwningOpRef<ModuleOp> parseTile(const std::string &text, std::string &error) {
  MLIRContext &context = tileContext();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    error += diagnostic.str() + "\n";
  });
  return parseSourceString<ModuleOp>(text, &context, "kernel.mlir");
}

func::FuncOp findKernel(ModuleOp module) {
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (function->hasAttr(tile::kernelAttr))
      return function;
  return {};
}

std::string packArguments(func::FuncOp kernel, const Bits &arguments) {
  ArgumentLayout layout = interp::argumentLayout(kernel);
  std::string buffer(layout.bytes, '\0');
  for (auto [slot, value] : llvm::zip_equal(layout.slots, arguments))
    std::memcpy(buffer.data() + slot.offset, &value,
                slot.isPointer ? 8 : byteWidth(slot.dtype));
  return buffer;
}

static Type elementFromText(const std::string &type) {
  return parseType(type, &tileContext());
}

Bits toBits(const std::string &type, const std::vector<double> &numbers) {
  Type element = elementFromText(type);
  Bits bits;
  for (double number : numbers)
    if (isa<FloatType>(element))
      bits.push_back(interp::FloatFormat(element).encode(number));
    else
      bits.push_back(interp::lowBits(uint64_t(int64_t(number)),
                                     interp::elementWidth(element)));
  return bits;
}

std::vector<double> toNumbers(const std::string &type, const Bits &bits) {
  Type element = elementFromText(type);
  std::vector<double> numbers;
  for (uint64_t pattern : bits)
    if (isa<FloatType>(element))
      numbers.push_back(interp::FloatFormat(element).decode(pattern));
    else
      numbers.push_back(
          double(interp::signExtend(pattern, interp::elementWidth(element))));
  return numbers;
}

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

/// In memory a boolean is a byte.
static std::string memoryType(const std::string &type) {
  return type == "i1" ? "i8" : type;
}

/// The address of each element of `name`: `NAME_p`, from the scalar `NAME_ptr`.
static std::string addressText(const std::string &name, const std::string &type,
                               const std::string &shape) {
  std::string ptrs =
      "tensor<" + shape + "x!tile.ptr<" + memoryType(type) + ">>";
  return "  " + name + "_s = tile.splat " + name + "_ptr : " + ptrs + "\n  " +
         name + "_p = tile.addptr " + name + "_s, %i : " + ptrs + ", tensor<" +
         shape + "xi32>\n";
}

static std::string loadText(const std::string &name, const std::string &type,
                            const std::string &shape) {
  std::string tile = "tensor<" + shape + "x" + memoryType(type) + ">";
  std::string raw = type == "i1" ? name + "_raw" : name;
  std::string text = addressText(name, type, shape) + "  " + raw +
                     " = tile.load " + name + "_p : tensor<" + shape +
                     "x!tile.ptr<" + memoryType(type) + ">> -> " + tile + "\n";
  if (type == "i1")
    text += "  " + name + " = arith.trunci " + raw + " : " + tile +
            " to tensor<" + shape + "xi1>\n";
  return text;
}

static std::string storeText(const std::string &name, const std::string &type,
                             const std::string &shape) {
  std::string tile = "tensor<" + shape + "x" + memoryType(type) + ">";
  std::string raw = type == "i1" ? name + "_raw" : name;
  std::string text = addressText(name, type, shape);
  if (type == "i1")
    text += "  " + raw + " = arith.extui " + name + " : tensor<" + shape +
            "xi1> to " + tile + "\n";
  return text + "  tile.store " + name + "_p, " + raw + " : tensor<" + shape +
         "x!tile.ptr<" + memoryType(type) + ">>, " + tile + "\n";
}

/// Replaces each of A, B, C and R that stands alone by its tile type.
static std::string fillTypes(const std::string &op,
                             const std::vector<std::string> &types,
                             const std::string &resultType,
                             const std::string &shape) {
  auto isWord = [&](size_t at) {
    return at < op.size() && (std::isalnum(op[at]) || op[at] == '_');
  };
  std::string text;
  for (size_t i = 0; i != op.size(); ++i) {
    bool standsAlone = !isWord(i + 1) && (i == 0 || !isWord(i - 1));
    size_t index = op[i] - 'A';
    if (standsAlone && op[i] == 'R')
      text += "tensor<" + shape + "x" + resultType + ">";
    else if (standsAlone && index < types.size())
      text += "tensor<" + shape + "x" + types[index] + ">";
    else
      text += op[i];
  }
  return text;
}

static size_t bytesOf(const std::string &type) {
  return interp::elementBytes(elementFromText(type));
}

Bits applyOp(const std::string &op, const std::vector<std::string> &types,
             const std::string &resultType, const std::vector<Bits> &inputs) {
  size_t count = inputs[0].size();
  std::string shape = std::to_string(count), parameters, body;
  std::vector<std::string> memory;
  for (size_t k = 0; k != types.size(); ++k) {
    std::string name = "%" + std::string(1, char('a' + k));
    parameters += name + "_ptr: !tile.ptr<" + memoryType(types[k]) + ">, ";
    body += loadText(name, types[k], shape);
    size_t bytes = bytesOf(types[k]);
    std::string &buffer = memory.emplace_back(count * bytes, '\0');
    for (size_t i = 0; i != count; ++i)
      std::memcpy(buffer.data() + i * bytes, &inputs[k][i], bytes);
  }
  memory.emplace_back(count * bytesOf(resultType), '\x5a');

  std::vector<void *> pointers;
  for (std::string &buffer : memory)
    pointers.push_back(buffer.data());
  evaluateOn("func.func @op(" + parameters + "%r_ptr: !tile.ptr<" +
                 memoryType(resultType) + ">) attributes {tile.kernel} {\n" +
                 "  %i = tile.iota 0 : tensor<" + shape + "xi32>\n" + body +
                 "  %r = " + fillTypes(op, types, resultType, shape) + "\n" +
                 storeText("%r", resultType, shape) + "  return\n}\n",
             pointers);
  Bits bits(count, 0);
  for (size_t i = 0, bytes = bytesOf(resultType); i != count; ++i)
    std::memcpy(&bits[i], memory.back().data() + i * bytes, bytes);
  return bits;
}

std::vector<double>
applyToNumbers(const std::string &op, const std::string &type,
               const std::vector<std::vector<double>> &inputs) {
  std::vector<Bits> bits;
  for (const std::vector<double> &numbers : inputs)
    bits.push_back(toBits(type, numbers));
  return toNumbers(
      type,
      applyOp(op, std::vector<std::string>(inputs.size(), type), type, bits));
}

//===----------------------------------------------------------------------===//
// Whole kernels
//===----------------------------------------------------------------------===//

static std::string evaluateText(const std::string &text, const Bits &arguments,
                                int32_t instances) {
  std::string error;
  OwningOpRef<ModuleOp> module = parseTile(text, error);
  if (!module) {
    ADD_FAILURE() << error << text;
    return "";
  }
  func::FuncOp kernel = findKernel(*module);
  std::string packed = packArguments(kernel, arguments);
  bool ok = interp::evaluate(kernel, {instances, 1, 1}, packed.data(), error);
  EXPECT_EQ(ok, error.empty()) << error;
  return error;
}

std::string evaluationError(const std::string &text, const Bits &arguments) {
  return evaluateText(text, arguments, 1);
}

void evaluateOn(const std::string &text, const std::vector<void *> &memory,
                int32_t instances) {
  Bits arguments;
  for (void *pointer : memory)
    arguments.push_back(address(pointer));
  EXPECT_EQ(evaluateText(text, arguments, instances), "") << text;
}

} // namespace tesela::test
