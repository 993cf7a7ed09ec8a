//===- LayoutFragmentTest.cpp - fragments and swizzles by formula ---------===//
//
// The formulas are those of the PTX ISA, of "Matrix Fragments" and "Register
// Fragments and Shared Memory Matrix Layouts", for element i of lane `lane`.
//
//===----------------------------------------------------------------------===//

#include "layout/Fragments.h"
#include "layout/SharedLayouts.h"

#include <gtest/gtest.h>

using namespace tesela::layout;

namespace {

/// A layout of one instruction's operand against a formula.
template <typename Formula>
void expectFragment(const LinearLayout &layout, uint64_t registers,
                    uint64_t warps, Formula formula) {
  ASSERT_EQ(layout.size(Dim::Register), registers);
  ASSERT_EQ(layout.size(Dim::Lane), 32u);
  ASSERT_EQ(layout.size(Dim::Warp), warps);
  EXPECT_TRUE(layout.isSurjective());
  for (int64_t warp = 0; warp < int64_t(warps); ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t i = 0; i < int64_t(registers); ++i)
        ASSERT_EQ(layout.at({.reg = uint64_t(i),
                             .lane = uint64_t(lane),
                             .warp = uint64_t(warp)}),
                  formula(i, lane, warp))
            << "register " << i << " lane " << lane << " warp " << warp;
}

TEST(LayoutFragments, MmaAccumulator) {
  expectFragment(accumulatorFragment(MatrixUnit::Mma, {16, 8}, {}), 4, 1,
                 [](int64_t i, int64_t lane, int64_t) {
                   int64_t row = i < 2 ? lane / 4 : lane / 4 + 8;
                   return Shape{row, lane % 4 * 2 + (i & 1)};
                 });
  // mma.m8n8k4 of fp64.
  expectFragment(accumulatorFragment(MatrixUnit::Mma, {8, 8}, {}, 64), 2, 1,
                 [](int64_t i, int64_t lane, int64_t) {
                   return Shape{lane / 4, lane % 4 * 2 + i};
                 });
}

TEST(LayoutFragments, MmaOperandA) {
  expectFragment(operandAFragment(MatrixUnit::Mma, {16, 16}, {}, 16), 8, 1,
                 [](int64_t i, int64_t lane, int64_t) {
                   bool upper = (0 <= i && i < 2) || (4 <= i && i < 6);
                   return Shape{upper ? lane / 4 : lane / 4 + 8,
                                lane % 4 * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
                 });
  expectFragment(operandAFragment(MatrixUnit::Mma, {16, 8}, {}, 32), 4, 1,
                 [](int64_t i, int64_t lane, int64_t) {
                   bool upper = i == 0 || i == 2;
                   return Shape{upper ? lane / 4 : lane / 4 + 8,
                                i < 2 ? lane % 4 : lane % 4 + 4};
                 });
  expectFragment(operandAFragment(MatrixUnit::Mma, {16, 32}, {}, 8), 16, 1,
                 [](int64_t i, int64_t lane, int64_t) {
                   bool upper = (0 <= i && i < 4) || (8 <= i && i < 12);
                   return Shape{upper ? lane / 4 : lane / 4 + 8,
                                lane % 4 * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
                 });
  expectFragment(
      operandAFragment(MatrixUnit::Mma, {8, 4}, {}, 64), 1, 1,
      [](int64_t, int64_t lane, int64_t) { return Shape{lane / 4, lane % 4}; });
}

TEST(LayoutFragments, MmaOperandB) {
  expectFragment(operandBFragment({16, 8}, {}, 16), 4, 1,
                 [](int64_t i, int64_t lane, int64_t) {
                   return Shape{lane % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0),
                                lane / 4};
                 });
  expectFragment(operandBFragment({8, 8}, {}, 32), 2, 1,
                 [](int64_t i, int64_t lane, int64_t) {
                   return Shape{lane % 4 + (i == 1 ? 4 : 0), lane / 4};
                 });
  expectFragment(operandBFragment({32, 8}, {}, 8), 8, 1,
                 [](int64_t i, int64_t lane, int64_t) {
                   return Shape{lane % 4 * 4 + (i & 3) + (i >= 4 ? 16 : 0),
                                lane / 4};
                 });
  expectFragment(
      operandBFragment({4, 8}, {}, 64), 1, 1,
      [](int64_t, int64_t lane, int64_t) { return Shape{lane % 4, lane / 4}; });
}

TEST(LayoutFragments, WgmmaAccumulator) {
  for (int64_t n = 8; n <= 256; n *= 2)
    expectFragment(accumulatorFragment(MatrixUnit::Wgmma, {64, n}, {4, 1}),
                   uint64_t(n / 2), 4,
                   [](int64_t i, int64_t lane, int64_t warp) {
                     return Shape{16 * warp + lane / 4 + 8 * (i / 2 % 2),
                                  i / 4 * 8 + lane % 4 * 2 + i % 2};
                   });
}

TEST(LayoutFragments, WgmmaOperandA) {
  expectFragment(operandAFragment(MatrixUnit::Wgmma, {64, 16}, {4, 1}, 16), 8,
                 4, [](int64_t i, int64_t lane, int64_t warp) {
                   return Shape{16 * warp + lane / 4 + 8 * (i / 2 % 2),
                                lane % 4 * 2 + i % 2 + 8 * (i / 4)};
                 });
}

TEST(LayoutFragments, WarpsAndRepeats) {
  // Each warp has a block of 32 × 16: 2 × 2 instructions, along N first.
  expectFragment(accumulatorFragment(MatrixUnit::Mma, {64, 32}, {2, 2}), 16, 4,
                 [](int64_t i, int64_t lane, int64_t warp) {
                   return Shape{
                       lane / 4 + i / 2 % 2 * 8 + i / 8 * 16 + warp % 2 * 32,
                       lane % 4 * 2 + i % 2 + i / 4 % 2 * 8 + warp / 2 * 16};
                 });
  // Warpgroups: 64 rows of each instruction belong to four warps.
  expectFragment(accumulatorFragment(MatrixUnit::Wgmma, {256, 8}, {8, 1}), 8, 8,
                 [](int64_t i, int64_t lane, int64_t warp) {
                   return Shape{warp % 4 * 16 + lane / 4 + i / 2 % 2 * 8 +
                                    i / 4 * 64 + warp / 4 * 128,
                                lane % 4 * 2 + i % 2};
                 });
  // Operands of the same grid: warps that differ in the other axis repeat.
  expectFragment(operandAFragment(MatrixUnit::Mma, {32, 16}, {2, 2}, 16), 8, 4,
                 [](int64_t i, int64_t lane, int64_t warp) {
                   return Shape{lane / 4 + i / 2 % 2 * 8 + warp % 2 * 16,
                                lane % 4 * 2 + i % 2 + i / 4 * 8};
                 });
  expectFragment(operandBFragment({16, 16}, {2, 2}, 16), 4, 4,
                 [](int64_t i, int64_t lane, int64_t warp) {
                   return Shape{lane % 4 * 2 + i % 2 + i / 2 * 8,
                                lane / 4 + warp / 2 * 8};
                 });
  // A tile of fewer rows than the instruction's repeats them.
  expectFragment(accumulatorFragment(MatrixUnit::Mma, {4, 8}, {}), 4, 1,
                 [](int64_t i, int64_t lane, int64_t) {
                   return Shape{lane / 4 % 4, lane % 4 * 2 + i % 2};
                 });
  // Batches are in registers, outermost.
  expectFragment(accumulatorFragment(MatrixUnit::Mma, {2, 16, 8}, {}), 8, 1,
                 [](int64_t i, int64_t lane, int64_t) {
                   return Shape{i / 4, lane / 4 + i / 2 % 2 * 8,
                                lane % 4 * 2 + i % 2};
                 });
}

TEST(LayoutFragments, AccumulatorIsTheNextOperandA) {
  // The registers of an accumulator, as fp16, are those of operand A of the
  // next product: attention needs no shuffle.
  EXPECT_EQ(accumulatorFragment(MatrixUnit::Wgmma, {128, 64}, {4, 1})
                .restrict({Dim::Lane, Dim::Warp}),
            operandAFragment(MatrixUnit::Wgmma, {128, 64}, {4, 1}, 16)
                .restrict({Dim::Lane, Dim::Warp}));
  EXPECT_EQ(accumulatorFragment(MatrixUnit::Wgmma, {128, 64}, {4, 1}),
            operandAFragment(MatrixUnit::Wgmma, {128, 64}, {4, 1}, 16));
}

TEST(LayoutFragments, Matrices) {
  expectFragment(matrixFragment(16), 2, 1,
                 [](int64_t i, int64_t lane, int64_t) {
                   return Shape{lane / 4, lane % 4 * 2 + i};
                 });
  expectFragment(matrixFragment(16, true), 2, 1,
                 [](int64_t i, int64_t lane, int64_t) {
                   return Shape{lane % 4 * 2 + i, lane / 4};
                 });
  expectFragment(matrixFragment(8), 4, 1, [](int64_t i, int64_t lane, int64_t) {
    return Shape{lane / 4, lane % 4 * 4 + i};
  });
}

TEST(LayoutFragments, Blocked) {
  Blocking blocking{{1, 4}, {4, 8}, {2, 2}, {1, 0}};
  // Larger than the threads' box of 8 × 64: repeats in registers.
  expectFragment(blocked({16, 128}, blocking), 16, 4,
                 [](int64_t i, int64_t lane, int64_t warp) {
                   return Shape{lane / 8 + warp / 2 * 4 + i / 8 * 8,
                                i % 4 + lane % 8 * 4 + warp % 2 * 32 +
                                    i / 4 % 2 * 64};
                 });
  // Smaller: threads repeat elements, registers do not.
  expectFragment(
      blocked({2, 2}, blocking), 2, 4,
      [](int64_t i, int64_t lane, int64_t) { return Shape{lane / 8 % 2, i}; });
  // Columns first.
  Blocking columns{{4, 1}, {8, 4}, {1, 1}, {0, 1}};
  expectFragment(blocked({32, 4}, columns), 4, 1,
                 [](int64_t i, int64_t lane, int64_t) {
                   return Shape{i + lane % 8 * 4, lane / 8};
                 });
}

/// A bijection from offsets, against a formula from coordinates to offsets.
template <typename Formula>
void expectMemory(const LinearLayout &layout, Formula offset) {
  EXPECT_TRUE(layout.isBijective());
  for (uint64_t o = 0; o < layout.size(Dim::Offset); ++o) {
    Shape at = layout.at({.offset = o});
    ASSERT_EQ(uint64_t(offset(at[0], at[1])), o) << layout.str() << " at " << o;
  }
}

TEST(LayoutFragments, DenseMemory) {
  expectMemory(dense({4, 8}, {1, 0}),
               [](int64_t r, int64_t c) { return r * 8 + c; });
  expectMemory(dense({4, 8}, {0, 1}),
               [](int64_t r, int64_t c) { return c * 4 + r; });
  EXPECT_EQ(rowMajor(3), (std::vector<unsigned>{2, 1, 0}));
}

TEST(LayoutFragments, RowSwizzles) {
  for (unsigned vector : {1u, 2u, 8u})
    for (unsigned perPhase : {1u, 2u, 4u})
      for (unsigned maxPhase : {1u, 4u, 8u}) {
        auto formula = [&](int64_t r, int64_t c) {
          unsigned phase = unsigned(r) / perPhase % maxPhase;
          unsigned groups = 32 / vector;
          unsigned group = (unsigned(c) / vector) ^ (phase % groups);
          return r * 32 + group * vector + unsigned(c) % vector;
        };
        expectMemory(swizzled({16, 32}, {1, 0}, {vector, perPhase, maxPhase}),
                     formula);
        expectMemory(swizzled({32, 16}, {0, 1}, {vector, perPhase, maxPhase}),
                     [&](int64_t r, int64_t c) { return formula(c, r); });
      }
}

/// The XOR of address bits 4… with bits 7…, by the definition.
int64_t tensorCopyAddress(int64_t address, int64_t span) {
  int64_t mask = span / 16 - 1;
  return address ^ (address >> 7 & mask) << 4;
}

TEST(LayoutFragments, TensorCopySwizzles) {
  for (int64_t bytes : {1, 2, 4})
    for (int64_t span : {16, 32, 64, 128})
      for (int64_t rows : {8, 64})
        for (int64_t columns :
             {span / bytes, 2 * span / bytes, 8 * span / bytes}) {
          auto formula = [&](int64_t r, int64_t c) {
            int64_t box = c * bytes / span, within = c * bytes % span;
            return tensorCopyAddress(box * rows * span + r * span + within,
                                     span) /
                   bytes;
          };
          expectMemory(boxed({rows, columns}, {1, 0}, unsigned(bytes) * 8,
                             SwizzleSpan(span)),
                       formula);
          expectMemory(boxed({columns, rows}, {0, 1}, unsigned(bytes) * 8,
                             SwizzleSpan(span)),
                       [&](int64_t r, int64_t c) { return formula(c, r); });
        }
  EXPECT_EQ(widestSpan(256), SwizzleSpan::B128);
  EXPECT_EQ(widestSpan(64), SwizzleSpan::B64);
  EXPECT_EQ(widestSpan(8), SwizzleSpan::B16);
  // Rows of 64 bytes cannot have the swizzle of 128.
  EXPECT_EQ(boxed({64, 32}, {1, 0}, 16, SwizzleSpan::B128),
            boxed({64, 32}, {1, 0}, 16, SwizzleSpan::B64));
}

} // namespace
