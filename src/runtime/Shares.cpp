//===- Shares.cpp - a range of numbers that threads take from -------------===//

#include "runtime/Shares.h"

#include <algorithm>

namespace tesela::runtime {

static uint64_t pack(uint64_t begin, uint64_t end) { return begin << 32 | end; }
static uint64_t beginOf(uint64_t bounds) { return bounds >> 32; }
static uint64_t endOf(uint64_t bounds) { return bounds & UINT32_MAX; }
static uint64_t sizeOf(uint64_t bounds) {
  return endOf(bounds) - std::min(beginOf(bounds), endOf(bounds));
}

void Shares::split(int64_t first, int64_t count, int threads) {
  active = threads;
  offset = first;
  limit = count;
  uint64_t total = uint64_t(count - first);
  unit = int64_t((total + INT32_MAX - 1) / INT32_MAX);
  unit = std::max<int64_t>(unit, 1);
  uint64_t units = (total + uint64_t(unit) - 1) / uint64_t(unit);
  for (int i = 0; i < threads; ++i)
    shares[i].bounds.store(pack(units * uint64_t(i) / uint64_t(threads),
                                units * uint64_t(i + 1) / uint64_t(threads)),
                           std::memory_order_relaxed);
}

bool Shares::takeFront(int thread, Run &run) {
  std::atomic<uint64_t> &bounds = shares[thread].bounds;
  uint64_t seen = bounds.load(std::memory_order_relaxed);
  while (uint64_t size = sizeOf(seen)) {
    // Large runs first; the small ones at the end even things out.
    uint64_t begin = beginOf(seen);
    uint64_t end = begin + std::max<uint64_t>(size / 4, 1);
    if (!bounds.compare_exchange_weak(seen, pack(end, endOf(seen)),
                                      std::memory_order_relaxed))
      continue;
    run.begin = offset + int64_t(begin) * unit;
    run.end = std::min(offset + int64_t(end) * unit, limit);
    return true;
  }
  return false;
}

bool Shares::steal(int thread) {
  while (true) {
    int victim = -1;
    uint64_t seen = 0;
    for (int i = 0; i < active; ++i) {
      uint64_t bounds = shares[i].bounds.load(std::memory_order_relaxed);
      if (sizeOf(bounds) > sizeOf(seen)) {
        victim = i;
        seen = bounds;
      }
    }
    if (victim < 0)
      return false;
    uint64_t middle = beginOf(seen) + sizeOf(seen) / 2;
    if (shares[victim].bounds.compare_exchange_strong(
            seen, pack(beginOf(seen), middle), std::memory_order_relaxed)) {
      // Nobody else writes to an empty share.
      shares[thread].bounds.store(pack(middle, endOf(seen)),
                                  std::memory_order_relaxed);
      return true;
    }
  }
}

bool Shares::take(int thread, Run &run) {
  do {
    if (takeFront(thread, run))
      return true;
  } while (steal(thread));
  return false;
}

} // namespace tesela::runtime
