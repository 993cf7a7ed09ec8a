//===- LayoutConversionTest.cpp - conversions run on simulated lanes ------===//

#include "RandomLayout.h"

#include "layout/Conversion.h"
#include "layout/Fragments.h"
#include "layout/Packing.h"

#include <gtest/gtest.h>

using namespace tesela::layout;
using namespace tesela::test;

namespace {

/// What kind of conversion is needed, by looking at all places.
ConversionKind kindByEnumeration(const LinearLayout &source,
                                 const LinearLayout &destination) {
  if (source == destination)
    return ConversionKind::None;
  PlaceSpace from = source.space(), to = destination.space();
  bool warps = true, lanes = true;
  // For each register, the source registers that would do in all threads.
  std::vector<std::vector<bool>> fits(
      destination.size(Dim::Register),
      std::vector<bool>(source.size(Dim::Register), true));
  for (uint64_t flat = 0; flat >> to.totalBits() == 0; ++flat) {
    Place place = to.unflatten(flat);
    bool inWarp = false, inLane = false;
    for (uint64_t other = 0; other >> from.totalBits() == 0; ++other) {
      Place held = from.unflatten(other);
      bool same = source(held) == destination(place);
      if (held.warp != place.warp)
        continue;
      inWarp |= same;
      if (held.lane != place.lane)
        continue;
      inLane |= same;
      if (!same)
        fits[place.reg][held.reg] = false;
    }
    warps &= inWarp;
    lanes &= inLane;
  }
  bool registers = true;
  for (const std::vector<bool> &fit : fits)
    registers &= std::find(fit.begin(), fit.end(), true) != fit.end();
  if (!warps)
    return ConversionKind::Shared;
  return lanes && registers ? ConversionKind::Registers
                            : ConversionKind::Shuffle;
}

/// Runs the rounds in all lanes and warps; the number of rounds.
size_t runRounds(const LinearLayout &source, const LinearLayout &destination,
                 const PlaceMap &map) {
  std::vector<ShuffleRound> rounds = shuffleRounds(map);
  for (uint64_t warp = 0; warp < destination.size(Dim::Warp); ++warp) {
    constexpr uint64_t unset = ~uint64_t(0);
    std::vector<std::vector<uint64_t>> result(
        destination.size(Dim::Lane),
        std::vector<uint64_t>(destination.size(Dim::Register), unset));
    for (const ShuffleRound &round : rounds) {
      std::vector<uint64_t> offered;
      for (uint64_t lane = 0; lane < source.size(Dim::Lane); ++lane) {
        Place thread{.lane = lane, .warp = warp};
        uint64_t reg = round.send(thread);
        EXPECT_LT(reg, source.size(Dim::Register));
        offered.push_back(source({.reg = reg, .lane = lane, .warp = warp}));
        if (round.send.isConstant())
          EXPECT_EQ(reg, round.send.constant);
      }
      for (uint64_t lane = 0; lane < result.size(); ++lane) {
        Place thread{.lane = lane, .warp = warp};
        uint64_t from = round.from(thread);
        EXPECT_LT(from, offered.size());
        if (round.from.isOwnLane())
          EXPECT_EQ(from, lane);
        if (round.skip(thread) != 0)
          continue;
        uint64_t &to = result[lane][round.to(thread)];
        EXPECT_EQ(to, unset) << "written twice";
        to = offered[from];
      }
    }
    for (uint64_t lane = 0; lane < result.size(); ++lane)
      for (uint64_t reg = 0; reg < result[lane].size(); ++reg)
        EXPECT_EQ(result[lane][reg],
                  destination({.reg = reg, .lane = lane, .warp = warp}))
            << source.str() << " to " << destination.str();
  }
  return rounds.size();
}

bool withinWarps(ConversionKind kind) {
  return kind == ConversionKind::None || kind == ConversionKind::Registers ||
         kind == ConversionKind::Shuffle;
}

LinearLayout fourElements(uint64_t vectors, Dim last) {
  LinearLayout layout({4});
  return layout.add(Dim::Register, vectors & 3)
      .add(Dim::Lane, vectors >> 2 & 3)
      .add(last, vectors >> 4);
}

TEST(LayoutConversion, SmallLayoutsAgainstEnumeration) {
  // All pairs of layouts of 4 elements over two registers and lanes and two
  // warps, or four lanes.
  size_t counts[5] = {};
  for (Dim last : {Dim::Lane, Dim::Warp})
    for (uint64_t both = 0; both >> 12 == 0; ++both) {
      LinearLayout source = fourElements(both & 63, last);
      LinearLayout destination = fourElements(both >> 6, last);
      if (!source.isSurjective() || !destination.isSurjective())
        continue;
      auto found = conversion(source, destination);
      ASSERT_TRUE(found);
      ASSERT_EQ(found->kind, kindByEnumeration(source, destination))
          << source.str() << " to " << destination.str();
      ++counts[unsigned(found->kind)];
      if (withinWarps(found->kind))
        runRounds(source, destination, found->source);
    }
  for (ConversionKind kind : {ConversionKind::None, ConversionKind::Registers,
                              ConversionKind::Shuffle, ConversionKind::Shared})
    EXPECT_GT(counts[unsigned(kind)], 0u);
}

/// A layout of the same warps whose other bits are mixed anew.
LinearLayout withinWarpsOf(std::mt19937_64 &random,
                           const LinearLayout &source) {
  LinearLayout result(source.shape());
  std::vector<uint64_t> vectors = source.bases(Dim::Register);
  const auto &lanes = source.bases(Dim::Lane);
  vectors.insert(vectors.end(), lanes.begin(), lanes.end());
  std::shuffle(vectors.begin(), vectors.end(), random);
  for (size_t i = 0; i < vectors.size(); ++i)
    if (size_t j = random() % vectors.size(); i != j)
      vectors[i] ^= vectors[j];
  for (size_t i = 0; i < vectors.size(); ++i)
    result.add(i < lanes.size() ? Dim::Lane : Dim::Register, vectors[i]);
  // What a warp adds may hide in the other bits.
  for (uint64_t vector : source.bases(Dim::Warp))
    result.add(Dim::Warp, vector ^ vectors[random() % vectors.size()]);
  return result;
}

TEST(LayoutConversion, ShufflesWithoutRepeatsTakeOneRoundARegister) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 60; ++i) {
    Shape shape = randomShape(random, 8 + random() % 4);
    LinearLayout source = surjectiveLayout(random, shape);
    LinearLayout destination = withinWarpsOf(random, source);
    auto found = conversion(source, destination);
    ASSERT_TRUE(found);
    ASSERT_TRUE(withinWarps(found->kind));
    EXPECT_EQ(runRounds(source, destination, found->source),
              destination.size(Dim::Register));
  }
}

TEST(LayoutConversion, ShufflesOfRepeatedElements) {
  std::mt19937_64 random(12);
  size_t shuffles = 0;
  for (int i = 0; i < 200; ++i) {
    Shape shape = randomShape(random, 4 + random() % 5);
    LinearLayout source = surjectiveLayout(random, shape, 5, 1, true, 3);
    LinearLayout destination = withinWarpsOf(random, source);
    if (!destination.isSurjective())
      continue;
    auto found = conversion(source, destination);
    ASSERT_TRUE(found);
    if (!withinWarps(found->kind))
      continue;
    ++shuffles;
    runRounds(source, destination, found->source);
  }
  EXPECT_GT(shuffles, 100u);
}

TEST(LayoutConversion, KnownKinds) {
  Shape shape = {64, 64};
  LinearLayout c = accumulatorFragment(MatrixUnit::Mma, shape, {4, 1});
  LinearLayout a = operandAFragment(MatrixUnit::Mma, shape, {4, 1}, 16);
  EXPECT_EQ(conversion(c, c)->kind, ConversionKind::None);
  EXPECT_EQ(conversion(c, a)->kind, ConversionKind::None);
  // fp8 packs four elements of a row, the accumulator has two.
  LinearLayout a8 = operandAFragment(MatrixUnit::Mma, shape, {4, 1}, 8);
  EXPECT_EQ(conversion(c, a8)->kind, ConversionKind::Shuffle);
  runRounds(c, a8, conversion(c, a8)->source);
  LinearLayout rows = blocked(shape, {{1, 8}, {4, 8}, {4, 1}, {1, 0}});
  EXPECT_EQ(conversion(c, rows)->kind, ConversionKind::Shared);
  EXPECT_EQ(conversion(rows, rows.renumberRegisters({16, 8, 4, 2, 1}))->kind,
            ConversionKind::Registers);
  EXPECT_FALSE(conversion(c, LinearLayout({64, 32})));
  EXPECT_FALSE(conversion(LinearLayout(shape), c));

  LinearLayout blocks({4}), swapped({4});
  blocks.add(Dim::Register, 1).add(Dim::Block, 2);
  swapped.add(Dim::Register, 2).add(Dim::Block, 1);
  EXPECT_EQ(conversion(blocks, swapped)->kind, ConversionKind::Cluster);
}

TEST(LayoutConversion, AReductionsResultIsWhereItIsWanted) {
  // Sums along rows, and along columns, broadcast back: each thread has its
  // own already, whatever repeats.
  LinearLayout tile = accumulatorFragment(MatrixUnit::Wgmma, {64, 64}, {4, 1});
  for (unsigned axis : {0u, 1u}) {
    LinearLayout sums = tile.collapse(axis).withoutRepeatedRegisters();
    EXPECT_EQ(conversion(sums, tile.collapse(axis))->kind,
              ConversionKind::Registers);
  }
}

/// Converts packs, and looks at the elements in them.
unsigned checkPacking(const LinearLayout &source,
                      const LinearLayout &destination, unsigned maxBits) {
  auto packed = packing(source, destination, maxBits);
  EXPECT_TRUE(packed);
  if (!packed)
    return 0;
  EXPECT_LE(packed->bits, maxBits);
  auto map = locate(packed->destination, packed->source);
  EXPECT_TRUE(map);
  if (!map)
    return 0;
  BitMatrix from(64, packed->sourceRegisters);
  BitMatrix to(64, packed->destinationRegisters);
  EXPECT_EQ(from.rank(), source.bits(Dim::Register));
  EXPECT_EQ(to.rank(), destination.bits(Dim::Register));
  PlaceSpace space = packed->destination.space();
  for (uint64_t flat = 0; flat >> space.totalBits() == 0; ++flat)
    for (uint64_t e = 0; e >> packed->bits == 0; ++e) {
      Place wanted = space.unflatten(flat), held = (*map)(wanted);
      wanted.reg = to(wanted.reg << packed->bits | e);
      held.reg = from(held.reg << packed->bits | e);
      EXPECT_EQ(destination(wanted), source(held))
          << source.str() << " to " << destination.str();
    }
  return packed->bits;
}

TEST(LayoutConversion, PacksOfElements) {
  Shape shape = {64, 64};
  LinearLayout c = accumulatorFragment(MatrixUnit::Mma, shape, {4, 1});
  LinearLayout a8 = operandAFragment(MatrixUnit::Mma, shape, {4, 1}, 8);
  // Pairs of columns stay together: half as many shuffles.
  EXPECT_EQ(checkPacking(c, a8, 1), 1u);
  auto packed = packing(c, a8, 1);
  auto found = conversion(packed->source, packed->destination);
  EXPECT_EQ(found->kind, ConversionKind::Shuffle);
  EXPECT_EQ(runRounds(packed->source, packed->destination, found->source), 16u);
  EXPECT_EQ(checkPacking(c, c, 2), 2u);
  EXPECT_FALSE(packing(c, LinearLayout({64, 32}), 2));

  std::mt19937_64 random(13);
  size_t packs = 0;
  for (int i = 0; i < 100; ++i) {
    Shape shape = randomShape(random, 6 + random() % 4);
    LinearLayout source =
        surjectiveLayout(random, shape, 3, 1, random() % 2, random() % 3);
    packs += checkPacking(
        source, surjectiveLayout(random, shape, 3, 1, false, random() % 3), 2);
  }
  EXPECT_GT(packs, 20u);
}

} // namespace
