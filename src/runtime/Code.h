//===- Code.h - a kernel that can be run in this process ------------------===//

#ifndef TESELA_RUNTIME_CODE_H
#define TESELA_RUNTIME_CODE_H

#include "support/Diagnostics.h"
#include "support/KernelAbi.h"

#include <memory>
#include <span>
#include <string>

namespace tesela::runtime {

class ThreadPool;

/// Memory that a kernel was given.
struct MemorySpan {
  const void *begin = nullptr;
  size_t bytes = 0;
};

/// One launch.
struct LaunchFrame {
  /// Packed as KernelAbi.h says.
  const void *arguments = nullptr;
  int32_t grid[3] = {1, 1, 1};
  /// For code that checks accesses; empty where not all sizes are known.
  std::span<const MemorySpan> memory;
};

/// What code is run with: each kind takes what it needs.
struct ExecutionContext {
  /// The host's threads.
  ThreadPool *pool = nullptr;
  /// Where a GPU's work is queued: a `CUstream`, null for the default one.
  void *stream = nullptr;
};

enum class RunOutcome : uint8_t {
  Done,
  /// A fact does not hold that the code takes for granted.
  NotAccepted,
  Failed,
};

/// Why something failed, as the end of a sentence.
struct RunError {
  DiagId id = DiagId::LaunchFailed;
  std::string text;
};

class Code {
public:
  virtual ~Code();

  /// Whether it makes use of `LaunchFrame::memory`.
  virtual bool checksMemory() const;

  /// Runs every instance of the grid, or queues them on a GPU. Where it does
  /// not, nothing has been written, except by the evaluator.
  virtual RunOutcome run(const ExecutionContext &context,
                         const LaunchFrame &frame, RunError &error) const = 0;
};

/// Machine code for the host. `owner` keeps it loaded.
std::unique_ptr<Code> makeCpuCode(std::shared_ptr<void> owner, CpuEntry entry,
                                  CpuPrecondition precondition,
                                  uint64_t scratchBytes);

} // namespace tesela::runtime

#endif // TESELA_RUNTIME_CODE_H
