//===- Differential.cpp - two implementations, the same memory ------------===//

#include "generate/Differential.h"

#include "interp/Numbers.h"
#include "unit/TileKernel.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

using namespace mlir;

namespace tesela::test {

namespace {

/// Bytes around each array that nothing may touch.
constexpr size_t guardBytes = 128;
constexpr char guardByte = '\x5a';

/// A kernel's buffers in memory, each between two guards.
class Arena {
public:
  explicit Arena(const RandomKernel &kernel) : kernel(kernel) {
    for (const Buffer &buffer : kernel.buffers) {
      std::string &block = blocks.emplace_back(
          buffer.bytes.size() + 2 * guardBytes + 64, guardByte);
      auto first = reinterpret_cast<uintptr_t>(block.data()) + guardBytes;
      uintptr_t aligned = (first + 63) / 64 * 64;
      if (!buffer.isAligned)
        aligned += elementBytes(buffer);
      char *start = reinterpret_cast<char *>(aligned);
      std::memcpy(start, buffer.bytes.data(), buffer.bytes.size());
      starts.push_back(start);
    }
  }

  Bits arguments() const {
    Bits bits;
    for (const Argument &argument : kernel.arguments)
      bits.push_back(argument.isPointer ? pointerOf(argument) : argument.bits);
    return bits;
  }

  std::vector<interp::MemoryRange> ranges() const {
    std::vector<interp::MemoryRange> ranges;
    for (auto [start, buffer] : llvm::zip(starts, kernel.buffers))
      ranges.push_back({start, buffer.bytes.size()});
    return ranges;
  }

  /// What differs first, or nothing.
  std::string compare(const Arena &other) const {
    for (size_t k = 0; k != starts.size(); ++k) {
      const Buffer &buffer = kernel.buffers[k];
      size_t size = buffer.bytes.size(), width = elementBytes(buffer);
      for (ptrdiff_t at = -64; at != ptrdiff_t(size) + 64; ++at)
        if ((at < 0 || at >= ptrdiff_t(size)) &&
            other.starts[k][at] != guardByte)
          return "buffer " + std::to_string(k) + " of " + std::to_string(size) +
                 " bytes: byte " + std::to_string(at) + " was written\n";
      for (size_t at = 0; at != size; at += width)
        if (std::memcmp(starts[k] + at, other.starts[k] + at, width))
          return "buffer " + std::to_string(k) + " of " + buffer.type +
                 ", element " + std::to_string(at / width) + " of " +
                 std::to_string(size / width) + ": expected " + read(k, at) +
                 ", got " + other.read(k, at) + "\n";
    }
    return "";
  }

private:
  uint64_t pointerOf(const Argument &argument) const {
    size_t width = elementBytes(kernel.buffers[argument.buffer]);
    return address(starts[argument.buffer] + argument.offset * width);
  }

  static size_t elementBytes(const Buffer &buffer) {
    return interp::elementBytes(parseType(buffer.type, &tileContext()));
  }

  std::string read(size_t buffer, size_t at) const {
    const std::string &type = kernel.buffers[buffer].type;
    uint64_t bits = 0;
    std::memcpy(&bits, starts[buffer] + at,
                elementBytes(kernel.buffers[buffer]));
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format_hex(bits, 1) << " ("
                                   << toNumbers(type, {bits})[0] << ")";
    return text;
  }

  const RandomKernel &kernel;
  std::vector<std::string> blocks;
  std::vector<char *> starts;
};

/// Runs one implementation on fresh memory.
bool run(const RandomKernel &kernel, const Implementation &implementation,
         Arena &arena, std::string &error) {
  OwningOpRef<ModuleOp> module = kernel.module.get().clone();
  std::string arguments = packArguments(findKernel(*module), arena.arguments());
  Launch launch{kernel.grid, arguments.data(), arena.ranges()};
  ScopedDiagnosticHandler handler(
      module->getContext(),
      [&](Diagnostic &diagnostic) { error += diagnostic.str() + "\n"; });
  return implementation(*module, launch, error);
}

/// What is wrong with the kernel of a seed, or nothing.
std::string check(const RandomKernel &kernel, const Implementation &expected,
                  const Implementation &actual) {
  std::string error;
  {
    ScopedDiagnosticHandler handler(
        kernel.module.get().getContext(),
        [&](Diagnostic &diagnostic) { error += diagnostic.str() + "\n"; });
    if (failed(verify(kernel.module.get())))
      return "the generator made invalid IR: " + error;
  }
  Arena left(kernel), right(kernel);
  if (!run(kernel, expected, left, error))
    return "the reference fails: " + error + "\n";
  if (!run(kernel, actual, right, error))
    return "fails: " + error + "\n";
  return left.compare(right);
}

std::string describe(uint64_t seed, const RandomKernel &kernel,
                     const std::string &problem) {
  std::string text =
      "seed " + std::to_string(seed) + ", " + std::to_string(kernel.steps) +
      " steps, grid " + std::to_string(kernel.grid[0]) + " x " +
      std::to_string(kernel.grid[1]) + " x " + std::to_string(kernel.grid[2]) +
      ": " + problem + "scalar arguments:";
  for (auto [index, argument] : llvm::enumerate(kernel.arguments))
    if (!argument.isPointer)
      text += " %arg" + std::to_string(index) + " = " +
              std::to_string(int64_t(argument.bits));
  llvm::raw_string_ostream(text) << "\n" << kernel.module.get() << "\n";
  return text;
}

/// Printed where an implementation crashes.
struct CrashReport : llvm::PrettyStackTraceEntry {
  CrashReport(uint64_t seed, const RandomKernel &kernel)
      : text(describe(seed, kernel, "crashes\n")) {}
  void print(llvm::raw_ostream &os) const override { os << text; }
  std::string text;
};

} // namespace

Implementation evaluator() {
  return [](ModuleOp module, const Launch &launch, std::string &error) {
    return interp::evaluate(findKernel(module), launch.grid, launch.arguments,
                            error, launch.memory);
  };
}

Implementation
evaluatorAfter(std::function<void(OpPassManager &)> buildPipeline,
               std::atomic<unsigned> *general) {
  return [=](ModuleOp module, const Launch &launch, std::string &error) {
    OwningOpRef<ModuleOp> original = module.clone();
    PassManager manager(module.getContext());
    buildPipeline(manager);
    if (failed(manager.run(module)))
      return false;
    func::FuncOp kernel = findKernel(module);
    auto precondition = module.lookupSymbol<func::FuncOp>(
        (kernel.getName() + ".precondition").str());
    if (precondition &&
        !interp::evaluatePrecondition(precondition, launch.arguments,
                                      launch.grid, error)) {
      if (!error.empty())
        return false;
      if (general)
        ++*general;
      kernel = findKernel(*original);
    }
    return interp::evaluate(kernel, launch.grid, launch.arguments, error,
                            launch.memory);
  };
}

Seeds seeds(uint64_t first, uint64_t count) {
  if (const char *text = std::getenv("TESELA_RANDOM_SEED"))
    first = std::strtoull(text, nullptr, 10);
  if (const char *text = std::getenv("TESELA_RANDOM_KERNELS"))
    count = std::strtoull(text, nullptr, 10);
  return {first, count};
}

/// Of the kernel of one seed, cut to the smallest prefix that still fails;
/// empty where all is well.
static std::string reportOn(uint64_t seed, const Implementation &expected,
                            const Implementation &actual,
                            const RandomKernelOptions &options) {
  RandomKernel kernel = generateKernel(tileContext(), seed, options);
  CrashReport crash(seed, kernel);
  std::string problem = check(kernel, expected, actual);
  if (problem.empty())
    return "";
  for (unsigned steps = 0; steps < kernel.steps; ++steps) {
    RandomKernelOptions fewer = options;
    fewer.maxSteps = steps;
    RandomKernel prefix = generateKernel(tileContext(), seed, fewer);
    std::string shorter = check(prefix, expected, actual);
    if (!shorter.empty())
      return describe(seed, prefix, shorter);
  }
  return describe(seed, kernel, problem);
}

std::string runDifferential(Seeds seeds, const Implementation &expected,
                            const Implementation &actual,
                            RandomKernelOptions options) {
  // An implementation that crashes should at least say on what.
  llvm::EnablePrettyStackTrace();
  if (const char *text = std::getenv("TESELA_RANDOM_STEPS"))
    options.maxSteps = unsigned(std::strtoul(text, nullptr, 10));
  std::map<uint64_t, std::string> reports;
  std::mutex mutex;
  std::atomic<uint64_t> next = 0, failures = 0;
  auto work = [&] {
    while (failures < 3) {
      uint64_t number = next++;
      if (number >= seeds.count)
        return;
      std::string report =
          reportOn(seeds.first + number, expected, actual, options);
      if (report.empty())
        continue;
      ++failures;
      std::lock_guard lock(mutex);
      reports[number] = std::move(report);
    }
  };
  std::vector<std::thread> workers;
  for (unsigned i = 0; i != std::max(1u, std::thread::hardware_concurrency());
       ++i)
    workers.emplace_back(work);
  for (std::thread &worker : workers)
    worker.join();
  std::string all;
  for (auto &[number, report] : reports)
    all += report;
  return all;
}

} // namespace tesela::test
