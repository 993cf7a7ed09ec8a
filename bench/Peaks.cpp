//===- Peaks.cpp - what this machine computes and moves at best -----------===//
//
//   tesela-bench-peaks THREADS
//
// Prints the rows `peak_fma`, of multiplications and additions in registers,
// and `peak_copy`, of memory that no cache holds, of so many threads at once:
// the ceilings of the roofline that the CPU bench draws.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

static constexpr int rounds = 7;
static constexpr long steps = 20'000'000;
static constexpr size_t copied = size_t(1) << 28;

/// More chains than a core has multiplications in flight.
static constexpr int chains = 12;

/// The best time of some rounds, each of all threads at once.
static double secondsOf(int threads, const std::function<void(int)> &work) {
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i)
      others.emplace_back(work, i);
    work(0);
    for (std::thread &other : others)
      other.join();
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}

/// Chains of multiplications and additions; what is left is of no interest.
#define CHAINS(NAME, TARGET, LANES)                                            \
  TARGET static void NAME(float *out) {                                        \
    typedef float Lane __attribute__((vector_size(LANES * 4)));                \
    Lane sums[chains], factor, term;                                           \
    for (int lane = 0; lane < LANES; ++lane) {                                 \
      factor[lane] = 0.999f;                                                   \
      term[lane] = out[lane];                                                  \
    }                                                                          \
    for (Lane &sum : sums)                                                     \
      sum = term;                                                              \
    for (long step = 0; step < steps; ++step)                                  \
      for (Lane &sum : sums)                                                   \
        sum = sum * factor + term;                                             \
    for (Lane &sum : sums)                                                     \
      term += sum;                                                             \
    std::memcpy(out, &term, sizeof(term));                                     \
  }

#if defined(__x86_64__)
CHAINS(chainsOf16, __attribute__((target("avx512f"))), 16)
CHAINS(chainsOf8, __attribute__((target("avx2,fma"))), 8)
#endif
CHAINS(chainsOf4, , 4)

static double flopsOf(int threads) {
  void (*run)(float *) = chainsOf4;
  int lanes = 4;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    run = chainsOf16;
    lanes = 16;
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    run = chainsOf8;
    lanes = 8;
  }
#endif
  double seconds = secondsOf(threads, [&](int) {
    float start[16] = {1};
    run(start);
    volatile float end = start[0];
    (void)end;
  });
  return 2.0 * lanes * chains * double(steps) * threads / seconds;
}

static double bytesOf(int threads) {
  std::vector<char> from(copied, 1), to(copied, 2);
  double seconds = secondsOf(threads, [&](int thread) {
    size_t each = copied / threads;
    std::memcpy(&to[thread * each], &from[thread * each], each);
  });
  return 2.0 * double(copied) / seconds;
}

int main(int count, char **arguments) {
  int threads = count > 1 ? std::max(std::atoi(arguments[1]), 1) : 1;
  const char *plural = threads == 1 ? "" : "s";
  std::printf("{\"case\": \"peak_fma\", \"shape\": \"%d thread%s\", \"dtype\": "
              "\"float32\", \"gflops\": %.2f}\n",
              threads, plural, flopsOf(threads) / 1e9);
  std::printf("{\"case\": \"peak_copy\", \"shape\": \"%d thread%s\", "
              "\"dtype\": \"\", \"gbps\": %.2f}\n",
              threads, plural, bytesOf(threads) / 1e9);
  return 0;
}
