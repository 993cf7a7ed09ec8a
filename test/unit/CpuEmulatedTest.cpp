//===- CpuEmulatedTest.cpp - AArch64 code under an emulator ---------------===//
//
// Elementary functions, held to the same bounds as the host's, and random
// kernels, bit for bit. (ShippedKernelsTest.cpp has those of `kernels/`.)
// Skipped where there is no emulator, no clang or no lld.
//
//===----------------------------------------------------------------------===//

#include "CpuKernel.h"
#include "EmulatedKernel.h"
#include "Emulator.h"
#include "MathCases.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace tesela;
using namespace tesela::test;

namespace {

constexpr size_t mostNumbers = 32768;

/// Reads up to 2^17 bytes, runs the kernel on them, writes as many.
const char *const runText = R"(
  static char input[1 << 17] __attribute__((aligned(64)));
  static char output[1 << 17] __attribute__((aligned(64)));
  void kernel(const void *x, const void *y, void *out, word count);

  int run(void) {
    word bytes = read(input, sizeof(input));
    kernel(input, input, output, bytes / 4);
    write(output, bytes);
    return 0;
  }
)";

class EmulatedMath : public testing::TestWithParam<size_t> {};

TEST_P(EmulatedMath, IsAccurate) {
  if (!canEmulate())
    GTEST_SKIP() << "needs clang, lld and qemu-aarch64";
  const Case<float> &test = floats[GetParam()];
  std::string error;
  std::string code = compileText(kernelText(opText(test.name), "f32", 4),
                                 emulatedFacts(), false, error);
  ASSERT_EQ(error, "");

  std::vector<float> x = specials<float>();
  std::mt19937 random(3);
  std::uniform_real_distribution<float> near(-4, 4), far(-110, 110);
  while (x.size() < mostNumbers) {
    x.push_back(near(random));
    x.push_back(far(random));
    x.push_back(fromBits<float>(random()));
  }
  x.resize(mostNumbers);
  std::optional<std::string> results =
      emulate(code, runText,
              {reinterpret_cast<const char *>(x.data()), x.size() * 4}, error);
  ASSERT_TRUE(results) << error;
  ASSERT_EQ(results->size(), x.size() * 4);
  for (size_t i = 0; i < x.size(); ++i) {
    float got;
    std::memcpy(&got, results->data() + i * 4, 4);
    ASSERT_LE(ulps(got, test.exact(x[i])), test.bound + 1e-6)
        << test.name << " of " << std::hexfloat << x[i] << " gives " << got;
  }
}

// The last one calls the C library, which is not linked.
INSTANTIATE_TEST_SUITE_P(All, EmulatedMath,
                         testing::Range(size_t(0), std::size(floats) - 1),
                         [](const auto &info) {
                           return std::string(floats[info.param].name);
                         });

TEST(EmulatedKernels, KeepEveryBit) {
  if (!canEmulate())
    GTEST_SKIP() << "needs clang, lld and qemu-aarch64";
  EXPECT_EQ(runDifferential(seeds(7000, 40), evaluator(), emulatedOnAArch64()),
            "");
}

} // namespace
