//===- IntegerRangesTest.cpp - ranges against enumeration -----------------===//
//
// Each op on all values of two random ranges, in a width that is small enough
// to go through them; loops by running them.
//
//===----------------------------------------------------------------------===//

#include "IntegerOpCases.h"
#include "TileKernel.h"

#include "analysis/IntegerRanges.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace tesela::analysis;
using namespace tesela::test;

namespace {

/// A function whose operands lie in the given ranges, by clamping.
std::string clamped(unsigned width, IntegerRange a, IntegerRange b,
                    const std::string &op, const std::string &resultType) {
  std::string type = "i" + std::to_string(width);
  auto clamp = [&](const std::string &name, IntegerRange range) {
    return "  %" + name + "lo = arith.constant " + std::to_string(range.least) +
           " : " + type + "\n  %" + name + "hi = arith.constant " +
           std::to_string(range.most) + " : " + type + "\n  %" + name +
           "1 = arith.maxsi %" + name + "0, %" + name + "lo : " + type +
           "\n  %" + name + " = arith.minsi %" + name + "1, %" + name +
           "hi : " + type + "\n";
  };
  return "func.func @f(%a0: " + type + ", %b0: " + type + ") -> " + resultType +
         " {\n" + clamp("a", a) + clamp("b", b) + "  %r = " + op +
         "\n  return %r : " + resultType + "\n}\n";
}

/// The op that the function returns.
Operation *resultOp(ModuleOp module) {
  auto function = *module.getOps<func::FuncOp>().begin();
  return function.front().getTerminator()->getOperand(0).getDefiningOp();
}

IntegerRange randomRange(std::mt19937_64 &random, unsigned width) {
  int64_t count = int64_t(1) << width, least = -count / 2;
  int64_t a = least + int64_t(random() % count);
  int64_t b = least + int64_t(random() % count);
  // Narrow ranges and single numbers say more than wide ones.
  if (random() % 3 == 0)
    b = std::min(a + int64_t(random() % 3), least + count - 1);
  return {std::min(a, b), std::max(a, b)};
}

void testOp(const OpCase &opCase, unsigned width, IntegerRange a,
            IntegerRange b) {
  std::string type = "i" + std::to_string(width), error;
  auto module =
      parseTile(clamped(width, a, b,
                        std::string(opCase.name) + " %a, %b : " + type, type),
                error);
  ASSERT_TRUE(module) << error;
  Operation *op = resultOp(*module);
  IntegerRanges ranges;
  IntegerRange found = ranges.get(op->getResult(0));
  bool neverWraps = ranges.neverWraps(op);

  IntegerRange least = {INT64_MAX, INT64_MIN}, exact = least;
  for (int64_t x = a.least; x <= a.most; ++x)
    for (int64_t y = b.least; y <= b.most; ++y) {
      int64_t whole = opCase.compute(x, y, width);
      int64_t wrapped = signExtended(whole, width);
      std::string where = std::string(opCase.name) + " of " +
                          std::to_string(x) + " and " + std::to_string(y) +
                          ", i" + std::to_string(width);
      ASSERT_LE(found.least, wrapped) << where;
      ASSERT_GE(found.most, wrapped) << where;
      if (opCase.canWrap && neverWraps) {
        ASSERT_EQ(whole, wrapped) << where;
      }
      exact = {std::min(exact.least, whole), std::max(exact.most, whole)};
    }

  // Where sums and products fit, their range is exact, and it holds under the
  // assumption that they do where they do not.
  int64_t most = (int64_t(1) << (width - 1)) - 1;
  bool isLinear =
      StringRef(opCase.name).starts_with("arith.") && opCase.canWrap;
  if (!isLinear)
    return;
  EXPECT_EQ(neverWraps, exact.least >= -most - 1 && exact.most <= most);
  if (neverWraps) {
    EXPECT_EQ(found.least, exact.least);
    EXPECT_EQ(found.most, exact.most);
    return;
  }
  ranges.assumeNoWrap(op);
  IntegerRange assumed = ranges.get(op->getResult(0));
  for (int64_t x = a.least; x <= a.most; ++x)
    for (int64_t y = b.least; y <= b.most; ++y) {
      int64_t whole = opCase.compute(x, y, width);
      if (whole != signExtended(whole, width))
        continue;
      ASSERT_LE(assumed.least, whole);
      ASSERT_GE(assumed.most, whole);
    }
  ranges.retractNoWrap(op);
  EXPECT_FALSE(ranges.neverWraps(op));
}

TEST(IntegerRanges, EveryBinaryOpAgainstEnumeration) {
  std::mt19937_64 random(7);
  for (const OpCase &opCase : opCases)
    for (unsigned width : {1, 3, 5})
      for (int round = 0; round != 40; ++round) {
        testOp(opCase, width, randomRange(random, width),
               randomRange(random, width));
        if (HasFatalFailure())
          return;
      }
}

TEST(IntegerRanges, CastsAgainstEnumeration) {
  struct Cast {
    const char *text, *type;
    std::function<int64_t(int64_t)> compute;
  };
  const Cast casts[] = {
      {"arith.extsi %a : i5 to i8", "i8", [](int64_t x) { return x; }},
      {"arith.extui %a : i5 to i8", "i8",
       [](int64_t x) { return natural(x, 5); }},
      {"arith.trunci %a : i5 to i3", "i3",
       [](int64_t x) { return signExtended(x, 3); }},
      {"arith.index_cast %a : i5 to index", "index",
       [](int64_t x) { return x; }},
      {"math.absi %a : i5", "i5",
       [](int64_t x) { return signExtended(std::abs(x), 5); }},
  };
  std::mt19937_64 random(11);
  for (const Cast &cast : casts)
    for (int round = 0; round != 60; ++round) {
      IntegerRange a = randomRange(random, 5);
      std::string error;
      auto module = parseTile(clamped(5, a, a, cast.text, cast.type), error);
      ASSERT_TRUE(module) << error;
      IntegerRanges ranges;
      IntegerRange found = ranges.get(resultOp(*module)->getResult(0));
      for (int64_t x = a.least; x <= a.most; ++x) {
        ASSERT_LE(found.least, cast.compute(x)) << cast.text << " of " << x;
        ASSERT_GE(found.most, cast.compute(x)) << cast.text << " of " << x;
      }
    }
}

/// What is known of a value in the body of a loop, by running the loop.
TEST(IntegerRanges, LoopsAgainstRunningThem) {
  std::mt19937_64 random(13);
  for (int round = 0; round != 200; ++round) {
    IntegerRange lower = randomRange(random, 5), upper = randomRange(random, 5);
    int64_t step = 1 + random() % 4, start = int64_t(random() % 16) - 8;
    int64_t first = int64_t(random() % 7) - 3, second = random() % 4;
    std::string body =
        "arith.constant 0 : i5\n"
        "  %start = arith.constant " +
        std::to_string(start) +
        " : i5\n"
        "  %step = arith.constant " +
        std::to_string(step) +
        " : i5\n"
        "  %first = arith.constant " +
        std::to_string(first) +
        " : i5\n"
        "  %second = arith.constant " +
        std::to_string(second) +
        " : i5\n"
        "  %end = scf.for %i = %a to %b step %step iter_args(%x = %start) "
        "-> (i5) : i5 {\n"
        "    %y = arith.addi %x, %first : i5\n"
        "    %z = arith.subi %y, %second : i5\n"
        "    scf.yield %z : i5\n  }";
    std::string error;
    auto module = parseTile(clamped(5, lower, upper, body, "i5"), error);
    ASSERT_TRUE(module) << error;
    scf::ForOp loop;
    module->walk([&](scf::ForOp op) { loop = op; });
    IntegerRanges ranges;
    IntegerRange induction = ranges.get(loop.getInductionVar());
    IntegerRange carried = ranges.get(loop.getRegionIterArg(0));
    IntegerRange after = ranges.get(loop.getResult(0));
    auto inside = [](IntegerRange range, int64_t value) {
      return range.least <= value && value <= range.most;
    };
    for (int64_t a = lower.least; a <= lower.most; ++a)
      for (int64_t b = upper.least; b <= upper.most; ++b) {
        int64_t x = start;
        for (int64_t i = a; i < b; i += step) {
          ASSERT_TRUE(inside(induction, i)) << i;
          ASSERT_TRUE(inside(carried, x)) << x;
          x = signExtended(x + first - second, 5);
        }
        ASSERT_TRUE(inside(after, x)) << x;
      }
  }
}

} // namespace
