//===- LowerScan.cpp - scans along the axis of the slices -----------------===//
//
//   %r = tile.scan %x axis 1 combine { .. }        (a slice of 4 lanes: a b c
//   d)
//     ==>
//   a  ab  bc    cd         combined with the lane one before
//   a  ab  abc   abcd       and with the lane two before
//   each combined with what the slices before it came to, which is the last
//   lane of the one before
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Nests.h"
#include "target/cpu/Pointwise.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tesela::cpu {

LaneScan::LaneScan(LoweringState &state, tile::ScanOp scan, int64_t lanes)
    : state(state), scan(scan), lanes(lanes) {}

SmallVector<Value> LaneScan::initial() {
  return llvm::map_to_vector(scan.getSources(), [&](Value source) {
    Type element = registerType(tile::elementType(source.getType()));
    return zeroConstant(state.b, scan.getLoc(), movedType(element), 0);
  });
}

SmallVector<Value> LaneScan::step(SmallVectorImpl<Value> &carried,
                                  ValueRange slices, Value isFirst) {
  OpBuilder &b = state.b;
  Location loc = scan.getLoc();
  bool reverse = scan.getReverse();
  Block &region = scan.getCombine().front();
  auto elementOf = [](Value value) {
    return getElementTypeOrSelf(value.getType());
  };
  auto shuffled = [&](Value left, Value right, ArrayRef<int64_t> positions) {
    Value result = vector::ShuffleOp::create(b, loc, toMoved(b, loc, left),
                                             toMoved(b, loc, right), positions);
    return fromMoved(b, loc, result, elementOf(left));
  };

  SmallVector<Value> values;
  for (Value slice : slices)
    values.push_back(spread(b, loc, slice, lanes));
  for (int64_t distance = 1; distance < lanes; distance *= 2) {
    // Where each lane's other operand is, and whether it has one.
    SmallVector<int64_t> from, chosen;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t other = reverse ? lane + distance : lane - distance;
      bool exists = other >= 0 && other < lanes;
      from.push_back(exists ? other : lane);
      chosen.push_back(exists ? lanes + lane : lane);
    }
    SmallVector<Value> before;
    for (Value value : values)
      before.push_back(shuffled(value, value, from));
    SmallVector<Value> combined = combine(state, region, before, values);
    if (state.failed)
      return {};
    for (auto [value, now] : llvm::zip_equal(values, combined))
      value = shuffled(value, spread(b, loc, now, lanes), chosen);
  }

  SmallVector<Value> before;
  for (auto [carry, value] : llvm::zip_equal(carried, values))
    before.push_back(
        spread(b, loc, fromMoved(b, loc, carry, elementOf(value)), lanes));
  SmallVector<Value> combined = combine(state, region, before, values);
  if (state.failed)
    return {};
  for (auto [carry, value, now] : llvm::zip_equal(carried, values, combined)) {
    value = selectValue(b, loc, isFirst, value, spread(b, loc, now, lanes));
    carry = toMoved(b, loc, value);
    if (lanes)
      carry = vector::ExtractOp::create(b, loc, carry,
                                        reverse ? int64_t(0) : lanes - 1);
  }
  return values;
}

} // namespace tesela::cpu
