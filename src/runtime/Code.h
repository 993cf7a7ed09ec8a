//===- Code.h - a kernel that can be run in this process ------------------===//

#ifndef TESELA_RUNTIME_CODE_H
#define TESELA_RUNTIME_CODE_H

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

class Code {
public:
  virtual ~Code();

  /// Whether the facts hold that it takes for granted.
  virtual bool accepts(const LaunchFrame &frame) const;

  /// Whether it makes use of `LaunchFrame::memory`.
  virtual bool checksMemory() const;

  /// Runs every instance of the grid. False, with the reason in `error`, where
  /// it can't; then nothing has been written, except by the evaluator.
  virtual bool run(ThreadPool &pool, const LaunchFrame &frame,
                   std::string &error) const = 0;
};

/// Machine code for the host. `owner` keeps it loaded.
std::unique_ptr<Code> makeCpuCode(std::shared_ptr<void> owner, CpuEntry entry,
                                  CpuPrecondition precondition,
                                  uint64_t scratchBytes);

} // namespace tesela::runtime

#endif // TESELA_RUNTIME_CODE_H
