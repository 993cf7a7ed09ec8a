//===- CpuImplementation.cpp - random kernels as machine code -------------===//

#include "generate/CpuImplementation.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;

namespace tesela::test {

bool compileFor(const TargetFacts &facts, ModuleOp module, bool general,
                Binary &binary, std::string &error) {
  OwningOpRef<ModuleOp> copy = module.clone();
  CompileOptions options;
  options.facts = facts;
  options.general = general;
  auto ignore = [](const std::string &, llvm::function_ref<std::string()>) {};
  if (cpu::target().compile(*copy, options, ignore, binary))
    return true;
  error += "does not compile\n";
  return false;
}

static bool call(const cpu::LoadedObject &object, const Binary &binary,
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

Implementation compiledForCpu(bool general, const TargetFacts &facts) {
  return [=](ModuleOp module, const Launch &launch, std::string &error) {
    Binary binary;
    auto load = [&](bool general) {
      return compileFor(facts, module, general, binary, error)
                 ? cpu::LoadedObject::load(binary.code, error)
                 : nullptr;
    };
    std::unique_ptr<cpu::LoadedObject> object = load(general);
    if (object && !binary.precondition.empty()) {
      auto precondition =
          reinterpret_cast<CpuPrecondition>(object->find(binary.precondition));
      if (!precondition) {
        error = "there is no " + binary.precondition;
        return false;
      }
      if (!precondition(launch.arguments, launch.grid.data())) {
        binary = {};
        object = load(/*general=*/true);
      }
    }
    return object && call(*object, binary, launch, error);
  };
}

} // namespace tesela::test
