//===- Differential.h - two implementations, the same memory --------------===//
//
// The oracle of passes and back ends: random kernels run on one implementation
// and on another, on equal memory, and must leave every byte of it equal.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_TEST_GENERATE_DIFFERENTIAL_H
#define TESELA_TEST_GENERATE_DIFFERENTIAL_H

#include "generate/RandomKernel.h"
#include "interp/Evaluator.h"

#include "mlir/Pass/PassManager.h"

#include <atomic>
#include <functional>
#include <vector>

namespace tesela::test {

/// How a kernel is called.
struct Launch {
  std::array<int32_t, 3> grid;
  const void *arguments;
  /// All that it may touch.
  std::vector<interp::MemoryRange> memory;
};

/// Runs the one kernel of a module, which it may change. False, with the reason
/// in `error`, where it can't.
using Implementation = std::function<bool(
    mlir::ModuleOp module, const Launch &launch, std::string &error)>;

/// The reference evaluator.
Implementation evaluator();

/// The reference evaluator after passes. A launch whose precondition does not
/// hold runs the kernel as it was, and is counted in `general` if that is
/// given.
Implementation
evaluatorAfter(std::function<void(mlir::OpPassManager &)> buildPipeline,
               std::atomic<unsigned> *general = nullptr);

/// Consecutive seeds.
struct Seeds {
  uint64_t first = 0;
  uint64_t count = 0;
};

/// The seeds that a test tries: these, unless TESELA_RANDOM_SEED says another
/// first one, or TESELA_RANDOM_KERNELS how many. (TESELA_RANDOM_STEPS cuts each
/// kernel short, to narrow down a crash.)
Seeds seeds(uint64_t first, uint64_t count);

/// Runs the kernels of some seeds, on all cores. Gives what went wrong: the
/// seed, the first difference, and the smallest prefix of the kernel that still
/// fails; empty where all agree. Stops after three failures.
std::string runDifferential(Seeds seeds, const Implementation &expected,
                            const Implementation &actual,
                            RandomKernelOptions options = {});

} // namespace tesela::test

#endif // TESELA_TEST_GENERATE_DIFFERENTIAL_H
