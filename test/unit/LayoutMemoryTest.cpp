//===- LayoutMemoryTest.cpp - accesses by simulated banks -----------------===//

#include "RandomLayout.h"

#include "layout/Fragments.h"
#include "layout/SharedLayouts.h"
#include "layout/Swizzle.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>

using namespace tesela::layout;
using namespace tesela::test;

namespace {

/// The offset of each element of the tile.
std::vector<uint64_t> offsetsByElement(const LinearLayout &memory) {
  std::vector<uint64_t> result(memory.size(Dim::Offset));
  for (uint64_t offset = 0; offset < result.size(); ++offset)
    result[memory({.offset = offset})] = offset;
  return result;
}

/// Wavefronts of lanes that access `bytes` bytes each: for each part of the
/// warp that moves 128 bytes, how many words the fullest bank is asked for.
unsigned simulateBanks(const std::vector<uint64_t> &addresses, unsigned bytes) {
  size_t together = 128 / std::max(bytes, 4u);
  unsigned result = 0;
  for (size_t first = 0; first < addresses.size(); first += together) {
    std::map<uint64_t, std::set<uint64_t>> words;
    for (size_t lane = first;
         lane < std::min(first + together, addresses.size()); ++lane)
      for (uint64_t byte = addresses[lane]; byte < addresses[lane] + bytes;
           ++byte)
        words[byte / 4 % 32].insert(byte / 4);
    size_t fullest = 0;
    for (const auto &[bank, asked] : words)
      fullest = std::max(fullest, asked.size());
    result += unsigned(fullest);
  }
  return result;
}

/// Goes through all accesses of all warps.
void checkShared(const LinearLayout &layout, const LinearLayout &shared,
                 unsigned elementBits) {
  auto access = sharedAccess(layout, shared, elementBits);
  ASSERT_TRUE(access);
  std::vector<uint64_t> offsets = offsetsByElement(shared);
  const VectorAccess &vector = access->vector;
  uint64_t width = uint64_t(1) << vector.vectorBits;
  unsigned bytes = unsigned(width) * elementBits / 8;
  ASSERT_LE(bytes, 16u);
  std::set<uint64_t> registers;
  for (uint64_t warp = 0; warp < layout.size(Dim::Warp); ++warp)
    for (uint64_t i = 0; i < vector.accesses(); ++i) {
      std::vector<uint64_t> addresses;
      for (uint64_t lane = 0; lane < layout.size(Dim::Lane); ++lane) {
        uint64_t start = 0;
        for (uint64_t e = 0; e < width; ++e) {
          uint64_t reg = vector.registerOf(i, e);
          registers.insert(reg);
          uint64_t offset =
              offsets[layout({.reg = reg, .lane = lane, .warp = warp})];
          if (e == 0)
            start = offset;
          ASSERT_EQ(offset, start + e);
        }
        ASSERT_EQ(start % width, 0u);
        addresses.push_back(start * elementBits / 8);
      }
      ASSERT_EQ(simulateBanks(addresses, bytes), access->wavefronts)
          << layout.str() << " in " << shared.str();
    }
  EXPECT_EQ(registers.size(), layout.size(Dim::Register));
}

TEST(LayoutMemory, RandomSharedAccesses) {
  std::mt19937_64 random(21);
  for (int i = 0; i < 200; ++i) {
    Shape shape = {1 << (3 + random() % 3), 1 << (4 + random() % 3)};
    unsigned elementBits = 8u << random() % 4;
    LinearLayout layout = surjectiveLayout(random, shape, 5, random() % 3,
                                           random() % 2, random() % 3);
    RowSwizzle swizzle{1u << random() % 4, 1u << random() % 3,
                       1u << random() % 4};
    std::vector<unsigned> order = {1, 0};
    if (random() % 2)
      std::swap(order[0], order[1]);
    SwizzleSpan span = SwizzleSpan(16u << random() % 4);
    LinearLayout shared = random() % 2 ? swizzled(shape, order, swizzle)
                                       : boxed(shape, order, elementBits, span);
    checkShared(layout, shared, elementBits);
  }
}

TEST(LayoutMemory, KnownConflicts) {
  // A warp reads a column of 32 rows of 128 bytes: one bank.
  Shape shape = {32, 32};
  LinearLayout columns = blocked(shape, {{1, 1}, {32, 1}, {1, 1}, {0, 1}});
  EXPECT_EQ(sharedAccess(columns, dense(shape, {1, 0}), 32)->wavefronts, 32u);
  EXPECT_EQ(sharedAccess(columns, swizzled(shape, {1, 0}, {1, 1, 32}), 32)
                ->wavefronts,
            1u);
  LinearLayout rows = blocked(shape, {{1, 4}, {4, 8}, {1, 1}, {1, 0}});
  auto access = sharedAccess(rows, dense(shape, {1, 0}), 32);
  EXPECT_EQ(access->vector.vectorBits, 2u);
  EXPECT_EQ(access->wavefronts, 4u);
  EXPECT_EQ(access->ideal, 4u);
  EXPECT_FALSE(sharedAccess(rows, dense({32, 16}, {1, 0}), 32));
}

TEST(LayoutMemory, VectorsAreTheWidest) {
  // Against all sets of registers: vectors up to 2^k elements exist exactly if
  // every aligned group of elements that a thread touches is its own.
  std::mt19937_64 random(22);
  std::set<unsigned> seen;
  for (int i = 0; i < 500; ++i) {
    Shape shape = {4, 16};
    LinearLayout layout =
        surjectiveLayout(random, shape, 2, 1, random() % 2, random() % 2);
    LinearLayout memory = dense(shape, {1, 0});
    auto access = vectorAccess(layout, memory, 6);
    ASSERT_TRUE(access);
    unsigned widest = 0;
    for (unsigned bits = 1; bits <= 6; ++bits) {
      std::map<std::pair<uint64_t, uint64_t>, std::set<uint64_t>> groups;
      // One numbering must do for all threads: the registers of a group are
      // the same sets, in the same order.
      std::set<std::map<uint64_t, std::vector<uint64_t>>> numberings;
      bool whole = true;
      for (uint64_t thread = 0; thread < 8; ++thread) {
        std::map<uint64_t, std::vector<uint64_t>> firsts;
        std::map<uint64_t, std::set<uint64_t>> byGroup;
        for (uint64_t reg = 0; reg < layout.size(Dim::Register); ++reg) {
          uint64_t element =
              layout({.reg = reg, .lane = thread & 3, .warp = thread >> 2});
          byGroup[element >> bits].insert(element);
          firsts[element & ((1u << bits) - 1)].push_back(reg);
        }
        for (const auto &[group, elements] : byGroup)
          whole &= elements.size() == size_t(1) << bits;
        numberings.insert(firsts);
      }
      if (whole && numberings.size() == 1)
        widest = bits;
    }
    ASSERT_EQ(access->vectorBits, widest) << layout.str();
    seen.insert(widest);
  }
  EXPECT_GE(seen.size(), 3u);
}

TEST(LayoutMemory, VectorsMayReorderRegisters) {
  LinearLayout layout({2, 8});
  layout.add(Dim::Register, 8)
      .add(Dim::Register, 3)
      .add(Dim::Register, 1)
      .add(Dim::Lane, 4);
  auto access = vectorAccess(layout, dense({2, 8}, {1, 0}), 4);
  ASSERT_TRUE(access);
  EXPECT_EQ(access->vectorBits, 2u);
  EXPECT_EQ(access->registers, (std::vector<uint64_t>{4, 6, 1}));
  EXPECT_EQ(vectorAccess(layout, dense({2, 8}, {1, 0}), 1)->vectorBits, 1u);
  EXPECT_EQ(vectorAccess(layout, dense({2, 8}, {0, 1}), 4)->vectorBits, 3u);
}

TEST(LayoutMemory, ConversionBuffersHaveNoConflictsWhereTheyNeedNot) {
  // Between what coalesced loads, dots and transposes want.
  for (int64_t rows : {32, 128})
    for (int64_t columns : {32, 64})
      for (unsigned bits : {8u, 16u, 32u, 64u}) {
        Shape shape = {rows, columns};
        int64_t vector = 128 / bits;
        std::vector<LinearLayout> layouts = {
            blocked(shape, {{1, vector},
                            {std::max<int64_t>(32 * vector / columns, 1),
                             std::min<int64_t>(columns / vector, 32)},
                            {4, 1},
                            {1, 0}}),
            blocked(shape, {{vector, 1},
                            {std::min<int64_t>(rows / vector, 32),
                             std::max<int64_t>(32 * vector / rows, 1)},
                            {1, 4},
                            {0, 1}}),
            accumulatorFragment(MatrixUnit::Mma, shape, {2, 2}),
            operandAFragment(MatrixUnit::Mma, shape, {2, 2},
                             std::min(bits, 32u)),
        };
        for (const LinearLayout &source : layouts)
          for (const LinearLayout &destination : layouts) {
            auto buffer = conversionBuffer(source, destination, bits);
            ASSERT_TRUE(buffer);
            EXPECT_TRUE(buffer->layout.isBijective());
            if (rows == columns)
              checkShared(destination, buffer->layout, bits);
            EXPECT_EQ(buffer->store.wavefronts, buffer->store.ideal)
                << bits << ": " << source.str() << "\n"
                << destination.str() << "\n"
                << buffer->layout.str();
            EXPECT_EQ(buffer->load.wavefronts, buffer->load.ideal)
                << bits << ": " << source.str() << "\n"
                << destination.str() << "\n"
                << buffer->layout.str();
          }
      }
}

TEST(LayoutMemory, ConversionBuffersOfRandomLayouts) {
  std::mt19937_64 random(23);
  for (int i = 0; i < 60; ++i) {
    Shape shape = randomShape(random, 9 + random() % 3);
    unsigned bits = 8u << random() % 4;
    LinearLayout source =
        surjectiveLayout(random, shape, 5, 2, random() % 2, random() % 3);
    LinearLayout destination =
        surjectiveLayout(random, shape, 5, 2, random() % 2, random() % 3);
    auto buffer = conversionBuffer(source, destination, bits);
    ASSERT_TRUE(buffer);
    ASSERT_TRUE(buffer->layout.isBijective());
    checkShared(source, buffer->layout, bits);
    checkShared(destination, buffer->layout, bits);
  }
  // Each block of a cluster has its part alone.
  LinearLayout blocks({4, 32});
  blocks.addAlong(Dim::Lane, 1, 0, 5).addAlong(Dim::Register, 0, 0, 1);
  LinearLayout turned = blocks;
  blocks.addAlong(Dim::Block, 0, 1, 1);
  turned = LinearLayout({4, 32})
               .addAlong(Dim::Register, 1, 0, 1)
               .addAlong(Dim::Lane, 0, 0, 1)
               .addAlong(Dim::Lane, 1, 1, 4)
               .addAlong(Dim::Block, 0, 1, 1);
  auto buffer = conversionBuffer(blocks, turned, 32);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->layout.bits(Dim::Offset), 6u);
  EXPECT_TRUE(locate(blocks, buffer->layout)->keeps(Dim::Block));
  EXPECT_FALSE(conversionBuffer(blocks, LinearLayout({4, 16}), 32));
}

/// Runs all instructions: what each lane gets from the rows whose addresses
/// lanes give. PTX ISA, "ldmatrix": lane 4g+t gets elements 2t and 2t+1 of row
/// g of each matrix; lanes 8i to 8i+7 give the addresses of matrix i.
void checkMatrixAccess(const LinearLayout &layout, const LinearLayout &shared,
                       unsigned elementBits, bool transposed) {
  auto access = matrixAccess(layout, shared, elementBits, transposed);
  ASSERT_TRUE(access) << layout.str() << " in " << shared.str();
  uint64_t packed = 32 / elementBits, perRow = 128 / elementBits;
  uint64_t matrices = uint64_t(1) << access->matrixBits;
  uint64_t instructions = layout.size(Dim::Register) / packed / matrices;
  BitMatrix numbering(64, access->registers);
  for (uint64_t warp = 0; warp < layout.size(Dim::Warp); ++warp)
    for (uint64_t i = 0; i < instructions; ++i) {
      auto row = [&](uint64_t lane) {
        Place at{.reg = i, .lane = lane, .warp = warp};
        return access->rows(at).offset;
      };
      for (uint64_t matrix = 0; matrix < matrices; ++matrix) {
        std::vector<uint64_t> addresses;
        for (uint64_t r = 0; r < 8; ++r) {
          uint64_t start = row(matrix * 8 + r);
          ASSERT_EQ(start % perRow, 0u);
          addresses.push_back(start * elementBits / 8);
        }
        EXPECT_EQ(simulateBanks(addresses, 16), access->wavefronts);
        for (uint64_t lane = 0; lane < 32; ++lane)
          for (uint64_t e = 0; e < packed; ++e) {
            uint64_t r = lane / 4, c = lane % 4 * packed + e;
            if (transposed)
              std::swap(r, c);
            uint64_t reg = numbering((i * matrices + matrix) * packed + e);
            ASSERT_EQ(shared({.offset = row(matrix * 8 + r) + c}),
                      layout({.reg = reg, .lane = lane, .warp = warp}));
          }
      }
    }
}

TEST(LayoutMemory, MatrixAccesses) {
  for (unsigned bits : {8u, 16u, 32u}) {
    Shape shape = {64, 2048 / int64_t(bits)};
    LinearLayout shared = boxed(shape, {1, 0}, bits, SwizzleSpan::B128);
    LinearLayout a = operandAFragment(MatrixUnit::Mma, shape, {2, 2}, bits);
    checkMatrixAccess(a, shared, bits, false);
    EXPECT_EQ(matrixAccess(a, shared, bits)->wavefronts, 1u);
    EXPECT_EQ(matrixAccess(a, shared, bits)->matrixBits, 2u);
    checkMatrixAccess(a, dense(shape, {1, 0}), bits, false);
    EXPECT_EQ(matrixAccess(a, dense(shape, {1, 0}), bits)->wavefronts, 8u);
    // B is along K in memory: the transposed tile is row-major.
    Shape turned = {shape[1], shape[0]};
    checkMatrixAccess(operandBFragment(turned, {2, 2}, bits),
                      boxed(turned, {0, 1}, bits, SwizzleSpan::B128), bits,
                      false);
  }
  // B is along N: transposed.
  Shape shape = {64, 64};
  LinearLayout b = operandBFragment(shape, {2, 2}, 16);
  LinearLayout shared = boxed(shape, {1, 0}, 16, SwizzleSpan::B128);
  EXPECT_FALSE(matrixAccess(b, shared, 16));
  checkMatrixAccess(b, shared, 16, true);
  EXPECT_EQ(matrixAccess(b, shared, 16, true)->wavefronts, 1u);
  // stmatrix of an accumulator as fp16; in fp32 it has no such rows.
  LinearLayout c = accumulatorFragment(MatrixUnit::Mma, shape, {2, 2});
  checkMatrixAccess(c, shared, 16, false);
  EXPECT_FALSE(matrixAccess(c, shared, 32));
  // A single matrix, and rows that are not in one piece.
  checkMatrixAccess(matrixFragment(16), dense({8, 8}, {1, 0}), 16, false);
  checkMatrixAccess(matrixFragment(16, true), dense({8, 8}, {1, 0}), 16, true);
  EXPECT_FALSE(matrixAccess(matrixFragment(16),
                            swizzled({8, 8}, {1, 0}, {2, 1, 4}), 16));
  EXPECT_FALSE(matrixAccess(LinearLayout({8, 8}), dense({8, 8}, {1, 0}), 16));
}

} // namespace
