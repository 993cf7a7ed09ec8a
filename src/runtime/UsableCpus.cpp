//===- UsableCpus.cpp - how many processors this process may use ----------===//
//
// A container's limit is a share of time, not a mask. More threads than that
// would be stopped for the rest of each period, all at once.
//
//===----------------------------------------------------------------------===//

#include "runtime/UsableCpus.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <unistd.h>
#include <vector>

namespace tesela::runtime {

static std::string contents(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

int cpusOfQuota(const std::string &text) {
  // "QUOTA PERIOD" in microseconds, or "max PERIOD".
  char *end = nullptr;
  long long quota = std::strtoll(text.c_str(), &end, 10);
  if (end == text.c_str() || quota <= 0)
    return 0;
  long long period = std::strtoll(end, nullptr, 10);
  if (period <= 0)
    return 0;
  return int(std::clamp((quota + period - 1) / period, 1LL, 1LL << 20));
}

static int affinityCpus() {
  // The mask may be wider than a `cpu_set_t`.
  for (int width = 1024; width <= 1 << 20; width *= 4) {
    cpu_set_t *set = CPU_ALLOC(width);
    if (!set)
      break;
    size_t size = CPU_ALLOC_SIZE(width);
    bool isKnown = sched_getaffinity(0, size, set) == 0;
    int count = isKnown ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (isKnown)
      return std::max(count, 1);
  }
  return int(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

int usableCpus() {
  int cpus = affinityCpus();
  auto limit = [&](const std::string &text) {
    if (int quota = cpusOfQuota(text))
      cpus = std::min(cpus, quota);
  };

  // Version 2: the group of this process and all above it.
  std::string group = contents("/proc/self/cgroup");
  size_t at = group.find("0::/");
  if (at != group.npos) {
    std::string path = group.substr(at + 3, group.find('\n', at) - at - 3);
    while (true) {
      limit(contents("/sys/fs/cgroup" + path + "/cpu.max"));
      size_t slash = path.rfind('/');
      if (path.empty() || slash == path.npos)
        break;
      path.resize(slash);
    }
  }
  // Version 1, as a container sees its own group.
  limit(contents("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") + " " +
        contents("/sys/fs/cgroup/cpu/cpu.cfs_period_us"));
  return std::max(cpus, 1);
}

} // namespace tesela::runtime
