//===- CpuDifferentialTest.cpp - random kernels as machine code -----------===//
//
// A thousand of them in all.
//
//===----------------------------------------------------------------------===//

#include "generate/CpuImplementation.h"

#include <gtest/gtest.h>

using namespace tesela::test;

namespace {

TEST(CpuDifferential, MachineCodeKeepsEveryBit) {
  EXPECT_EQ(runDifferential(seeds(3000, 700), evaluator(), compiledForCpu()),
            "");
}

TEST(CpuDifferential, MachineCodeOfViewsKeepsEveryBit) {
  RandomKernelOptions options;
  options.views = true;
  EXPECT_EQ(
      runDifferential(seeds(5000, 150), evaluator(), compiledForCpu(), options),
      "");
}

TEST(CpuDifferential, GeneralMachineCodeKeepsEveryBit) {
  EXPECT_EQ(runDifferential(seeds(4000, 150), evaluator(),
                            compiledForCpu(/*general=*/true)),
            "");
}

} // namespace
