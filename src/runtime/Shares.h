//===- Shares.h - a range of numbers that threads take from ---------------===//
//
//   [0 ............................... count)
//   [thread 0 ][thread 1 ][thread 2 ]          a share each, contiguous
//    taken > ...        < .. half stolen
//
// Each thread takes runs from the front of its own share, so that what it works
// on stays contiguous, and when that is empty steals the back half of the
// largest share that is left. A share is one word, two 32-bit bounds, changed
// by compare-and-swap. A range that was taken never comes back, so a word that
// was read and is there again has not changed in between.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_RUNTIME_SHARES_H
#define TESELA_RUNTIME_SHARES_H

#include <atomic>
#include <cstdint>
#include <memory>

namespace tesela::runtime {

class Shares {
public:
  struct Run {
    int64_t begin = 0;
    int64_t end = 0;
  };

  explicit Shares(int threads) : shares(new Share[threads]) {}

  /// Splits [first, count) among so many threads. No thread takes meanwhile.
  void split(int64_t first, int64_t count, int threads);

  /// The next run of a thread, its own or stolen; false where nothing is left
  /// to take.
  bool take(int thread, Run &run);

private:
  struct alignas(64) Share {
    std::atomic<uint64_t> bounds{0};
  };

  bool takeFront(int thread, Run &run);
  bool steal(int thread);

  std::unique_ptr<Share[]> shares;
  int active = 0;
  int64_t offset = 0;
  int64_t limit = 0;
  /// Numbers in one unit of the bounds.
  int64_t unit = 1;
};

} // namespace tesela::runtime

#endif // TESELA_RUNTIME_SHARES_H
