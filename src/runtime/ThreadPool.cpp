//===- ThreadPool.cpp - the threads that run program instances ------------===//
//
// A launch opens the *gate* with a number of seats. A worker that finds an open
// gate takes a seat and works on the shares (Shares.h) until they are empty.
// The caller works too; when nothing is left to take it closes the gate and
// waits for those that are seated. So a worker that wakes late neither delays a
// launch nor sees the next one's data by mistake.
//
// Waking a worker costs microseconds. A launch that took less the last time
// starts on the caller alone, and wakes the others once it lasts longer than
// that. Workers look for work for a few microseconds before they sleep.
//
// fork() waits for running launches, and the child starts without workers.
//
//===----------------------------------------------------------------------===//

#include "runtime/ThreadPool.h"

#include "runtime/Futex.h"
#include "runtime/Shares.h"
#include "runtime/UsableCpus.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <pthread.h>
#include <signal.h>
#include <vector>

namespace tesela::runtime {

/// How long those that wait look before they sleep.
static constexpr int64_t spinNanoseconds = 10000;
/// Work that is done sooner than others would be awake.
static constexpr int64_t aloneNanoseconds = 8000;

static int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

namespace {

/// Memory of one thread that grows with what launches ask for.
struct Scratch {
  void *memory = nullptr;
  uint64_t size = 0;

  ~Scratch() { std::free(memory); }

  bool reserve(uint64_t bytes) {
    if (bytes <= size)
      return true;
    // More than any machine has, and an overflow below.
    if (bytes > uint64_t(1) << 40)
      return false;
    uint64_t rounded = (bytes + 4095) / 4096 * 4096;
    void *larger = std::aligned_alloc(64, rounded);
    if (!larger)
      return false;
    std::free(memory);
    memory = larger;
    size = rounded;
    return true;
  }
};

/// What a launch's predecessors with the same numbers cost.
struct Cost {
  uint64_t key = 0;
  int64_t nanoseconds = 0;
};

/// [epoch: 32][free seats: 16][taken seats: 16]
uint64_t packGate(uint32_t epoch, uint64_t seats) {
  return uint64_t(epoch) << 32 | seats << 16;
}
uint32_t epochOf(uint64_t gate) { return uint32_t(gate >> 32); }
uint64_t freeSeats(uint64_t gate) { return gate >> 16 & 0xffff; }
uint64_t takenSeats(uint64_t gate) { return gate & 0xffff; }

/// What fork() has to do with.
struct Crew {
  /// Held by the launch that runs.
  std::mutex launching;
  std::vector<pthread_t> workers;
  alignas(64) std::atomic<uint64_t> gate{0};
  /// The epoch of the gate: what sleeping workers wait on.
  alignas(64) std::atomic<uint32_t> epoch{0};
  std::atomic<uint32_t> sleeping{0};
  std::atomic<bool> isStopping{false};
  /// How many have left their seats: what the caller waits on.
  alignas(64) std::atomic<uint32_t> left{0};
  std::atomic<bool> isCallerWaiting{false};
};

} // namespace

struct ThreadPool::State : Crew {
  explicit State(int threads)
      : threads(threads), shares(threads), scratch(threads) {}

  bool launch(int64_t count, uint64_t scratchBytes, Body body, void *context);
  int64_t together(int64_t first, int64_t count);
  int64_t alone(int64_t count, int64_t start);
  void startWorkers(int count);
  void open(int seats);
  void wakeSome();
  void close();
  int64_t workOn(int thread);
  void work();
  static void *enter(void *state);

  const int threads;
  Shares shares;
  std::vector<Scratch> scratch;

  Cost costs[64];

  // Of the launch; written while the gate is closed.
  Body body = nullptr;
  void *context = nullptr;
};

/// The pool whose launch this thread works on.
static thread_local const Crew *workingFor = nullptr;

//===----------------------------------------------------------------------===//
// fork
//===----------------------------------------------------------------------===//

namespace {

/// All pools of the process, for the handlers of fork().
struct Registry {
  std::mutex mutex;
  std::vector<Crew *> pools;
};

} // namespace

static Registry &registry() {
  // Never destroyed: a fork may come after the end of main.
  static Registry *only = new Registry;
  return *only;
}

namespace {
struct ForkHandlers {
  static void prepare() {
    registry().mutex.lock();
    for (Crew *pool : registry().pools)
      if (workingFor != pool)
        pool->launching.lock();
  }
  static void parent() {
    for (Crew *pool : registry().pools)
      if (workingFor != pool)
        pool->launching.unlock();
    registry().mutex.unlock();
  }
  static void child() {
    for (Crew *pool : registry().pools) {
      pool->workers.clear();
      pool->sleeping = 0;
      pool->gate = packGate(epochOf(pool->gate), 0);
      pool->left = 0;
      if (workingFor != pool)
        pool->launching.unlock();
    }
    registry().mutex.unlock();
  }
};
} // namespace

static void enroll(Crew *pool) {
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork(ForkHandlers::prepare, ForkHandlers::parent,
                   ForkHandlers::child);
  });
  std::lock_guard lock(registry().mutex);
  registry().pools.push_back(pool);
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

void *ThreadPool::State::enter(void *state) {
  static_cast<State *>(state)->work();
  return nullptr;
}

/// Gives how many instances it ran.
int64_t ThreadPool::State::workOn(int thread) {
  Shares::Run run;
  int64_t instances = 0;
  while (shares.take(thread, run)) {
    body(context, scratch[thread].memory, run.begin, run.end);
    instances += run.end - run.begin;
  }
  return instances;
}

void ThreadPool::State::work() {
  workingFor = this;
  uint32_t seen = 0;
  uint32_t turns = 0;
  int64_t idleSince = now();
  while (!isStopping.load(std::memory_order_relaxed)) {
    uint64_t opening = gate.load(std::memory_order_acquire);
    if (epochOf(opening) != seen && freeSeats(opening)) {
      // One free seat less, one more taken.
      if (!gate.compare_exchange_weak(opening, opening - (1 << 16) + 1,
                                      std::memory_order_acquire))
        continue;
      seen = epochOf(opening);
      if (freeSeats(opening) > 1)
        wakeSome();
      workOn(int(takenSeats(opening)) + 1);
      left.fetch_add(1);
      if (isCallerWaiting.load())
        wake(left, 1);
      idleSince = now();
      continue;
    }
    if (++turns % 16 || now() - idleSince < spinNanoseconds) {
      pauseBriefly();
      continue;
    }
    // Whoever opens the gate changes the epoch before it looks for sleepers;
    // so either it sees this one, or the sleep ends at once.
    sleeping.fetch_add(1);
    uint32_t current = epoch.load();
    uint64_t again = gate.load();
    if (!isStopping && (epochOf(again) == seen || !freeSeats(again)))
      sleepWhile(epoch, current);
    sleeping.fetch_sub(1);
    idleSince = now();
  }
}

void ThreadPool::State::startWorkers(int count) {
  sigset_t all, before;
  sigfillset(&all);
  // Signals are for the threads of the program.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (int(workers.size()) < count) {
    pthread_t worker;
    if (pthread_create(&worker, nullptr, enter, this))
      break;
    pthread_setname_np(worker, "tesela");
    workers.push_back(worker);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// Wakes two; they wake two each in turn, if there are seats for more.
void ThreadPool::State::wakeSome() {
  if (sleeping.load())
    wake(epoch, 2);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void ThreadPool::State::open(int seats) {
  left.store(0, std::memory_order_relaxed);
  isCallerWaiting.store(false, std::memory_order_relaxed);
  uint32_t next = epoch.load(std::memory_order_relaxed) + 1;
  gate.store(packGate(next, uint64_t(seats)), std::memory_order_release);
  epoch.store(next);
  wakeSome();
}

/// Lets nobody in any more and waits until all are out.
void ThreadPool::State::close() {
  uint64_t closed = gate.fetch_and(~(uint64_t(0xffff) << 16));
  uint32_t seated = uint32_t(takenSeats(closed));
  int64_t start = now();
  uint32_t turns = 0;
  while (true) {
    uint32_t out = left.load(std::memory_order_acquire);
    if (out == seated)
      return;
    if (++turns % 16 || now() - start < spinNanoseconds) {
      pauseBriefly();
      continue;
    }
    isCallerWaiting.store(true);
    sleepWhile(left, out);
  }
}

/// Gives what all of it would have cost the caller alone.
int64_t ThreadPool::State::together(int64_t first, int64_t count) {
  int seats = int(std::min<int64_t>(threads, count - first)) - 1;
  startWorkers(seats);
  seats = std::min<int>(seats, int(workers.size()));
  shares.split(first, count, seats + 1);
  if (seats)
    open(seats);
  int64_t start = now();
  int64_t instances = workOn(0);
  double cost = double(now() - start) / double(std::max<int64_t>(instances, 1));
  if (seats)
    close();
  return int64_t(std::min(cost * double(count), 1e15));
}

/// Runs on the caller until all is done or it has taken too long; gives the
/// first instance that was not run.
int64_t ThreadPool::State::alone(int64_t count, int64_t start) {
  int64_t first = 0;
  int64_t run = std::max<int64_t>(count / 8, 1);
  while (first < count) {
    int64_t end = std::min(first + run, count);
    body(context, scratch[0].memory, first, end);
    first = end;
    if (first < count && now() - start > 2 * aloneNanoseconds)
      break;
  }
  return first;
}

bool ThreadPool::State::launch(int64_t count, uint64_t scratchBytes,
                               Body newBody, void *newContext) {
  std::lock_guard lock(launching);
  int needed = int(std::min<int64_t>(threads, count));
  for (int i = 0; i < needed; ++i)
    if (!scratch[i].reserve(scratchBytes))
      return false;

  const Crew *outer = workingFor;
  workingFor = this;
  body = newBody;
  context = newContext;
  if (needed == 1) {
    body(context, scratch[0].memory, 0, count);
  } else {
    uint64_t key = (reinterpret_cast<uint64_t>(newBody) ^
                    uint64_t(count) * 0x9e3779b97f4a7c15) +
                   scratchBytes * 0xff51afd7ed558ccd;
    Cost &cost = costs[key >> 58];
    int64_t start = now();
    int64_t first = 0;
    if (cost.key == key && cost.nanoseconds < aloneNanoseconds)
      first = alone(count, start);
    if (first == count)
      cost = {key, now() - start};
    else
      cost = {key, together(first, count)};
  }
  workingFor = outer;
  return true;
}

ThreadPool::ThreadPool(int threads)
    : state(std::make_unique<State>(
          std::clamp(threads > 0 ? threads : usableCpus(), 1, 32767))) {
  enroll(state.get());
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(registry().mutex);
    std::erase(registry().pools, static_cast<Crew *>(state.get()));
  }
  state->isStopping = true;
  state->epoch.fetch_add(1);
  wake(state->epoch, INT32_MAX);
  for (pthread_t worker : state->workers)
    pthread_join(worker, nullptr);
}

int ThreadPool::threads() const { return state->threads; }

bool ThreadPool::run(int64_t count, uint64_t scratchBytes, Body body,
                     void *context) {
  if (count <= 0)
    return true;
  // From inside a launch there is nobody to wait for: at once, in place.
  if (workingFor == state.get()) {
    Scratch scratch;
    if (!scratch.reserve(scratchBytes))
      return false;
    body(context, scratch.memory, 0, count);
    return true;
  }
  return state->launch(count, scratchBytes, body, context);
}

} // namespace tesela::runtime
