//===- Launch.cpp - what a launch costs from C++ --------------------------===//
//
// Prints the rows `launch_cpp_4` and `launch_cpp_20` of the CPU bench: one tiny
// instance, launched over and over.
//
//===----------------------------------------------------------------------===//

#include "tesela/tesela.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <vector>

static constexpr int launches = 20000;
static constexpr int rounds = 11;

static const char *const source = R"(
import triton
import triton.language as tl

@triton.jit
def four(a, b, c, n, BLOCK: tl.constexpr):
    tl.store(a + tl.arange(0, BLOCK), n)

@triton.jit
def twenty(a, b, c, d, e, f, g, h, i, j, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9,
           BLOCK: tl.constexpr):
    tl.store(a + tl.arange(0, BLOCK), m9)
)";

/// Median time of one launch, in milliseconds; negative where it fails.
static double timeLaunch(const tesela::Kernel &kernel,
                         const std::vector<tesela::Argument> &arguments) {
  auto device = tesela::Device::cpu();
  std::vector<tesela::NamedArgument> constants{{"BLOCK", 16}};
  auto launch = [&] {
    return kernel.launch(device, {1, 1, 1}, arguments, constants);
  };
  if (auto done = launch(); !done) {
    std::cerr << done.error().text();
    return -1;
  }
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i)
      if (!launch())
        return -1;
    std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    times.push_back(taken.count() / launches);
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[rounds / 2];
}

int main() {
  auto module = tesela::Module::parse("launch.py", source);
  if (!module) {
    std::cerr << module.error().text();
    return 1;
  }
  std::vector<int32_t> data(16);
  for (int pointers : {3, 10}) {
    bool isFour = pointers == 3;
    auto kernel = module->kernel(isFour ? "four" : "twenty");
    if (!kernel) {
      std::cerr << kernel.error().text();
      return 1;
    }
    std::vector<tesela::Argument> arguments;
    for (int i = 0; i < pointers; ++i)
      arguments.emplace_back(std::span<int32_t>(data));
    for (int i = 0; i < (isFour ? 1 : 10); ++i)
      arguments.emplace_back(i + 2);
    double milliseconds = timeLaunch(*kernel, arguments);
    if (milliseconds < 0)
      return 1;
    std::printf("{\"case\": \"launch_cpp_%d\", \"shape\": \"\", \"dtype\": "
                "\"\", \"tesela_ms\": %.6f}\n",
                isFour ? 4 : 20, milliseconds);
  }
}
