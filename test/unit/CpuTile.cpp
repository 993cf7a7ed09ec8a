//===- CpuTile.cpp - a kernel on the CPU beside the reference -------------===//

#include "CpuTile.h"

#include "interp/Evaluator.h"
#include "passes/Pipeline.h"
#include "target/cpu/Cpu.h"
#include "target/cpu/Entry.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace mlir;

namespace tesela::test {

LaunchArgument pattern(const std::string &type, int64_t count, int seed) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(double((i * 7 + seed * 5) % 13 - 6));
  return memory(type, numbers);
}

LaunchArgument memory(const std::string &type,
                      const std::vector<double> &numbers) {
  return {true, type, toBits(type, numbers)};
}

LaunchArgument scalar(int64_t value) { return {false, "", {uint64_t(value)}}; }

static size_t bytesOf(const std::string &type) {
  return type == "bf16" ? 2 : std::atoi(type.c_str() + 1) / 8;
}

namespace {

/// Arguments in memory that a kernel may change.
struct Image {
  explicit Image(const std::vector<LaunchArgument> &arguments) {
    for (const LaunchArgument &argument : arguments) {
      auto &bytes = memory.emplace_back();
      if (!argument.isPointer) {
        values.push_back(argument.bits.front());
        continue;
      }
      size_t size = bytesOf(argument.type);
      // What lies around the elements must stay as it is.
      bytes.assign(guard + argument.bits.size() * size + guard, 0x5a);
      for (size_t i = 0; i < argument.bits.size(); ++i)
        std::memcpy(bytes.data() + guard + i * size, &argument.bits[i], size);
      values.push_back(address(bytes.data() + guard));
    }
  }

  std::vector<Bits>
  contents(const std::vector<LaunchArgument> &arguments) const {
    std::vector<Bits> result;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].isPointer)
        continue;
      size_t size = bytesOf(arguments[i].type);
      Bits &bits = result.emplace_back(arguments[i].bits.size());
      for (size_t j = 0; j < bits.size(); ++j)
        std::memcpy(&bits[j], memory[i].data() + guard + j * size, size);
      for (size_t j = 0; j < guard; ++j) {
        EXPECT_EQ(memory[i][j], 0x5a) << "before argument " << i;
        EXPECT_EQ(memory[i][memory[i].size() - 1 - j], 0x5a)
            << "after argument " << i;
      }
    }
    return result;
  }

  static constexpr size_t guard = 64;
  std::vector<std::vector<uint8_t>> memory;
  Bits values;
};

} // namespace

std::vector<Bits> runOnCpu(const std::string &text,
                           const std::vector<LaunchArgument> &arguments,
                           std::array<int32_t, 3> grid,
                           const CpuCompilation &how) {
  std::string error;
  OwningOpRef<ModuleOp> module = parseTile(text, error);
  if (!module) {
    ADD_FAILURE() << error;
    return {};
  }
  func::FuncOp kernel = findKernel(*module);
  std::string name = kernel.getName().str();
  Image image(arguments);
  std::string buffer = packArguments(kernel, image.values);

  ScopedDiagnosticHandler handler(
      module->getContext(),
      [&](Diagnostic &diagnostic) { error += diagnostic.str() + "\n"; });
  CompileOptions options;
  options.facts = cpu::hostFacts();
  options.general = how.general;
  if (how.vectorBytes)
    options.facts.vectorBytes = how.vectorBytes;
  if (how.vectorRegisters)
    options.facts.vectorRegisters = how.vectorRegisters;
  PassManager manager(module->getContext());
  if (how.raise)
    buildTilePipeline(manager, how.general);
  cpu::buildCpuLoopPipeline(
      manager, options, how.cacheBytes ? how.cacheBytes : cpu::keptByCaches);
  if (failed(manager.run(*module))) {
    ADD_FAILURE() << error;
    return {};
  }
  auto entry = module->lookupSymbol<func::FuncOp>(name);
  int64_t scratchBytes =
      entry->getAttrOfType<IntegerAttr>(cpu::scratchBytesAttr).getInt();
  bool hasCheck = module->lookupSymbol(name + ".precondition") != nullptr;
  PassManager toLlvm(module->getContext());
  cpu::buildCpuLlvmPipeline(toLlvm, options);
  if (failed(toLlvm.run(*module))) {
    ADD_FAILURE() << error;
    return {};
  }
  std::string object =
      cpu::generateCode(*module, options.facts, false, nullptr, error);
  auto loaded = cpu::LoadedObject::load(object, error);
  if (!loaded) {
    ADD_FAILURE() << error;
    return {};
  }
  if (hasCheck) {
    auto check =
        reinterpret_cast<CpuPrecondition>(loaded->find(name + ".precondition"));
    EXPECT_TRUE(check(buffer.data(), grid.data())) << "precondition";
  }
  size_t rounded = (scratchBytes + 63) / 64 * 64;
  void *scratch = std::aligned_alloc(64, rounded + 64);
  std::memset(scratch, 0xff, rounded + 64);
  auto run = reinterpret_cast<CpuEntry>(loaded->find(name));
  int64_t count = int64_t(grid[0]) * grid[1] * grid[2];
  run(buffer.data(), scratch, grid.data(), 0, count);
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(static_cast<uint8_t *>(scratch)[rounded + i], 0xff)
        << "past the end of scratch";
  std::free(scratch);
  return image.contents(arguments);
}

std::vector<Bits> runOnReference(const std::string &text,
                                 const std::vector<LaunchArgument> &arguments,
                                 std::array<int32_t, 3> grid) {
  std::string error;
  OwningOpRef<ModuleOp> module = parseTile(text, error);
  if (!module) {
    ADD_FAILURE() << error;
    return {};
  }
  func::FuncOp kernel = findKernel(*module);
  Image image(arguments);
  std::string buffer = packArguments(kernel, image.values);
  if (!interp::evaluate(kernel, grid, buffer.data(), error))
    ADD_FAILURE() << error;
  return image.contents(arguments);
}

void expectSame(const std::string &text,
                const std::vector<LaunchArgument> &arguments,
                std::array<int32_t, 3> grid, double tolerance) {
  std::vector<Bits> expected = runOnReference(text, arguments, grid);
  std::vector<std::string> types;
  for (const LaunchArgument &argument : arguments)
    if (argument.isPointer)
      types.push_back(argument.type);
  for (CpuCompilation how :
       {CpuCompilation{}, CpuCompilation{false}, CpuCompilation{true, true},
        CpuCompilation{true, false, 16}, CpuCompilation{true, false, 64, 32},
        CpuCompilation{true, false, 0, 0, 1}}) {
    SCOPED_TRACE(testing::Message()
                 << (how.raise ? "views" : "pointers")
                 << (how.general ? ", general" : "") << ", vectors of "
                 << how.vectorBytes << " bytes"
                 << (how.cacheBytes ? ", past the caches" : ""));
    std::vector<Bits> actual = runOnCpu(text, arguments, grid, how);
    if (testing::Test::HasFailure())
      return;
    for (size_t i = 0; i < expected.size(); ++i) {
      std::vector<double> want = toNumbers(types[i], expected[i]);
      std::vector<double> have = toNumbers(types[i], actual[i]);
      int shown = 0;
      for (size_t j = 0; j < want.size() && shown < 4; ++j) {
        if (expected[i][j] == actual[i][j] ||
            (std::isnan(want[j]) && std::isnan(have[j])) ||
            std::abs(want[j] - have[j]) <=
                tolerance * std::max(1.0, std::abs(want[j])))
          continue;
        ++shown;
        ADD_FAILURE() << "memory " << i << ", element " << j << " is "
                      << have[j] << " instead of " << want[j];
      }
    }
  }
}

} // namespace tesela::test
