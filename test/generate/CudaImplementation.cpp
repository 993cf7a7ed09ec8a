//===- CudaImplementation.cpp - random kernels on a GPU -------------------===//

#include "generate/CudaImplementation.h"

#include "driver/CudaTarget.h"
#include "runtime/CudaDevice.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstring>

using namespace mlir;

namespace tesela::test {

const driver::TargetRow *firstGpu() {
  runtime::RunError error;
  return driver::cudaRow({}, error);
}

namespace {

std::unique_ptr<runtime::Code> compile(const driver::TargetRow &row,
                                       ModuleOp module, bool general,
                                       Binary &binary, std::string &error) {
  OwningOpRef<ModuleOp> copy = module.clone();
  for (auto function : copy->getOps<func::FuncOp>())
    if (function->hasAttr("tile.kernel"))
      binary.arguments = interp::argumentLayout(function);
  CompileOptions options;
  options.facts = row.facts;
  options.general = general;
  auto ignore = [](const std::string &, llvm::function_ref<std::string()>) {};
  if (!row.target.compile(*copy, options, ignore, binary)) {
    error += "does not compile\n";
    return nullptr;
  }
  runtime::RunError problem;
  std::unique_ptr<runtime::Code> code = row.load(row, binary, problem);
  error += problem.text;
  return code;
}

/// A range of the host's memory and its copy on the GPU, between two guards.
class Copy {
public:
  static constexpr size_t guard = 256;

  Copy(const runtime::CudaDevice &device, const interp::MemoryRange &range)
      : device(device), range(range),
        offset(guard + reinterpret_cast<uintptr_t>(range.begin) % 64) {}
  Copy(Copy &&other) noexcept
      : device(other.device), range(other.range), offset(other.offset),
        memory(std::exchange(other.memory, nullptr)) {}
  ~Copy() {
    if (memory)
      device.release(memory);
  }

  bool put(runtime::RunError &error) {
    std::string bytes = expected();
    memory = device.allocate(bytes.size(), error);
    return memory && device.copyIn(memory, bytes.data(), bytes.size(), error);
  }

  /// False where the guards were written to.
  bool take(runtime::RunError &error) {
    std::string wanted = expected(), bytes(wanted.size(), 0);
    if (!device.copyOut(bytes.data(), memory, bytes.size(), error))
      return false;
    std::memcpy(const_cast<void *>(range.begin), bytes.data() + offset,
                range.bytes);
    std::memcpy(wanted.data() + offset, bytes.data() + offset, range.bytes);
    if (bytes != wanted)
      error.text = "memory beside a buffer was written";
    return bytes == wanted;
  }

  /// The address on the GPU; 0 where the host's is not in this range.
  uint64_t translate(uint64_t address) const {
    uint64_t distance = address - reinterpret_cast<uintptr_t>(range.begin);
    return distance <= range.bytes
               ? reinterpret_cast<uint64_t>(memory) + offset + distance
               : 0;
  }

private:
  std::string expected() const {
    std::string bytes(offset + range.bytes + guard, char(0xA5));
    std::memcpy(bytes.data() + offset, range.begin, range.bytes);
    return bytes;
  }

  const runtime::CudaDevice &device;
  interp::MemoryRange range;
  size_t offset;
  void *memory = nullptr;
};

std::string translated(const Launch &launch, const ArgumentLayout &layout,
                       const std::vector<Copy> &copies) {
  std::string arguments(static_cast<const char *>(launch.arguments),
                        layout.bytes);
  for (const ArgumentSlot &slot : layout.slots) {
    if (!slot.isPointer)
      continue;
    uint64_t address = 0, there = 0;
    std::memcpy(&address, arguments.data() + slot.offset, sizeof address);
    for (const Copy &copy : copies)
      if (!there)
        there = copy.translate(address);
    std::memcpy(arguments.data() + slot.offset, &there, sizeof there);
  }
  return arguments;
}

} // namespace

Implementation compiledForCuda(const driver::TargetRow &row, bool general) {
  return [&row, general](ModuleOp module, const Launch &launch,
                         std::string &error) {
    runtime::RunError problem;
    runtime::CudaDevice *device =
        runtime::CudaDevice::get(row.ordinal, problem);
    auto fail = [&] {
      error += problem.text;
      return false;
    };
    if (!device)
      return fail();
    std::vector<Copy> copies;
    copies.reserve(launch.memory.size());
    for (const interp::MemoryRange &range : launch.memory) {
      copies.emplace_back(*device, range);
      if (!copies.back().put(problem))
        return fail();
    }
    bool isGeneral = general;
    while (true) {
      Binary binary;
      std::unique_ptr<runtime::Code> code =
          compile(row, module, isGeneral, binary, error);
      if (!code)
        return false;
      std::string arguments = translated(launch, binary.arguments, copies);
      runtime::LaunchFrame frame;
      frame.arguments = arguments.data();
      for (int axis = 0; axis < 3; ++axis)
        frame.grid[axis] = launch.grid[size_t(axis)];
      runtime::RunOutcome outcome = code->run({}, frame, problem);
      if (outcome == runtime::RunOutcome::Done)
        break;
      if (outcome == runtime::RunOutcome::Failed || isGeneral)
        return fail();
      isGeneral = true;
    }
    for (Copy &copy : copies)
      if (!copy.take(problem))
        return fail();
    return true;
  };
}

} // namespace tesela::test
