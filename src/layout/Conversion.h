//===- Conversion.h - how a tile gets from one layout to another ----------===//

#ifndef TESELA_LAYOUT_CONVERSION_H
#define TESELA_LAYOUT_CONVERSION_H

#include "layout/LinearLayout.h"

namespace tesela::layout {

/// The cheapest way, from cheap to dear.
enum class ConversionKind {
  /// The layouts are equal.
  None,
  /// Each thread has its elements already, in registers that are the same in
  /// all threads.
  Registers,
  /// Each warp has its elements.
  Shuffle,
  /// Each block has its elements: through shared memory.
  Shared,
  /// Through the shared memory of the cluster's blocks.
  Cluster,
};

struct Conversion {
  ConversionKind kind;
  /// For each place in the destination, where the source has the element.
  PlaceMap source;
};

/// None where shapes differ, or the source lacks an element.
std::optional<Conversion> conversion(const LinearLayout &source,
                                     const LinearLayout &destination);

/// Affine over F2 in the number of a lane, warp and block: the constant XOR the
/// columns of the set bits.
struct LaneFunction {
  uint64_t constant = 0;
  std::vector<uint64_t> lane;
  std::vector<uint64_t> warp;
  std::vector<uint64_t> block;

  uint64_t operator()(const Place &thread) const;
  /// Equal in all threads.
  bool isConstant() const;
  /// Each lane's own number.
  bool isOwnLane() const;
};

/// One `shfl.sync.idx`: each lane offers source register `send`, reads what
/// lane `from` offers, and takes it as its destination register `to` if `skip`
/// is 0. Where `from` is each lane's own number no shuffle is needed.
struct ShuffleRound {
  LaneFunction send;
  LaneFunction from;
  LaneFunction to;
  LaneFunction skip;
};

/// The rounds of a conversion within warps (of kind `Registers` or `Shuffle`):
/// each destination register is written once in each lane. Where no lane needs
/// two registers' elements of one other lane at once, which is always so if no
/// element lives twice, there are as many rounds as destination registers.
std::vector<ShuffleRound> shuffleRounds(const PlaceMap &source);

} // namespace tesela::layout

#endif // TESELA_LAYOUT_CONVERSION_H
