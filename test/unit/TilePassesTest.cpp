//===- TilePassesTest.cpp - the tile pipeline changes no result -----------===//
//
// Random kernels whose address arithmetic wraps now and then, before and after
// the pipeline. Where a precondition does not hold, only the general pipeline
// is held to the result.
//
//===----------------------------------------------------------------------===//

#include "AddressKernel.h"
#include "TileKernel.h"
#include "TilePipeline.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace tesela;
using namespace tesela::test;

namespace {

/// Memory of one launch.
struct Memory {
  static constexpr int64_t reach = 1 << 13;
  std::vector<int32_t> x, out;
  std::vector<int64_t> rows;

  explicit Memory(std::mt19937_64 &random, unsigned width)
      : x(2 * reach), out(2 * reach, -1), rows(8) {
    for (int64_t i = 0; i != 2 * reach; ++i)
      x[i] = int32_t(i * 2654435761u >> 8);
    auto *bytes = reinterpret_cast<char *>(rows.data());
    for (int i = 0; i != 8; ++i) {
      int64_t row = int64_t(random() % 40) - 8;
      std::memcpy(bytes + i * width / 8, &row, width / 8);
    }
  }
  Bits arguments(const std::vector<int64_t> &scalars) {
    Bits bits = {address(x.data() + reach), address(out.data() + reach),
                 address(rows.data())};
    for (int64_t scalar : scalars)
      bits.push_back(uint64_t(scalar));
    return bits;
  }
  bool operator==(const Memory &) const = default;
};

unsigned countOps(ModuleOp module, StringRef name) {
  unsigned count = 0;
  module.walk(
      [&](Operation *op) { count += op->getName().getStringRef() == name; });
  return count;
}

/// Counts over all kernels, so that a test which tests nothing fails.
struct Tally {
  unsigned launches = 0, held = 0, views = 0, pointers = 0, checked = 0;
};

void testKernel(uint64_t seed, unsigned width, Tally &tally) {
  std::string text = addressKernel(seed, width), error;
  OwningOpRef<ModuleOp> before = parseTile(text, error);
  ASSERT_TRUE(before) << error << text;
  OwningOpRef<ModuleOp> fast = before->clone(), general = before->clone();
  runPipeline(*fast, false);
  runPipeline(*general, true);
  tally.views +=
      countOps(*fast, "tile.view_load") + countOps(*fast, "tile.view_store");
  tally.pointers +=
      countOps(*fast, "tile.load") + countOps(*fast, "tile.store");
  tally.checked += countOps(*fast, "func.func") > 1;

  std::mt19937_64 random(seed);
  for (int launch = 0; launch != 4; ++launch) {
    std::vector<int64_t> scalars;
    for (int i = 0; i != 4; ++i) {
      int64_t extreme = int64_t(1) << (width - 1);
      scalars.push_back(random() % 16
                            ? int64_t(random() % 6) - 1
                            : int64_t(random() % (2 * extreme)) - extreme);
    }
    std::string state = "seed " + std::to_string(seed) + ", width " +
                        std::to_string(width) + "\n" + text;
    Memory expected(random, width), found = expected;
    Memory foundGeneral = expected;
    evaluateKernel(findKernel(*before), expected.arguments(scalars), 3);
    evaluateKernel(findKernel(*general), foundGeneral.arguments(scalars), 3);
    ASSERT_TRUE(expected.x == foundGeneral.x &&
                expected.out == foundGeneral.out)
        << "general, " << state;
    ++tally.launches;
    if (!preconditionHolds(*fast, findKernel(*fast), found.arguments(scalars),
                           3))
      continue;
    ++tally.held;
    evaluateKernel(findKernel(*fast), found.arguments(scalars), 3);
    ASSERT_TRUE(expected.x == found.x && expected.out == found.out) << state;
  }
}

void testKernels(unsigned width, Tally &tally) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    testKernel(seed, width, tally);
    if (testing::Test::HasFatalFailure())
      return;
  }
  // The kernels are of use only where most accesses are raised and a good part
  // of the launches passes the check.
  EXPECT_GT(tally.views, 2 * tally.pointers);
  EXPECT_GT(tally.checked, 80u);
  EXPECT_GT(tally.held, tally.launches / 5);
  EXPECT_LT(tally.held, tally.launches);
}

TEST(TilePasses, KeepResults) {
  Tally tally;
  testKernels(8, tally);
}

} // namespace
