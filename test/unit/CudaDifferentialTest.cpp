//===- CudaDifferentialTest.cpp - random kernels on a GPU -----------------===//

#include "generate/CudaImplementation.h"

#include <gtest/gtest.h>

using namespace tesela;
using namespace tesela::test;

namespace {

class CudaDifferential : public testing::Test {
protected:
  void SetUp() override {
    row = firstGpu();
    if (!row)
      GTEST_SKIP() << "there is no GPU";
  }

  const driver::TargetRow *row = nullptr;
};

TEST_F(CudaDifferential, MachineCodeKeepsEveryBit) {
  EXPECT_EQ(
      runDifferential(seeds(5000, 30), evaluator(), compiledForCuda(*row)), "");
}

TEST_F(CudaDifferential, GeneralMachineCodeKeepsEveryBit) {
  EXPECT_EQ(runDifferential(seeds(6000, 15), evaluator(),
                            compiledForCuda(*row, /*general=*/true)),
            "");
}

} // namespace
