//===- CpuMathTest.cpp - elementary functions against a wider type --------===//
//
// f32 is held against the C library's f64, f64 against its long double, f16 and
// bf16 against f64 on all their numbers. TESELA_MATH_STEP=1 takes every f32;
// else it is the step between the bit patterns that are tried.
//
//===----------------------------------------------------------------------===//

#include "CpuKernel.h"
#include "MathCases.h"

#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

using namespace tesela;
using namespace tesela::test;

namespace {

using Kernel = void (*)(const void *x, const void *y, void *out, int64_t count);

struct Compiled {
  std::unique_ptr<cpu::LoadedObject> object;
  Kernel run = nullptr;
};

Compiled compile(const std::string &op, const std::string &element, int lanes,
                 const TargetFacts &facts) {
  std::string error;
  std::string code =
      compileText(kernelText(op, element, lanes), facts, false, error);
  EXPECT_EQ(error, "");
  Compiled result;
  result.object = cpu::LoadedObject::load(code, error);
  EXPECT_TRUE(result.object) << error;
  if (result.object)
    result.run = reinterpret_cast<Kernel>(result.object->find("kernel"));
  return result;
}

uint64_t floatStep() {
  const char *text = std::getenv("TESELA_MATH_STEP");
  uint64_t step = text ? std::strtoull(text, nullptr, 10) : 0;
  return step ? step : 20011;
}

template <typename T>
struct Worst {
  double error = 0;
  T at = 0;
  T got = 0;
};

/// Runs on all of `x` and gives the largest error.
template <typename T>
void measure(const Compiled &kernel, const Case<T> &test, std::vector<T> &x,
             Worst<T> &worst) {
  while (x.size() % 16)
    x.push_back(T(1));
  std::vector<T> out(x.size());
  kernel.run(x.data(), x.data(), out.data(), int64_t(x.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    double error = ulps(out[i], test.exact(x[i]));
    if (error > worst.error)
      worst = {error, x[i], out[i]};
  }
}

template <typename T>
void report(const Case<T> &test, const char *type, const Worst<T> &worst) {
  EXPECT_LE(worst.error, test.bound + (test.bound == 0.5 ? 1e-6 : 0))
      << test.name << " of " << std::hexfloat << worst.at << " gives "
      << worst.got << " instead of " << double(test.exact(worst.at));
  printf("  %-10s %s  %.3f ulp at %a\n", test.name, type, worst.error,
         double(worst.at));
}

class FloatMath : public testing::TestWithParam<size_t> {};

TEST_P(FloatMath, IsAccurate) {
  const Case<float> &test = floats[GetParam()];
  TargetFacts facts = cpu::hostFacts();
  int lanes = int(facts.vectorBytes / 4);
  Compiled kernel = compile(opText(test.name), "f32", lanes, facts);
  ASSERT_TRUE(kernel.run);
  Worst<float> worst;
  std::vector<float> x = specials<float>();
  measure(kernel, test, x, worst);
  x.clear();
  uint64_t step = floatStep();
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += step) {
    x.push_back(fromBits<float>(bits));
    if (x.size() == 4096) {
      measure(kernel, test, x, worst);
      x.clear();
    }
  }
  // Where results are neither 0, infinite nor the argument itself.
  std::mt19937_64 random(7);
  std::uniform_real_distribution<float> near(-4, 4), far(-110, 110);
  for (int i = 0; i < 100000; ++i)
    x.push_back(i % 2 ? near(random) : far(random));
  measure(kernel, test, x, worst);
  x = nearMultiples<float>(1 << 16);
  measure(kernel, test, x, worst);
  report(test, "f32", worst);
}

TEST_P(FloatMath, IsTheSameOnScalars) {
  const Case<float> &test = floats[GetParam()];
  TargetFacts facts = cpu::hostFacts();
  Compiled kernel = compile(opText(test.name), "f32", 1, facts);
  ASSERT_TRUE(kernel.run);
  Worst<float> worst;
  std::vector<float> x = specials<float>();
  measure(kernel, test, x, worst);
  EXPECT_LE(worst.error, test.bound + 1e-6)
      << test.name << " of " << worst.at << " gives " << worst.got;
}

TEST_P(FloatMath, RoundsToShorterTypes) {
  const Case<float> &test = floats[GetParam()];
  for (const char *element : {"f16", "bf16"}) {
    const llvm::fltSemantics &semantics =
        element[0] == 'b' ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf();
    Compiled kernel = compile(opText(test.name), element, 16, cpu::hostFacts());
    ASSERT_TRUE(kernel.run);
    std::vector<uint16_t> x(65536), out(65536);
    for (unsigned i = 0; i < 65536; ++i)
      x[i] = uint16_t(i);
    kernel.run(x.data(), x.data(), out.data(), 65536);
    unsigned off = 0;
    for (unsigned i = 0; i < 65536; ++i) {
      bool ignored;
      llvm::APFloat argument(semantics, llvm::APInt(16, i));
      llvm::APFloat exact(test.exact(argument.convertToDouble()));
      exact.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &ignored);
      llvm::APFloat got(semantics, llvm::APInt(16, out[i]));
      if (exact.isNaN() && got.isNaN())
        continue;
      if (exact.bitwiseIsEqual(got))
        continue;
      // A tie that the f32 in between falls on the other side of.
      ++off;
      llvm::APInt a = exact.bitcastToAPInt(), b = got.bitcastToAPInt();
      int distance = int(a.getZExtValue()) - int(b.getZExtValue());
      EXPECT_LE(std::abs(distance), 1)
          << test.name << " " << element << " of " << argument.convertToDouble()
          << " gives " << got.convertToDouble();
    }
    EXPECT_LT(off, 200u) << test.name << " " << element;
  }
}

TEST_P(FloatMath, CallsTheLibraryWithoutFma) {
  const Case<float> &test = floats[GetParam()];
#if defined(__x86_64__)
  TargetFacts facts;
  facts.triple = cpu::hostFacts().triple;
  facts.processor = "x86-64-v2";
  facts.vectorBytes = 16;
  Compiled kernel = compile(opText(test.name), "f32", 4, facts);
  ASSERT_TRUE(kernel.run);
  Worst<float> worst;
  std::vector<float> x = specials<float>();
  measure(kernel, test, x, worst);
  EXPECT_LE(worst.error, 2)
      << test.name << " of " << worst.at << " gives " << worst.got;
#endif
}

INSTANTIATE_TEST_SUITE_P(All, FloatMath,
                         testing::Range(size_t(0), std::size(floats)),
                         [](const auto &info) {
                           return std::string(floats[info.param].name);
                         });

class DoubleMath : public testing::TestWithParam<size_t> {};

TEST_P(DoubleMath, IsAccurate) {
  const Case<double> &test = doubles[GetParam()];
  TargetFacts facts = cpu::hostFacts();
  int lanes = int(facts.vectorBytes / 8);
  Compiled kernel = compile(opText(test.name), "f64", lanes, facts);
  ASSERT_TRUE(kernel.run);
  Worst<double> worst;
  std::vector<double> x = specials<double>();
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> near(-2, 2),
      range(test.low, test.high);
  for (int i = 0; i < 50000; ++i) {
    x.push_back(near(random));
    x.push_back(range(random));
    x.push_back(fromBits<double>(random()));
  }
  for (double near : nearMultiples<double>(1 << 16))
    x.push_back(near);
  measure(kernel, test, x, worst);
  report(test, "f64", worst);
}

INSTANTIATE_TEST_SUITE_P(All, DoubleMath,
                         testing::Range(size_t(0), std::size(doubles)),
                         [](const auto &info) {
                           return std::string(doubles[info.param].name);
                         });

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

template <typename T, typename Wide>
void checkBinary(const char *op, const char *element, int lanes,
                 Wide (*exact)(Wide, Wide), double bound) {
  Compiled kernel = compile(op, element, lanes, cpu::hostFacts());
  ASSERT_TRUE(kernel.run);
  std::vector<T> x, y;
  // The C library's pow(1, b) is NaN where b is a signalling one.
  std::vector<T> some = specials<T>();
  std::erase_if(some, [](T a) { return std::isnan(a); });
  some.push_back(std::numeric_limits<T>::quiet_NaN());
  for (T a : some)
    for (T b : some) {
      x.push_back(a);
      y.push_back(b);
    }
  std::mt19937_64 random(13);
  std::uniform_real_distribution<T> near(-4, 4), far(-100, 100);
  for (int i = 0; i < 50000; ++i) {
    x.push_back(near(random)), y.push_back(far(random));
    x.push_back(std::abs(far(random))), y.push_back(near(random));
    x.push_back(std::abs(far(random))), y.push_back(T(int(near(random) * 4)));
    x.push_back(fromBits<T>(random())), y.push_back(near(random));
    x.push_back(fromBits<T>(random())), y.push_back(fromBits<T>(random()));
    // Both in a narrow range of exponents, or one just beside 1.
    x.push_back(1 + near(random) / 1000), y.push_back(far(random) * 100);
  }
  while (x.size() % 16)
    x.push_back(1), y.push_back(1);
  std::vector<T> out(x.size());
  kernel.run(x.data(), y.data(), out.data(), int64_t(x.size()));
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    Wide expected = exact(x[i], y[i]);
    double error = ulps(out[i], expected);
    worst = std::max(worst, error);
    ASSERT_LE(error, bound)
        << std::hexfloat << op << " " << x[i] << ", " << y[i] << " gives "
        << out[i] << " instead of " << double(expected);
  }
  printf("  %s %s  %.3f ulp\n", op, element, worst);
}

const char *const powText = "%r = math.powf %x, %y : $T";
const char *const atan2Text = "%r = math.atan2 %x, %y : $T";
const char *const remainderText = "%r = arith.remf %x, %y : $T";

TEST(BinaryMath, FloatPow) {
  checkBinary<float, double>(powText, "f32", 8, std::pow, 0.6);
}
TEST(BinaryMath, DoublePow) {
  checkBinary<double, long double>(powText, "f64", 4, std::pow, 1.2);
}
TEST(BinaryMath, FloatAtan2) {
  checkBinary<float, double>(atan2Text, "f32", 8, std::atan2, 1.5);
}
TEST(BinaryMath, DoubleAtan2) {
  checkBinary<double, long double>(atan2Text, "f64", 4, std::atan2, 1.0);
}
TEST(BinaryMath, FloatRemainder) {
  checkBinary<float, double>(remainderText, "f32", 8, std::fmod, 0);
}
TEST(BinaryMath, DoubleRemainder) {
  checkBinary<double, long double>(remainderText, "f64", 4, std::fmod, 0);
}
TEST(BinaryMath, ScalarRemainder) {
  checkBinary<float, double>(remainderText, "f32", 1, std::fmod, 0);
}

} // namespace
