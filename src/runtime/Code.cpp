//===- Code.cpp - a kernel that can be run in this process ----------------===//

#include "runtime/Code.h"

#include "runtime/ThreadPool.h"

namespace tesela::runtime {

Code::~Code() = default;

bool Code::accepts(const void *, const int32_t *) const { return true; }

namespace {

class CpuCode final : public Code {
public:
  CpuCode(std::shared_ptr<void> owner, CpuEntry entry,
          CpuPrecondition precondition, uint64_t scratchBytes)
      : owner(std::move(owner)), entry(entry), precondition(precondition),
        scratchBytes(scratchBytes) {}

  bool accepts(const void *arguments, const int32_t *grid) const override {
    return !precondition || precondition(arguments, grid);
  }

  bool run(ThreadPool &pool, const void *arguments, const int32_t *grid,
           std::string &error) const override {
    Launch launch = {entry, arguments, grid};
    int64_t count = int64_t(grid[0]) * grid[1] * grid[2];
    if (pool.run(count, scratchBytes, runRange, &launch))
      return true;
    error = "cannot allocate " + std::to_string(scratchBytes) +
            " bytes of scratch memory for each thread";
    return false;
  }

private:
  struct Launch {
    CpuEntry entry;
    const void *arguments;
    const int32_t *grid;
  };

  static void runRange(void *context, void *scratch, int64_t begin,
                       int64_t end) {
    const Launch &launch = *static_cast<const Launch *>(context);
    launch.entry(launch.arguments, scratch, launch.grid, begin, end);
  }

  std::shared_ptr<void> owner;
  CpuEntry entry;
  CpuPrecondition precondition;
  uint64_t scratchBytes;
};

} // namespace

std::unique_ptr<Code> makeCpuCode(std::shared_ptr<void> owner, CpuEntry entry,
                                  CpuPrecondition precondition,
                                  uint64_t scratchBytes) {
  return std::make_unique<CpuCode>(std::move(owner), entry, precondition,
                                   scratchBytes);
}

} // namespace tesela::runtime
