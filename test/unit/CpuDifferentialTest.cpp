//===- CpuDifferentialTest.cpp - random kernels as machine code -----------===//

#include "generate/CpuImplementation.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace tesela::test;

namespace {

/// How many kernels to try: TESELA_RANDOM_KERNELS, or the number given.
uint64_t kernelCount(uint64_t otherwise) {
  const char *text = std::getenv("TESELA_RANDOM_KERNELS");
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(CpuDifferential, MachineCodeKeepsEveryBit) {
  EXPECT_EQ(
      runDifferential(3000, kernelCount(60), evaluator(), compiledForCpu()),
      "");
}

TEST(CpuDifferential, GeneralMachineCodeKeepsEveryBit) {
  EXPECT_EQ(runDifferential(4000, kernelCount(30), evaluator(),
                            compiledForCpu(/*general=*/true)),
            "");
}

} // namespace
