//===- ThreadPoolTest.cpp - every instance once, whoever asks -------------===//

#include "runtime/ThreadPool.h"

#include "runtime/Shares.h"
#include "runtime/UsableCpus.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tesela::runtime;

namespace {

struct Counts {
  explicit Counts(int64_t count) : of(size_t(count)) {}

  static void body(void *context, void *, int64_t begin, int64_t end) {
    auto &counts = *static_cast<Counts *>(context);
    for (int64_t i = begin; i < end; ++i)
      counts.of[size_t(i)].fetch_add(1, std::memory_order_relaxed);
  }
  bool areAllOne() const {
    for (const auto &count : of)
      if (count != 1)
        return false;
    return true;
  }

  std::vector<std::atomic<int>> of;
};

TEST(ThreadPool, RunsEachInstanceOnce) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int64_t count : {1, 2, 3, 7, 64, 1000, 100003}) {
      for (int repeat = 0; repeat < 20; ++repeat) {
        Counts counts(count);
        ASSERT_TRUE(pool.run(count, 0, Counts::body, &counts));
        ASSERT_TRUE(counts.areAllOne()) << threads << " " << count;
      }
    }
  }
}

TEST(ThreadPool, TakesNothingForNothing) {
  ThreadPool pool(4);
  Counts counts(1);
  EXPECT_TRUE(pool.run(0, 0, Counts::body, &counts));
  EXPECT_TRUE(pool.run(-5, 0, Counts::body, &counts));
  EXPECT_EQ(counts.of[0], 0);
}

TEST(ThreadPool, SplitsHugeCounts) {
  ThreadPool pool(2);
  std::atomic<int64_t> sum{0};
  int64_t count = int64_t(1) << 40;
  ASSERT_TRUE(pool.run(
      count, 0,
      [](void *context, void *, int64_t begin, int64_t end) {
        static_cast<std::atomic<int64_t> *>(context)->fetch_add(end - begin);
      },
      &sum));
  EXPECT_EQ(sum, count);
}

struct ScratchUse {
  std::mutex mutex;
  std::set<void *> inUse;
  std::atomic<bool> isWrong{false};
  size_t bytes = 0;
};

TEST(ThreadPool, GivesEachThreadItsOwnScratch) {
  ThreadPool pool(4);
  for (size_t bytes :
       {size_t(64), size_t(5000), size_t(100), size_t(1) << 20}) {
    ScratchUse use;
    use.bytes = bytes;
    ASSERT_TRUE(pool.run(
        200, bytes,
        [](void *context, void *scratch, int64_t, int64_t) {
          auto &use = *static_cast<ScratchUse *>(context);
          {
            std::lock_guard lock(use.mutex);
            if (!use.inUse.insert(scratch).second)
              use.isWrong = true;
          }
          if (reinterpret_cast<uintptr_t>(scratch) % 64)
            use.isWrong = true;
          std::memset(scratch, 1, use.bytes);
          std::lock_guard lock(use.mutex);
          use.inUse.erase(scratch);
        },
        &use));
    EXPECT_FALSE(use.isWrong);
  }
}

TEST(ThreadPool, RunsNothingWithoutMemory) {
  ThreadPool pool(2);
  Counts counts(4);
  EXPECT_FALSE(pool.run(4, UINT64_MAX, Counts::body, &counts));
  EXPECT_FALSE(pool.run(4, uint64_t(1) << 46, Counts::body, &counts));
  EXPECT_EQ(counts.of[0], 0);
  EXPECT_TRUE(pool.run(4, 64, Counts::body, &counts));
  EXPECT_TRUE(counts.areAllOne());
}

TEST(ThreadPool, ServesManyThreads) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int caller = 0; caller < 6; ++caller)
    callers.emplace_back([&, caller] {
      for (int launch = 0; launch < 300; ++launch) {
        int64_t count = 1 + (caller * 31 + launch * 7) % 100;
        Counts counts(count);
        if (!pool.run(count, 64, Counts::body, &counts) || !counts.areAllOne())
          ++wrong;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, EvensOutUnequalInstances) {
  // The first instance lasts until all others have run: whoever has it can't
  // run what else is in its share.
  ThreadPool pool(2);
  std::atomic<int> done{0};
  ASSERT_TRUE(pool.run(
      64, 0,
      [](void *context, void *, int64_t begin, int64_t end) {
        auto &done = *static_cast<std::atomic<int> *>(context);
        for (int64_t i = begin; i < end; ++i) {
          if (i == 63)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          ++done;
        }
      },
      &done));
  EXPECT_EQ(done, 64);
}

TEST(ThreadPool, RunsLaunchesInsideLaunches) {
  ThreadPool pool(2);
  struct Context {
    ThreadPool *pool;
    Counts counts{100};
  } context{&pool};
  ASSERT_TRUE(pool.run(
      10, 64,
      [](void *opaque, void *, int64_t begin, int64_t end) {
        auto &context = *static_cast<Context *>(opaque);
        for (int64_t i = begin; i < end; ++i) {
          std::pair<Context *, int64_t> inner{&context, i * 10};
          context.pool->run(
              10, 64,
              [](void *opaque, void *scratch, int64_t begin, int64_t end) {
                auto &inner =
                    *static_cast<std::pair<Context *, int64_t> *>(opaque);
                std::memset(scratch, 0, 64);
                Counts::body(&inner.first->counts, scratch,
                             inner.second + begin, inner.second + end);
              },
              &inner);
        }
      },
      &context));
  EXPECT_TRUE(context.counts.areAllOne());
}

TEST(ThreadPool, WorksInForkedChildren) {
  ThreadPool pool(4);
  Counts before(1000);
  ASSERT_TRUE(pool.run(1000, 64, Counts::body, &before));

  // Forks while another thread keeps launching.
  std::atomic<bool> isStopping{false};
  std::thread busy([&] {
    while (!isStopping) {
      Counts counts(50);
      pool.run(50, 64, Counts::body, &counts);
    }
  });
  for (int i = 0; i < 10; ++i) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);
      Counts counts(1000);
      bool isFine =
          pool.run(1000, 64, Counts::body, &counts) && counts.areAllOne();
      _exit(isFine ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  isStopping = true;
  busy.join();
  Counts after(1000);
  EXPECT_TRUE(pool.run(1000, 64, Counts::body, &after));
  EXPECT_TRUE(after.areAllOne());
}

TEST(ThreadPool, SleepsWhenIdle) {
  ThreadPool pool(3);
  Counts counts(100);
  ASSERT_TRUE(pool.run(100, 0, Counts::body, &counts));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  clock_t before = clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  // Of the whole process.
  EXPECT_LT(double(clock() - before) / CLOCKS_PER_SEC, 0.02);
}

TEST(ThreadPool, TakesWhatTheProcessMayUse) {
  ThreadPool pool(0);
  EXPECT_EQ(pool.threads(), usableCpus());
  EXPECT_GE(usableCpus(), 1);
}

TEST(UsableCpus, ReadsQuotas) {
  EXPECT_EQ(cpusOfQuota("max 100000\n"), 0);
  EXPECT_EQ(cpusOfQuota("200000 100000\n"), 2);
  EXPECT_EQ(cpusOfQuota("150000 100000\n"), 2);
  EXPECT_EQ(cpusOfQuota("10000 100000\n"), 1);
  EXPECT_EQ(cpusOfQuota("-1\n 100000\n"), 0);
  EXPECT_EQ(cpusOfQuota(""), 0);
  EXPECT_EQ(cpusOfQuota("100000"), 0);
}

TEST(Shares, CoverTheRange) {
  Shares shares(3);
  shares.split(5, 105, 3);
  std::vector<int> counts(105);
  Shares::Run run;
  for (int thread : {2, 0, 1})
    while (shares.take(thread, run))
      for (int64_t i = run.begin; i < run.end; ++i)
        ++counts[size_t(i)];
  for (size_t i = 0; i < counts.size(); ++i)
    EXPECT_EQ(counts[i], i < 5 ? 0 : 1);
}

TEST(Shares, AreTakenInOrder) {
  Shares shares(2);
  shares.split(0, 100, 2);
  int64_t next = 0;
  Shares::Run run;
  while (next < 50 && shares.take(0, run)) {
    EXPECT_EQ(run.begin, next);
    EXPECT_GT(run.end, run.begin);
    next = run.end;
  }
  EXPECT_EQ(next, 50);
  // Then from the back half of the other's.
  ASSERT_TRUE(shares.take(0, run));
  EXPECT_EQ(run.begin, 75);
}

} // namespace
