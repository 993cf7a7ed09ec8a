//===- Conversion.cpp - how a tile gets from one layout to another --------===//
//
// A round of shuffles lets each lane offer one register. If all lanes wrote the
// same destination register in a round, two lanes might want different
// registers of the same lane. So in a round c lane d writes register c ^ G(d)
// instead, for a linear G that makes the lane which d reads, as far as that can
// be, a different one for each d. Then the lane that offers knows for whom.
//
// What G cannot tell apart takes turns: the round is repeated, and each time
// only some lanes take what they read.
//
//===----------------------------------------------------------------------===//

#include "layout/Conversion.h"

#include <cassert>
#include <utility>

namespace tesela::layout {

std::optional<Conversion> conversion(const LinearLayout &source,
                                     const LinearLayout &destination) {
  std::optional<PlaceMap> map = locate(destination, source);
  if (!map)
    return std::nullopt;
  ConversionKind kind = ConversionKind::Cluster;
  if (source == destination)
    kind = ConversionKind::None;
  else if (!map->keeps(Dim::Block))
    kind = ConversionKind::Cluster;
  else if (!map->keeps(Dim::Warp))
    kind = ConversionKind::Shared;
  else if (!map->keeps(Dim::Lane) ||
           !map->dependsOnlyOn(Dim::Register, Dim::Register))
    kind = ConversionKind::Shuffle;
  else
    kind = ConversionKind::Registers;
  return Conversion{kind, std::move(*map)};
}

uint64_t LaneFunction::operator()(const Place &thread) const {
  return constant ^ BitMatrix(64, lane)(thread.lane) ^
         BitMatrix(64, warp)(thread.warp) ^ BitMatrix(64, block)(thread.block);
}

bool LaneFunction::isConstant() const {
  for (const auto *columns : {&lane, &warp, &block})
    for (uint64_t column : *columns)
      if (column)
        return false;
  return true;
}

bool LaneFunction::isOwnLane() const {
  for (unsigned bit = 0; bit < lane.size(); ++bit)
    if (lane[bit] != uint64_t(1) << bit)
      return false;
  LaneFunction rest = *this;
  rest.lane.clear();
  return !constant && rest.isConstant();
}

namespace {

/// A register and a lane of the source.
struct Origin {
  uint64_t reg = 0;
  uint64_t lane = 0;

  Origin operator^(const Origin &other) const {
    return {reg ^ other.reg, lane ^ other.lane};
  }
};

class ShufflePlanner {
public:
  explicit ShufflePlanner(const PlaceMap &source);

  std::vector<ShuffleRound> rounds() const;

private:
  void choose();
  bool harmless(unsigned bit, bool withRegisters);
  Origin columnOf(Dim dim, unsigned bit) const {
    Place place = source.column(dim, bit);
    return {place.reg, place.lane};
  }
  uint64_t flat(Origin origin) const {
    return origin.reg << source.to.bits(Dim::Lane) | origin.lane;
  }
  /// What a lane offers if it is read as lane `lane` differs from lane 0.
  uint64_t sentBy(uint64_t lane) const;
  ShuffleRound round(uint64_t reg, uint64_t turn) const;

  const PlaceMap &source;
  unsigned laneBits;
  unsigned registerBits;
  /// For each bit of the destination's lane: G, and what lanes read under it.
  std::vector<uint64_t> written;
  std::vector<Origin> read;
  /// The bits whose lanes read different lanes, and those lanes' span.
  std::vector<unsigned> apart;
  Span lanesRead;
  /// The bits that take turns, and the register of each that differs.
  std::vector<unsigned> turns;
  std::vector<uint64_t> turnRegisters;
};

ShufflePlanner::ShufflePlanner(const PlaceMap &source)
    : source(source), laneBits(source.from.bits(Dim::Lane)),
      registerBits(source.from.bits(Dim::Register)), written(laneBits, 0) {
  for (unsigned bit = 0; bit < laneBits; ++bit)
    read.push_back(columnOf(Dim::Lane, bit));
  choose();
  // Any other lane may offer anything.
  for (unsigned bit = 0; bit < source.to.bits(Dim::Lane); ++bit)
    lanesRead.add(uint64_t(1) << bit);
}

/// Whether lanes that differ in this bit, and read the same lane, want the same
/// register of it; with another register written where that makes it so.
bool ShufflePlanner::harmless(unsigned bit, bool withRegisters) {
  std::vector<uint64_t> columns;
  for (unsigned other : apart)
    columns.push_back(flat(read[other]));
  if (withRegisters)
    for (unsigned reg = 0; reg < registerBits; ++reg)
      columns.push_back(flat(columnOf(Dim::Register, reg)));
  std::optional<uint64_t> sum = BitMatrix(64, columns).solve(flat(read[bit]));
  if (!sum)
    return false;
  for (unsigned reg = 0; withRegisters && reg < registerBits; ++reg)
    if (*sum >> (apart.size() + reg) & 1) {
      written[bit] ^= uint64_t(1) << reg;
      read[bit] = read[bit] ^ columnOf(Dim::Register, reg);
    }
  return true;
}

void ShufflePlanner::choose() {
  auto setApart = [&](unsigned bit) {
    if (lanesRead.contains(read[bit].lane))
      return false;
    lanesRead.add(read[bit].lane);
    apart.push_back(bit);
    return true;
  };
  std::vector<unsigned> others;
  for (unsigned bit = 0; bit < laneBits; ++bit)
    if (!setApart(bit))
      others.push_back(bit);

  for (unsigned bit : others) {
    if (harmless(bit, /*withRegisters=*/false))
      continue;
    bool found = false;
    for (unsigned reg = 0; reg < registerBits && !found; ++reg) {
      Origin own = read[bit];
      read[bit] = own ^ columnOf(Dim::Register, reg);
      found = setApart(bit);
      if (found)
        written[bit] = uint64_t(1) << reg;
      else
        read[bit] = own;
    }
    if (!found && !harmless(bit, /*withRegisters=*/true))
      turns.push_back(bit);
  }
  for (unsigned bit : turns)
    turnRegisters.push_back(read[bit].reg ^ sentBy(read[bit].lane));
}

uint64_t ShufflePlanner::sentBy(uint64_t lane) const {
  uint64_t used = lanesRead.reduce(lane).used, result = 0;
  for (unsigned i = 0; i < apart.size(); ++i)
    if (used >> i & 1)
      result ^= read[apart[i]].reg;
  return result;
}

ShuffleRound ShufflePlanner::round(uint64_t reg, uint64_t turn) const {
  Place first = source({.reg = reg});
  ShuffleRound round;
  round.to.constant = reg;
  round.from.constant = first.lane;
  round.send.constant = first.reg ^ sentBy(first.lane);
  round.skip.constant = turn;
  for (unsigned i = 0; i < turns.size(); ++i)
    if (turn >> i & 1)
      round.send.constant ^= turnRegisters[i];

  round.to.lane = written;
  round.skip.lane.assign(laneBits, 0);
  for (unsigned i = 0; i < turns.size(); ++i)
    round.skip.lane[turns[i]] = uint64_t(1) << i;
  for (unsigned bit = 0; bit < laneBits; ++bit)
    round.from.lane.push_back(read[bit].lane);
  for (unsigned bit = 0; bit < source.to.bits(Dim::Lane); ++bit)
    round.send.lane.push_back(sentBy(uint64_t(1) << bit));

  auto rest = [&](Dim dim, std::vector<uint64_t> LaneFunction::*columns) {
    for (unsigned bit = 0; bit < source.from.bits(dim); ++bit) {
      Origin origin = columnOf(dim, bit);
      (round.from.*columns).push_back(origin.lane);
      (round.send.*columns).push_back(origin.reg ^ sentBy(origin.lane));
    }
  };
  rest(Dim::Warp, &LaneFunction::warp);
  rest(Dim::Block, &LaneFunction::block);
  return round;
}

std::vector<ShuffleRound> ShufflePlanner::rounds() const {
  std::vector<ShuffleRound> result;
  for (uint64_t reg = 0; reg >> registerBits == 0; ++reg)
    for (uint64_t turn = 0; turn >> turns.size() == 0; ++turn)
      result.push_back(round(reg, turn));
  return result;
}

} // namespace

std::vector<ShuffleRound> shuffleRounds(const PlaceMap &source) {
  assert(source.keeps(Dim::Warp) && source.keeps(Dim::Block) &&
         "not within warps");
  return ShufflePlanner(source).rounds();
}

} // namespace tesela::layout
