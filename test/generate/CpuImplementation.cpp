//===- CpuImplementation.cpp - random kernels as machine code -------------===//

#include "generate/CpuImplementation.h"

#include "target/cpu/Cpu.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;

namespace tesela::test {

namespace {

/// Compiles a copy of the module and loads it; null after `error`.
std::unique_ptr<cpu::LoadedObject> compile(ModuleOp module, bool general,
                                           Binary &binary, std::string &error) {
  OwningOpRef<ModuleOp> copy = module.clone();
  CompileOptions options;
  options.facts = cpu::hostFacts();
  options.general = general;
  auto ignore = [](const std::string &, llvm::function_ref<std::string()>) {};
  if (!cpu::target().compile(*copy, options, ignore, binary)) {
    error += "does not compile\n";
    return nullptr;
  }
  return cpu::LoadedObject::load(binary.code, error);
}

bool call(const cpu::LoadedObject &object, const Binary &binary,
          const Launch &launch, std::string &error) {
  auto entry = reinterpret_cast<CpuEntry>(object.find(binary.name));
  if (!entry) {
    error = "there is no entry " + binary.name;
    return false;
  }
  size_t bytes = (binary.scratchBytes + 127) / 64 * 64;
  void *scratch = std::aligned_alloc(64, bytes);
  int64_t count = 1;
  for (int32_t extent : launch.grid)
    count *= extent;
  for (auto [begin, end] :
       {std::pair(count / 2, count), {int64_t(0), count / 2}}) {
    std::memset(scratch, 0xa5, bytes);
    entry(launch.arguments, scratch, launch.grid.data(), begin, end);
  }
  std::free(scratch);
  return true;
}

} // namespace

Implementation compiledForCpu(bool general) {
  return [general](ModuleOp module, const Launch &launch, std::string &error) {
    Binary binary;
    std::unique_ptr<cpu::LoadedObject> object =
        compile(module, general, binary, error);
    if (object && !binary.precondition.empty()) {
      auto precondition =
          reinterpret_cast<CpuPrecondition>(object->find(binary.precondition));
      if (!precondition) {
        error = "there is no " + binary.precondition;
        return false;
      }
      if (!precondition(launch.arguments, launch.grid.data())) {
        binary = {};
        object = compile(module, /*general=*/true, binary, error);
      }
    }
    return object && call(*object, binary, launch, error);
  };
}

} // namespace tesela::test
