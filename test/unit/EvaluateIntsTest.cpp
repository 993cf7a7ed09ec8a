//===- EvaluateIntsTest.cpp - integer ops against C++ formulas ------------===//

#include "unit/TileKernel.h"

#include <gtest/gtest.h>

#include <functional>

using namespace tesela::test;

namespace {

/// Compares an op with a formula on all pairs of bytes.
void checkAllBytes(const std::string &op,
                   const std::function<int(int8_t, int8_t)> &expected,
                   const std::string &resultType = "i8") {
  Bits a, b;
  for (int i = 0; i != 65536; ++i) {
    a.push_back(i & 255);
    b.push_back(i >> 8);
  }
  Bits got = applyOp(op, {"i8", "i8"}, resultType, {a, b});
  for (size_t i = 0; i != got.size(); ++i)
    ASSERT_EQ(got[i], uint8_t(expected(int8_t(a[i]), int8_t(b[i]))))
        << op << " of " << a[i] << " and " << b[i];
}

uint8_t asByte(int8_t value) { return uint8_t(value); }

TEST(EvaluateInts, EveryPairOfBytes) {
  checkAllBytes("arith.addi %a, %b : A", [](int a, int b) { return a + b; });
  checkAllBytes("arith.subi %a, %b : A", [](int a, int b) { return a - b; });
  checkAllBytes("arith.muli %a, %b : A", [](int a, int b) { return a * b; });
  checkAllBytes("arith.andi %a, %b : A", [](int a, int b) { return a & b; });
  checkAllBytes("arith.ori %a, %b : A", [](int a, int b) { return a | b; });
  checkAllBytes("arith.xori %a, %b : A", [](int a, int b) { return a ^ b; });
  checkAllBytes("arith.maxsi %a, %b : A",
                [](int a, int b) { return std::max(a, b); });
  checkAllBytes("arith.minsi %a, %b : A",
                [](int a, int b) { return std::min(a, b); });
  checkAllBytes("arith.maxui %a, %b : A", [](int8_t a, int8_t b) {
    return std::max(asByte(a), asByte(b));
  });
  checkAllBytes("arith.minui %a, %b : A", [](int8_t a, int8_t b) {
    return std::min(asByte(a), asByte(b));
  });
}

TEST(EvaluateInts, EveryDivisionAndShiftOfBytes) {
  checkAllBytes("tile.divsi %a, %b : A",
                [](int a, int b) { return b ? a / b : 0; });
  checkAllBytes("tile.remsi %a, %b : A",
                [](int a, int b) { return b ? a % b : 0; });
  checkAllBytes("tile.divui %a, %b : A", [](int8_t a, int8_t b) {
    return b ? asByte(a) / asByte(b) : 0;
  });
  checkAllBytes("tile.remui %a, %b : A", [](int8_t a, int8_t b) {
    return b ? asByte(a) % asByte(b) : 0;
  });
  checkAllBytes("tile.shli %a, %b : A", [](int8_t a, int8_t b) {
    return asByte(b) < 8 ? asByte(a) << asByte(b) : 0;
  });
  checkAllBytes("tile.shrui %a, %b : A", [](int8_t a, int8_t b) {
    return asByte(b) < 8 ? asByte(a) >> asByte(b) : 0;
  });
  checkAllBytes("tile.shrsi %a, %b : A", [](int8_t a, int8_t b) {
    return a >> std::min<int>(asByte(b), 7);
  });
}

TEST(EvaluateInts, EveryComparisonOfBytes) {
  auto check = [](const char *predicate, auto compare) {
    checkAllBytes(std::string("arith.cmpi ") + predicate + ", %a, %b : A",
                  compare, "i1");
  };
  check("eq", [](int8_t a, int8_t b) { return a == b; });
  check("ne", [](int8_t a, int8_t b) { return a != b; });
  check("slt", [](int8_t a, int8_t b) { return a < b; });
  check("sle", [](int8_t a, int8_t b) { return a <= b; });
  check("sgt", [](int8_t a, int8_t b) { return a > b; });
  check("sge", [](int8_t a, int8_t b) { return a >= b; });
  check("ult", [](int8_t a, int8_t b) { return asByte(a) < asByte(b); });
  check("ule", [](int8_t a, int8_t b) { return asByte(a) <= asByte(b); });
  check("ugt", [](int8_t a, int8_t b) { return asByte(a) > asByte(b); });
  check("uge", [](int8_t a, int8_t b) { return asByte(a) >= asByte(b); });
}

TEST(EvaluateInts, RoundedDivision) {
  std::vector<double> a = {7, -7, 7, -7, 6, -6}, b = {2, 2, -2, -2, 3, 3};
  EXPECT_EQ(applyToNumbers("arith.floordivsi %a, %b : A", "i32", {a, b}),
            (std::vector<double>{3, -4, -4, 3, 2, -2}));
  EXPECT_EQ(applyToNumbers("arith.ceildivsi %a, %b : A", "i32", {a, b}),
            (std::vector<double>{4, -3, -3, 4, 2, -2}));
  EXPECT_EQ(
      applyToNumbers("arith.ceildivui %a, %b : A", "i32", {{7, 6}, {2, 2}}),
      (std::vector<double>{4, 3}));
}

TEST(EvaluateInts, WideNumbersAndBooleans) {
  const uint64_t smallest = uint64_t(1) << 63;
  EXPECT_EQ(applyOp("tile.divsi %a, %b : A", {"i64", "i64"}, "i64",
                    {{smallest, uint64_t(-9)}, {uint64_t(-1), 2}}),
            (Bits{smallest, uint64_t(-4)}));
  EXPECT_EQ(applyOp("arith.muli %a, %b : A", {"i64", "i64"}, "i64",
                    {{smallest + 3}, {5}}),
            (Bits{smallest + 15}));
  EXPECT_EQ(applyOp("arith.addi %a, %b : A", {"i1", "i1"}, "i1",
                    {{0, 0, 1, 1}, {0, 1, 0, 1}}),
            (Bits{0, 1, 1, 0}));
  // A true boolean is -1 where it is signed.
  EXPECT_EQ(applyOp("arith.cmpi slt, %a, %b : A", {"i1", "i1"}, "i1",
                    {{0, 0, 1, 1}, {0, 1, 0, 1}}),
            (Bits{0, 0, 1, 0}));
  EXPECT_EQ(applyOp("arith.select %a, %b, %c : A, B", {"i1", "i16", "i16"},
                    "i16", {{0, 1}, {1, 2}, {3, 4}}),
            (Bits{3, 2}));
}

TEST(EvaluateInts, Casts) {
  EXPECT_EQ(applyOp("arith.extsi %a : A to R", {"i8"}, "i32", {{0x80, 0x7f}}),
            (Bits{0xffffff80, 0x7f}));
  EXPECT_EQ(applyOp("arith.extui %a : A to R", {"i8"}, "i32", {{0x80, 0x7f}}),
            (Bits{0x80, 0x7f}));
  EXPECT_EQ(applyOp("arith.extsi %a : A to R", {"i1"}, "i8", {{0, 1}}),
            (Bits{0, 0xff}));
  EXPECT_EQ(applyOp("arith.trunci %a : A to R", {"i64"}, "i16",
                    {{0x123456789abcdef0}}),
            (Bits{0xdef0}));
  EXPECT_EQ(
      applyOp("arith.bitcast %a : A to R", {"f32"}, "i32", {{0x3f800000}}),
      (Bits{0x3f800000}));
}

TEST(EvaluateInts, BitFunctions) {
  EXPECT_EQ(applyOp("math.ctlz %a : A", {"i16"}, "i16", {{0, 1, 0x8000}}),
            (Bits{16, 15, 0}));
  EXPECT_EQ(applyOp("math.cttz %a : A", {"i16"}, "i16", {{0, 1, 0x8000}}),
            (Bits{16, 0, 15}));
  EXPECT_EQ(applyOp("math.ctpop %a : A", {"i16"}, "i16", {{0, 7, 0xffff}}),
            (Bits{0, 3, 16}));
  EXPECT_EQ(applyOp("math.absi %a : A", {"i16"}, "i16", {{5, 0xfffb, 0x8000}}),
            (Bits{5, 5, 0x8000}));
  EXPECT_EQ(applyOp("math.ipowi %a, %b : A", {"i16", "i16"}, "i16",
                    {{3, 0xffff, 2, 2}, {4, 3, 16, 0xffff}}),
            (Bits{81, 0xffff, 0, 0}));
}

} // namespace
