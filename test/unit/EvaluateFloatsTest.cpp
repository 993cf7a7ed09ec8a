//===- EvaluateFloatsTest.cpp - float ops against exact arithmetic --------===//

#include "unit/TileKernel.h"

#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

using namespace tesela::test;
using llvm::APFloat;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Random patterns of a 16-bit format, among them zeros, subnormals,
/// infinities and NaNs.
Bits randomHalves(unsigned seed, size_t count) {
  std::mt19937 random(seed);
  Bits bits = {0, 0x8000, 1, 0x8001, 0x7c00, 0xfc00, 0x7e00, 0x7f80, 0xff80};
  while (bits.size() < count)
    bits.push_back(random() & 0xffff);
  return bits;
}

TEST(EvaluateFloats, HalvesRoundOnce) {
  using Step = std::function<void(APFloat &, const APFloat &)>;
  auto nearest = APFloat::rmNearestTiesToEven;
  const std::pair<const char *, Step> ops[] = {
      {"addf", [&](APFloat &a, const APFloat &b) { a.add(b, nearest); }},
      {"subf", [&](APFloat &a, const APFloat &b) { a.subtract(b, nearest); }},
      {"mulf", [&](APFloat &a, const APFloat &b) { a.multiply(b, nearest); }},
      {"divf", [&](APFloat &a, const APFloat &b) { a.divide(b, nearest); }}};
  Bits a = randomHalves(1, 20000), b = randomHalves(2, 20000);
  std::reverse(b.begin(), b.end());
  for (auto [type, format] : {std::pair("f16", &APFloat::IEEEhalf()),
                              std::pair("bf16", &APFloat::BFloat())})
    for (const auto &[name, step] : ops) {
      Bits got = applyOp(std::string("arith.") + name + " %a, %b : A",
                         {type, type}, type, {a, b});
      for (size_t i = 0; i != a.size(); ++i) {
        APFloat expected(*format, llvm::APInt(16, a[i]));
        step(expected, APFloat(*format, llvm::APInt(16, b[i])));
        APFloat result(*format, llvm::APInt(16, got[i]));
        ASSERT_TRUE(expected.bitwiseIsEqual(result) ||
                    (expected.isNaN() && result.isNaN()))
            << name << " " << type << " of " << a[i] << " and " << b[i];
      }
    }
}

TEST(EvaluateFloats, SinglesAndDoubles) {
  EXPECT_EQ(applyToNumbers("arith.addf %a, %b : A", "f32",
                           {{16777216, 0.1f}, {1, 0.2f}}),
            (std::vector<double>{16777216, 0.1f + 0.2f}));
  EXPECT_EQ(applyToNumbers("arith.mulf %a, %b : A", "f64", {{0.1}, {3}}),
            (std::vector<double>{0.1 * 3}));
  EXPECT_EQ(applyToNumbers("arith.remf %a, %b : A", "f32",
                           {{7, -7, 5.5}, {2, 2, -2}}),
            (std::vector<double>{1, -1, 1.5}));
  EXPECT_EQ(applyToNumbers("arith.negf %a : A", "f32", {{1, -2}}),
            (std::vector<double>{-1, 2}));
  // (1 + e)^2 - 1 loses its last term unless it is fused.
  double e = std::ldexp(1.0, -13);
  EXPECT_EQ(applyToNumbers("math.fma %a, %b, %c : A", "f32",
                           {{1 + e}, {1 + e}, {-1}}),
            (std::vector<double>{2 * e + e * e}));
}

TEST(EvaluateFloats, ExtremaOfNaNsAndZeros) {
  Bits a = toBits("f32", {nan, 1, nan, -0.0, 0.0, 2});
  Bits b = toBits("f32", {1, nan, nan, 0.0, -0.0, 3});
  auto apply = [&](const char *op) {
    return toNumbers("f32", applyOp(std::string(op) + " %a, %b : A",
                                    {"f32", "f32"}, "f32", {a, b}));
  };
  std::vector<double> maxnum = apply("arith.maxnumf");
  EXPECT_EQ(maxnum[0], 1);
  EXPECT_EQ(maxnum[1], 1);
  EXPECT_TRUE(std::isnan(maxnum[2]));
  EXPECT_FALSE(std::signbit(maxnum[3]));
  EXPECT_FALSE(std::signbit(maxnum[4]));
  EXPECT_EQ(maxnum[5], 3);
  std::vector<double> minimum = apply("arith.minimumf");
  EXPECT_TRUE(std::isnan(minimum[0]) && std::isnan(minimum[1]));
  EXPECT_TRUE(std::signbit(minimum[3]) && std::signbit(minimum[4]));
  EXPECT_EQ(minimum[5], 2);
  EXPECT_EQ(apply("arith.minnumf")[0], 1);
  EXPECT_TRUE(std::isnan(apply("arith.maximumf")[1]));
}

TEST(EvaluateFloats, Comparisons) {
  Bits a = toBits("f32", {1, 2, 2, nan, -0.0});
  Bits b = toBits("f32", {2, 1, 2, 1, 0.0});
  const std::pair<const char *, Bits> table[] = {
      {"false", {0, 0, 0, 0, 0}}, {"oeq", {0, 0, 1, 0, 1}},
      {"ogt", {0, 1, 0, 0, 0}},   {"oge", {0, 1, 1, 0, 1}},
      {"olt", {1, 0, 0, 0, 0}},   {"ole", {1, 0, 1, 0, 1}},
      {"one", {1, 1, 0, 0, 0}},   {"ord", {1, 1, 1, 0, 1}},
      {"ueq", {0, 0, 1, 1, 1}},   {"ugt", {0, 1, 0, 1, 0}},
      {"uge", {0, 1, 1, 1, 1}},   {"ult", {1, 0, 0, 1, 0}},
      {"ule", {1, 0, 1, 1, 1}},   {"une", {1, 1, 0, 1, 0}},
      {"uno", {0, 0, 0, 1, 0}},   {"true", {1, 1, 1, 1, 1}}};
  for (const auto &[predicate, expected] : table)
    EXPECT_EQ(applyOp(std::string("arith.cmpf ") + predicate + ", %a, %b : A",
                      {"f32", "f32"}, "i1", {a, b}),
              expected)
        << predicate;
  EXPECT_EQ(applyOp("math.isnan %a : A", {"f32"}, "i1", {a}),
            (Bits{0, 0, 0, 1, 0}));
}

TEST(EvaluateFloats, NarrowingRounds) {
  auto narrow = [](const std::string &mode, const std::string &type,
                   std::vector<double> numbers) {
    return toNumbers(type, applyOp("arith.truncf %a" + mode + " : A to R",
                                   {"f32"}, type, {toBits("f32", numbers)}));
  };
  // 2049 lies between the halves 2048 and 2050.
  EXPECT_EQ(narrow("", "f16", {2049, 2051, 70000, -1e-9}),
            (std::vector<double>{2048, 2052, inf, 0}));
  EXPECT_EQ(narrow(" to_nearest_even", "f16", {2049})[0], 2048);
  EXPECT_EQ(narrow(" toward_zero", "f16", {2051, -2051, 70000}),
            (std::vector<double>{2050, -2050, 65504}));
  EXPECT_EQ(narrow(" upward", "f16", {2049, -2049}),
            (std::vector<double>{2050, -2048}));
  EXPECT_EQ(narrow(" downward", "f16", {2049, -2049}),
            (std::vector<double>{2048, -2050}));
  EXPECT_EQ(narrow("", "bf16", {257, 259}), (std::vector<double>{256, 260}));
  EXPECT_EQ(narrow("", "f8E5M2", {1.125, 1.375, -3}),
            (std::vector<double>{1, 1.5, -3}));
  EXPECT_EQ(narrow("", "f8E4M3FN", {1.0625, 448, -17}),
            (std::vector<double>{1, 448, -16}));
}

TEST(EvaluateFloats, RoundingTo8BitsSaturates) {
  auto toFloat8 = [](const std::string &type, std::vector<double> numbers) {
    return applyOp("tile.fptofp8 %a : A -> R", {"f32"}, type,
                   {toBits("f32", numbers)});
  };
  double nan = std::nan("");
  EXPECT_EQ(toFloat8("f8E4M3FN", {448, 464, 1e9, -inf, nan, -nan, -0.0}),
            (std::vector<uint64_t>{0x7e, 0x7e, 0x7e, 0xfe, 0x7f, 0x7f, 0x80}));
  EXPECT_EQ(toFloat8("f8E5M2", {57344, 61440, 1e9, -inf, nan, -nan, -0.0}),
            (std::vector<uint64_t>{0x7b, 0x7b, 0x7b, 0xfb, 0x7f, 0x7f, 0x80}));
  // Half of the smallest number goes to zero, a little more does not.
  double half = std::ldexp(1.0, -10);
  EXPECT_EQ(toFloat8("f8E4M3FN", {half, half * 1.01, 3 * half}),
            (std::vector<uint64_t>{0, 1, 2}));
}

TEST(EvaluateFloats, WideningKeepsTheValue) {
  EXPECT_EQ(toNumbers("f32", applyOp("arith.extf %a : A to R", {"f16"}, "f32",
                                     {{0x0001, 0xc000, 0x7c00}})),
            (std::vector<double>{std::ldexp(1.0, -24), -2, inf}));
  EXPECT_EQ(toNumbers("f32", applyOp("arith.extf %a : A to R", {"f8E4M3FN"},
                                     "f32", {{0x38, 0xc8, 0x01}})),
            (std::vector<double>{1, -4, std::ldexp(1.0, -9)}));
}

TEST(EvaluateFloats, BetweenIntegersAndFloats) {
  const uint64_t odd = (uint64_t(1) << 54) + 3;
  EXPECT_EQ(applyOp("arith.sitofp %a : A to R", {"i64"}, "f64",
                    {{odd, uint64_t(-5)}}),
            toBits("f64", {double(odd), -5}));
  // Through a double this would round twice.
  const uint64_t twice = (uint64_t(1) << 60) + (uint64_t(1) << 36) + 1;
  EXPECT_EQ(applyOp("arith.sitofp %a : A to R", {"i64"}, "f32", {{twice}}),
            toBits("f32", {double(float(int64_t(twice)))}));
  EXPECT_EQ(applyOp("arith.uitofp %a : A to R", {"i1"}, "f16", {{0, 1}}),
            toBits("f16", {0, 1}));
  EXPECT_EQ(applyOp("arith.sitofp %a : A to R", {"i1"}, "f16", {{0, 1}}),
            toBits("f16", {0, -1}));
  Bits floats = toBits("f32", {1.9, -1.9, 300, -300, nan, inf, -inf});
  EXPECT_EQ(applyOp("tile.fptosi %a : A -> R", {"f32"}, "i8", {floats}),
            (Bits{1, 0xff, 127, 0x80, 0, 127, 0x80}));
  EXPECT_EQ(applyOp("tile.fptoui %a : A -> R", {"f32"}, "i8", {floats}),
            (Bits{1, 0, 255, 0, 0, 255, 0}));
  EXPECT_EQ(applyOp("arith.fptosi %a : A to R", {"f32"}, "i8", {{0x42f60000}}),
            (Bits{123}));
}

TEST(EvaluateFloats, FunctionsAreTheNearestFloat) {
  const std::pair<const char *, double (*)(double)> table[] = {
      {"exp", std::exp},     {"exp2", std::exp2},   {"log", std::log},
      {"log2", std::log2},   {"log10", std::log10}, {"log1p", std::log1p},
      {"expm1", std::expm1}, {"sin", std::sin},     {"cos", std::cos},
      {"tan", std::tan},     {"tanh", std::tanh},   {"erf", std::erf},
      {"sqrt", std::sqrt},   {"atan", std::atan},   {"sinh", std::sinh},
      {"cosh", std::cosh},   {"asinh", std::asinh}, {"erfc", std::erfc},
      {"cbrt", std::cbrt},   {"floor", std::floor}, {"ceil", std::ceil},
      {"trunc", std::trunc}, {"round", std::round}, {"roundeven", std::rint}};
  std::vector<double> inputs = {0.25, 0.5, 0.75, 1, 1.5, 2.5, 3.5, 7};
  for (const auto &[name, function] : table) {
    std::vector<double> singles, doubles = inputs;
    for (double &number : doubles)
      singles.push_back(float(function(number)));
    std::string op = std::string("math.") + name + " %a : A";
    EXPECT_EQ(applyToNumbers(op, "f32", {inputs}), singles) << name;
    std::vector<double> wide = applyToNumbers(op, "f64", {inputs});
    for (size_t i = 0; i != inputs.size(); ++i) {
      double exact = function(inputs[i]);
      EXPECT_LE(std::abs(wide[i] - exact), std::abs(exact) * 4e-16) << name;
    }
  }
  EXPECT_EQ(applyToNumbers("math.rsqrt %a : A", "f32", {{4, 16}}),
            (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(applyToNumbers("math.powf %a, %b : A", "f16", {{2, 3}, {10, 2}}),
            (std::vector<double>{1024, 9}));
  EXPECT_EQ(applyToNumbers("math.atan2 %a, %b : A", "f64", {{1}, {-1}}),
            (std::vector<double>{std::atan2(1, -1)}));
  EXPECT_EQ(applyToNumbers("math.absf %a : A", "bf16", {{-2, 2}}),
            (std::vector<double>{2, 2}));
  EXPECT_EQ(applyToNumbers("math.copysign %a, %b : A", "f16", {{2}, {-1}}),
            (std::vector<double>{-2}));
}

} // namespace
