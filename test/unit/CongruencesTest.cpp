//===- CongruencesTest.cpp - congruences against enumeration --------------===//

#include "IntegerOpCases.h"
#include "TileKernel.h"

#include "analysis/Congruences.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace tesela::analysis;
using namespace tesela::test;

namespace {

/// x * 2^bits + residue: an operand of which that much is known.
struct Known {
  unsigned bits;
  int64_t residue;
  int64_t of(int64_t x, unsigned width) const {
    return signExtended((bits < width ? x << bits : 0) + residue, width);
  }
};

std::string knownText(const std::string &name, Known known, unsigned width) {
  std::string type = "i" + std::to_string(width);
  int64_t scale = known.bits < width ? int64_t(1) << known.bits : 0;
  return "  %" + name + "scale = arith.constant " +
         std::to_string(signExtended(scale, width)) + " : " + type + "\n  %" +
         name + "add = arith.constant " +
         std::to_string(signExtended(known.residue, width)) + " : " + type +
         "\n  %" + name + "1 = arith.muli %" + name + "0, %" + name +
         "scale : " + type + "\n  %" + name + " = arith.addi %" + name +
         "1, %" + name + "add : " + type + "\n";
}

Congruence congruenceOf(const std::string &text) {
  std::string error;
  auto module = parseTile(text, error);
  EXPECT_TRUE(module) << error << text;
  if (!module)
    return {};
  auto function = *module->getOps<func::FuncOp>().begin();
  return Congruences().get(function.front().getTerminator()->getOperand(0));
}

bool holds(Congruence congruence, int64_t value, unsigned width) {
  if (congruence.bits == 0)
    return true;
  if (congruence.bits > width)
    return false;
  return natural(value, congruence.bits) == int64_t(congruence.residue);
}

TEST(Congruences, EveryBinaryOpAgainstEnumeration) {
  std::mt19937_64 random(3);
  constexpr unsigned width = 6;
  unsigned informative = 0;
  for (const OpCase &opCase : opCases)
    for (int round = 0; round != 60; ++round) {
      Known a{unsigned(random() % (width + 1)), int64_t(random() % 64)};
      Known b{unsigned(random() % (width + 1)), int64_t(random() % 64)};
      if (random() % 2)
        b = {width, int64_t(1) << random() % width};
      Congruence found = congruenceOf(
          "func.func @f(%a0: i6, %b0: i6) -> i6 {\n" +
          knownText("a", a, width) + knownText("b", b, width) +
          "  %r = " + opCase.name + " %a, %b : i6\n  return %r : i6\n}\n");
      informative += found.bits > 0;
      for (int64_t x = -32; x != 32; ++x)
        for (int64_t y = -32; y != 32; ++y) {
          int64_t left = a.of(x, width), right = b.of(y, width);
          int64_t result = opCase.compute(left, right, width);
          ASSERT_TRUE(holds(found, result, width))
              << opCase.name << " of " << left << " and " << right << " is "
              << result << ", not " << found.residue << " modulo 2^"
              << found.bits;
        }
    }
  EXPECT_GT(informative, 400u);
}

TEST(Congruences, CastsKeepWhatTheyCan) {
  std::string head = "func.func @f(%a0: i6) -> ";
  Known known{3, 5};
  std::string body = " {\n" + knownText("a", known, 6);
  EXPECT_EQ(congruenceOf(head + "i8" + body +
                         "  %r = arith.extsi %a : i6 to i8\n"
                         "  return %r : i8\n}\n"),
            (Congruence{3, 5}));
  EXPECT_EQ(congruenceOf(head + "i2" + body +
                         "  %r = arith.trunci %a : i6 to i2\n"
                         "  return %r : i2\n}\n"),
            (Congruence{2, 1}));
  // A number that is known as a whole stays so when it is extended.
  EXPECT_EQ(congruenceOf("func.func @f() -> i8 {\n"
                         "  %a = arith.constant -3 : i6\n"
                         "  %r = arith.extsi %a : i6 to i8\n"
                         "  return %r : i8\n}\n"),
            (Congruence{8, 253}));
}

TEST(Congruences, ArgumentsLoopsAndPointers) {
  std::string head =
      "func.func @f(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, "
      "%n: i32 {tile.divisibility = 16 : i64}, %m: i32) -> ";
  Congruence address =
      congruenceOf(head + "!tile.ptr<f32> {\n"
                          "  %q = tile.addptr %p, %n : !tile.ptr<f32>, i32\n"
                          "  return %q : !tile.ptr<f32>\n}\n");
  EXPECT_EQ(address, (Congruence{4, 0}));
  EXPECT_EQ(address.divisor(), 16);
  EXPECT_EQ(congruenceOf(head + "!tile.ptr<f32> {\n"
                                "  %q = tile.addptr %p, %m : !tile.ptr<f32>, "
                                "i32\n  return %q : !tile.ptr<f32>\n}\n"),
            (Congruence{2, 0}));
  // 3 + a multiple of 8 and of 12
  EXPECT_EQ(congruenceOf(
                head +
                "i32 {\n"
                "  %c0 = arith.constant 0 : i32\n"
                "  %c1 = arith.constant 1 : i32\n"
                "  %c3 = arith.constant 3 : i32\n"
                "  %c8 = arith.constant 8 : i32\n"
                "  %c12 = arith.constant 12 : i32\n"
                "  %r = scf.for %i = %c0 to %m step %c1 iter_args(%x = %c3) -> "
                "(i32) : i32 {\n"
                "    %y = arith.addi %x, %c8 : i32\n"
                "    %z = arith.subi %y, %c12 : i32\n"
                "    scf.yield %z : i32\n  }\n"
                "  return %r : i32\n}\n"),
            (Congruence{2, 3}));
  // Truncated division of negative numbers is no shift.
  EXPECT_EQ(congruenceOf(head + "i32 {\n"
                                "  %c = arith.constant 3 : i32\n"
                                "  %r = tile.divsi %n, %c : i32\n"
                                "  return %r : i32\n}\n"),
            Congruence());
}

} // namespace
