//===- EmittedKernel.cpp - a kernel from Python text, as tile IR ----------===//

#include "unit/EmittedKernel.h"

#include "driver/FileProgram.h"
#include "interp/Evaluator.h"
#include "unit/TileKernel.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace tesela::test {

std::string EmittedKernel::ir() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (emitted)
    emitted->module->print(stream);
  return text;
}

std::string EmittedKernel::error() const {
  return diagnostics.empty() ? "" : diagnostics.front().render();
}

static emit::Specialised specialise(llvm::StringRef value,
                                    driver::FileProgram &program) {
  emit::Specialised result;
  auto [type, divisibility] = value.split(':');
  if (type.consume_front("*")) {
    result.kind = emit::Specialised::Kind::Pointer;
    result.dtype = *parseDType(std::string_view(type));
    result.divisibility = divisibility.empty() ? 1 : 16;
  } else if (std::optional<DType> scalar = parseDType(std::string_view(type))) {
    result.kind = emit::Specialised::Kind::Scalar;
    result.dtype = *scalar;
    result.divisibility = divisibility.empty() ? 1 : 16;
  } else if (value == "None") {
    result.constant = {Object::None()};
  } else if (value == "True" || value == "False") {
    result.constant = {value == "True"};
  } else if (value.consume_front("@")) {
    result.constant = {program.kernel(value.str())};
  } else if (value.consume_front("%")) {
    result.constant = {*parseDType(std::string_view(value))};
  } else if (value.consume_front("\"")) {
    result.constant = {value.drop_back().str()};
  } else if (value.contains('.')) {
    result.constant = {std::stod(value.str())};
  } else {
    result.constant = {Integer{std::stoll(value.str()), ""}};
  }
  return result;
}

EmittedKernel emitText(const std::string &text,
                       const std::vector<std::string> &arguments,
                       const std::string &name) {
  EmittedKernel result;
  Diagnostics diags;
  auto finish = [&]() -> EmittedKernel && {
    result.diagnostics = diags.take();
    return std::move(result);
  };
  auto program =
      driver::FileProgram::parse(Source::create("kernel.py", text), diags);
  std::shared_ptr<const Function> function =
      program ? program->kernel(name) : nullptr;
  if (!function)
    return finish();
  std::optional<emit::Signature> signature =
      emit::readSignature(*function, diags);
  if (!signature)
    return finish();
  emit::Request request;
  request.function = function;
  for (const emit::Parameter &parameter : signature->parameters) {
    emit::Specialised specialised;
    if (parameter.defaultValue)
      specialised.constant = *parameter.defaultValue;
    for (llvm::StringRef argument : arguments)
      if (argument.split('=').first == parameter.name)
        specialised = specialise(argument.split('=').second, *program);
    request.parameters.push_back(specialised);
  }
  result.emitted = emit::emitKernel(tileContext(), request, diags);
  return finish();
}

static std::string kernelText(const std::string &body,
                              const std::string &before) {
  std::string text = "import math\nimport triton\n"
                     "import triton.language as tl\n"
                     "from triton.language.extra import libdevice\n" +
                     before + "\n@triton.jit\ndef kernel(x, y, out, n):\n";
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(body).split(lines, '\n');
  for (llvm::StringRef line : lines)
    text += "    " + line.str() + "\n";
  return text;
}

std::vector<double> runBody(const std::string &body, const std::string &outType,
                            const std::string &before) {
  EmittedKernel kernel =
      emitText(kernelText(body, before),
               {"x=*fp32", "y=*i32", "out=*" + outType, "n=i32"});
  if (!kernel.emitted) {
    ADD_FAILURE() << kernel.error();
    return {};
  }
  std::vector<float> x(16);
  std::vector<int32_t> y(16);
  for (int i = 0; i < 16; ++i) {
    x[i] = float(i);
    y[i] = 7 - i;
  }
  DType dtype = *parseDType(outType);
  std::string element = dtype >= DType::Float16
                            ? (dtype == DType::Float16    ? "f16"
                               : dtype == DType::BFloat16 ? "bf16"
                               : dtype == DType::Float32  ? "f32"
                                                          : "f64")
                            : "i" + std::to_string(8 * byteWidth(dtype));
  size_t width = byteWidth(dtype);
  std::string memory(64 * width, '\0');
  Bits initial = toBits(element, std::vector<double>(64, -1));
  for (size_t i = 0; i < 64; ++i)
    std::memcpy(memory.data() + i * width, &initial[i], width);

  mlir::func::FuncOp function = findKernel(*kernel.emitted->module);
  std::string arguments =
      packArguments(function, {address(x.data()), address(y.data()),
                               address(memory.data()), 10});
  std::string error;
  if (!interp::evaluate(function, {1, 1, 1}, arguments.data(), error)) {
    ADD_FAILURE() << error << "\n" << kernel.ir();
    return {};
  }
  Bits bits(64, 0);
  for (size_t i = 0; i < 64; ++i)
    std::memcpy(&bits[i], memory.data() + i * width, width);
  return toNumbers(element, bits);
}

std::vector<double> runFirst(size_t count, const std::string &body,
                             const std::string &outType,
                             const std::string &before) {
  std::vector<double> out = runBody(body, outType, before);
  if (out.size() > count)
    out.resize(count);
  return out;
}

std::string bodyError(const std::string &body, const std::string &before) {
  EmittedKernel kernel = emitText(kernelText(body, before),
                                  {"x=*fp32", "y=*i32", "out=*fp32", "n=i32"});
  if (kernel.diagnostics.empty())
    return "";
  const Diagnostic &first = kernel.diagnostics.front();
  return first.message + " [" + diagName(first.id) + "]";
}

} // namespace tesela::test
