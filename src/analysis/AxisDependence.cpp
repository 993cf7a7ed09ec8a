//===- AxisDependence.cpp - along which axes elements differ --------------===//

#include "analysis/AxisDependence.h"

#include "dialect/tile/Tile.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tesela::analysis {

bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
         op->getNumRegions() == 0 && isPure(op);
}

/// Every axis along which there is more than one element.
static uint64_t longAxes(RankedTensorType type) {
  uint64_t axes = 0;
  for (auto [axis, size] : llvm::enumerate(type.getShape()))
    if (size != 1)
      axes |= uint64_t(1) << axis;
  return axes;
}

uint64_t AxisDependence::get(Value tile) {
  auto known = memo.find(tile);
  if (known != memo.end())
    return known->second;
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  if (!type || type.getRank() > 63)
    return type ? ~uint64_t(0) : 0;
  // A chain this long is not worth the stack it takes.
  if (depth > 1000)
    return longAxes(type);
  ++depth;
  uint64_t axes = compute(tile) & longAxes(type);
  --depth;
  memo[tile] = axes;
  return axes;
}

uint64_t AxisDependence::compute(Value tile) {
  constexpr uint64_t all = ~uint64_t(0);
  Operation *op = tile.getDefiningOp();
  if (!op)
    return all;
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return constant.isSplat() ? 0 : all;
  if (isElementwise(op)) {
    uint64_t axes = 0;
    for (Value operand : op->getOperands())
      axes |= get(operand);
    return axes;
  }
  return llvm::TypeSwitch<Operation *, uint64_t>(op)
      .Case([](tile::SplatOp) { return 0; })
      .Case([&](tile::BroadcastOp broadcast) {
        return get(broadcast.getSource());
      })
      .Case([&](tile::ExpandDimsOp expand) {
        uint64_t axes = get(expand.getSource());
        uint64_t below = (uint64_t(1) << expand.getAxis()) - 1;
        return (axes & below) | (axes & ~below) << 1;
      })
      .Case([&](tile::PermuteOp permute) {
        uint64_t axes = get(permute.getSource()), permuted = 0;
        for (auto [axis, from] : llvm::enumerate(permute.getOrder()))
          permuted |= (axes >> from & 1) << axis;
        return permuted;
      })
      .Default([](Operation *) { return all; });
}

} // namespace tesela::analysis
