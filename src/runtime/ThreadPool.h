//===- ThreadPool.h - the threads that run program instances --------------===//

#ifndef TESELA_RUNTIME_THREADPOOL_H
#define TESELA_RUNTIME_THREADPOOL_H

#include <cstdint>
#include <memory>

namespace tesela::runtime {

/// Workers that sleep while there is nothing to do. Launches from several
/// threads are served one after the other. A forked child gets fresh workers.
class ThreadPool {
public:
  /// `threads` counts the caller, which works too; 0 takes one for each core
  /// that the process may use.
  explicit ThreadPool(int threads);
  ~ThreadPool();

  int threads() const;

  using Body = void (*)(void *context, void *scratch, int64_t begin,
                        int64_t end);

  /// Calls `body` until every i in [0, count) has been in exactly one range.
  /// Each thread gets contiguous ranges and 64-byte aligned scratch memory of
  /// its own, at least `scratchBytes` large. Returns when all is done. Memory
  /// that can't be had is reported by false, and then nothing has run.
  bool run(int64_t count, uint64_t scratchBytes, Body body, void *context);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tesela::runtime

#endif // TESELA_RUNTIME_THREADPOOL_H
