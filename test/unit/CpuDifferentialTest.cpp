//===- CpuDifferentialTest.cpp - random kernels as machine code -----------===//

#include "generate/CpuImplementation.h"

#include <gtest/gtest.h>

using namespace tesela::test;

namespace {

TEST(CpuDifferential, MachineCodeKeepsEveryBit) {
  EXPECT_EQ(runDifferential(seeds(3000, 30), evaluator(), compiledForCpu()),
            "");
}

TEST(CpuDifferential, GeneralMachineCodeKeepsEveryBit) {
  EXPECT_EQ(runDifferential(seeds(4000, 15), evaluator(),
                            compiledForCpu(/*general=*/true)),
            "");
}

} // namespace
