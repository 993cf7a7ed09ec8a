//===- Code.h - a kernel that can be run in this process ------------------===//

#ifndef TESELA_RUNTIME_CODE_H
#define TESELA_RUNTIME_CODE_H

#include "support/KernelAbi.h"

#include <memory>
#include <string>

namespace tesela::runtime {

class ThreadPool;

/// Arguments are packed as KernelAbi.h says; `grid` has three extents.
class Code {
public:
  virtual ~Code();

  /// Whether the facts hold that it takes for granted.
  virtual bool accepts(const void *arguments, const int32_t *grid) const;

  /// Runs every instance of the grid. False, with the reason in `error`, where
  /// it can't; then nothing has been written, except by the evaluator.
  virtual bool run(ThreadPool &pool, const void *arguments, const int32_t *grid,
                   std::string &error) const = 0;
};

/// Machine code for the host. `owner` keeps it loaded.
std::unique_ptr<Code> makeCpuCode(std::shared_ptr<void> owner, CpuEntry entry,
                                  CpuPrecondition precondition,
                                  uint64_t scratchBytes);

} // namespace tesela::runtime

#endif // TESELA_RUNTIME_CODE_H
