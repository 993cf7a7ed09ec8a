//===- CpuDifferentialTest.cpp - random kernels as machine code -----------===//
//
// A thousand of them in all.
//
//===----------------------------------------------------------------------===//

#include "InstructionSets.h"
#include "generate/CpuImplementation.h"

#include <gtest/gtest.h>

using namespace tesela;
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

class WithoutInstructions : public testing::TestWithParam<const char *> {};

TEST_P(WithoutInstructions, MachineCodeKeepsEveryBit) {
  std::optional<TargetFacts> facts = hostWithout(GetParam());
  if (!facts)
    GTEST_SKIP() << "this processor has no " << GetParam();
  EXPECT_EQ(runDifferential(seeds(8000, 60), evaluator(),
                            compiledForCpu(/*general=*/false, *facts)),
            "");
}

INSTANTIATE_TEST_SUITE_P(CpuDifferential, WithoutInstructions,
                         testing::ValuesIn(instructionSets),
                         [](const auto &info) { return info.param; });

} // namespace
