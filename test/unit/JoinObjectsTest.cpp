//===- JoinObjectsTest.cpp - code made in halves --------------------------===//

#include "CpuKernel.h"
#include "Emulator.h"

#include "target/cpu/JoinObjects.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace tesela;
using namespace tesela::test;

namespace {

/// Each half calls the other, and both have constants and call the library.
const char *const halves = R"(
  llvm.func @atan2(f64, f64) -> f64
  func.func @both(%from: !llvm.ptr, %to: !llvm.ptr) {
    func.call @add(%from, %to) : (!llvm.ptr, !llvm.ptr) -> ()
    return
  }
  func.func private @add(%from: !llvm.ptr, %to: !llvm.ptr)
      attributes {tile.second_half, llvm.linkage = #llvm.linkage<internal>} {
    %x = llvm.load %from : !llvm.ptr -> vector<4xf64>
    %table = arith.constant dense<[1., 2., 3., 4.5]> : vector<4xf64>
    %y = arith.addf %x, %table : vector<4xf64>
    llvm.store %y, %to : vector<4xf64>, !llvm.ptr
    %first = vector.extract %y[0] : f64 from vector<4xf64>
    %second = vector.extract %y[1] : f64 from vector<4xf64>
    %angle = llvm.call @atan2(%first, %second) : (f64, f64) -> f64
    %scaled = func.call @scale(%angle) : (f64) -> f64
    llvm.store %scaled, %to : f64, !llvm.ptr
    return
  }
  func.func private @scale(%x: f64) -> f64
      attributes {llvm.linkage = #llvm.linkage<internal>} {
    %two = arith.constant 2.0 : f64
    %y = llvm.call @atan2(%two, %x) : (f64, f64) -> f64
    return %y : f64
  }
)";

TEST(JoinObjects, HalvesAreOneObject) {
  std::string error;
  std::string object = compileText(halves, cpu::hostFacts(), false, error);
  ASSERT_EQ(error, "");
  auto loaded = cpu::LoadedObject::load(object, error);
  ASSERT_TRUE(loaded) << error;
  auto function = reinterpret_cast<void (*)(const double *, double *)>(
      loaded->find("both"));
  ASSERT_TRUE(function);
  alignas(32) double from[4] = {10, 20, 30, 40}, to[4] = {};
  function(from, to);
  EXPECT_EQ(to[0], std::atan2(2., std::atan2(11., 22.)));
  EXPECT_EQ(to[1], 22.);
  EXPECT_EQ(to[3], 44.5);
  // What only the halves call is nobody else's.
  EXPECT_EQ(loaded->find("add"), nullptr);
  EXPECT_EQ(loaded->find("scale"), nullptr);
}

TEST(JoinObjects, LinkerTakesThem) {
  if (!canEmulate())
    GTEST_SKIP() << "no emulator";
  std::string error;
  std::string object = compileText(halves, emulatedFacts(), false, error);
  ASSERT_EQ(error, "");
  auto output = emulate(object, R"(
    void both(const double *from, double *to);
    double atan2(double y, double x) { return y + 100 * x; }
    int run(void) {
      double from[4] = {10, 20, 30, 40}, to[4];
      both(from, to);
      write(to, sizeof(to));
      return 0;
    }
  )",
                        "", error);
  ASSERT_TRUE(output) << error;
  double to[4];
  ASSERT_EQ(output->size(), sizeof(to));
  std::memcpy(to, output->data(), sizeof(to));
  EXPECT_EQ(to[0], 2 + 100 * (11 + 100 * 22.));
  EXPECT_EQ(to[3], 44.5);
}

TEST(JoinObjects, RefusesWhatDoesNotFit) {
  auto compile = [](const char *text, const TargetFacts &facts) {
    std::string error;
    std::string object = compileText(text, facts, false, error);
    EXPECT_EQ(error, "");
    return object;
  };
  const char *const text = R"(
    func.func @one() { return }
  )";
  std::string one = compile(text, cpu::hostFacts()), error;
  EXPECT_EQ(cpu::joinObjects(one, one, error), "");
  EXPECT_NE(error.find("both define `one`"), std::string::npos) << error;
  EXPECT_EQ(cpu::joinObjects(one, "", error), "");
  EXPECT_NE(error, "");
  EXPECT_EQ(cpu::joinObjects("no object at all, though it is long enough to "
                             "hold the header of one",
                             one, error),
            "");
  EXPECT_NE(error, "");
  TargetFacts other = emulatedFacts();
  if (other.triple.substr(0, 6) != cpu::hostFacts().triple.substr(0, 6)) {
    EXPECT_EQ(cpu::joinObjects(one, compile(text, other), error), "");
    EXPECT_NE(error.find("different processors"), std::string::npos) << error;
  }
}

} // namespace
