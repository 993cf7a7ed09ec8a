//===- Code.cpp - a kernel that can be run in this process ----------------===//

#include "runtime/Code.h"

#include "runtime/ThreadPool.h"

namespace tesela::runtime {

Code::~Code() = default;

bool Code::checksMemory() const { return false; }

namespace {

class CpuCode final : public Code {
public:
  CpuCode(std::shared_ptr<void> owner, CpuEntry entry,
          CpuPrecondition precondition, uint64_t scratchBytes)
      : owner(std::move(owner)), entry(entry), precondition(precondition),
        scratchBytes(scratchBytes) {}

  RunOutcome run(const ExecutionContext &context, const LaunchFrame &frame,
                 RunError &error) const override {
    if (precondition && !precondition(frame.arguments, frame.grid))
      return RunOutcome::NotAccepted;
    Launch launch = {entry, frame};
    int64_t count = int64_t(frame.grid[0]) * frame.grid[1] * frame.grid[2];
    if (context.pool->run(count, scratchBytes, runRange, &launch))
      return RunOutcome::Done;
    error.text = "cannot allocate " + std::to_string(scratchBytes) +
                 " bytes of scratch memory for each thread";
    return RunOutcome::Failed;
  }

private:
  struct Launch {
    CpuEntry entry;
    const LaunchFrame &frame;
  };

  static void runRange(void *context, void *scratch, int64_t begin,
                       int64_t end) {
    const Launch &launch = *static_cast<const Launch *>(context);
    launch.entry(launch.frame.arguments, scratch, launch.frame.grid, begin,
                 end);
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
