//===- Fusion.cpp - how tiles depend on each other, element by element ----===//

#include "target/cpu/Fusion.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tesela::cpu {

AxisMap identityMap(int64_t rank) {
  AxisMap axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

bool isIdentity(ArrayRef<int> axes, ArrayRef<int64_t> tileShape,
                ArrayRef<int64_t> nestShape) {
  if (tileShape != nestShape)
    return false;
  for (auto [axis, loop] : llvm::enumerate(axes))
    if (loop != int(axis) && tileShape[axis] != 1)
      return false;
  return true;
}

bool isTile(Type type) { return isa<RankedTensorType>(type); }

ArrayRef<int64_t> shapeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getShape();
}

std::optional<int64_t> constantInt(Value value) {
  llvm::APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

bool isRowReshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (from.empty() || to.empty())
    return true;
  // Some power of two that divides both rows and fills a vector register.
  int64_t common = std::gcd(from.back(), to.back());
  int64_t lanes = common & -common;
  return lanes >= 16 || from.back() == to.back();
}

/// Maps a reshape that only adds or drops axes of extent one; empty for others.
static AxisMap reshapeMap(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                          ArrayRef<int> axes) {
  AxisMap result;
  size_t next = 0;
  for (int64_t extent : from) {
    if (extent == 1) {
      result.push_back(-1);
      continue;
    }
    while (next < to.size() && to[next] == 1)
      ++next;
    if (next == to.size() || to[next] != extent)
      return AxisMap(from.size(), -1);
    result.push_back(axes[next++]);
  }
  return result;
}

void forEachTileOperand(Value tile, ArrayRef<int> axes, OperandVisitor visit) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return;
  auto visitSame = [&](ValueRange operands) {
    for (Value operand : operands)
      if (isTile(operand))
        visit(operand, axes);
  };
  TypeSwitch<Operation *>(op)
      .Case<tile::SplatOp, tile::IotaOp>([](auto) {})
      .Case<tile::ExpandDimsOp>([&](auto expand) {
        AxisMap map(axes);
        map.erase(map.begin() + expand.getAxis());
        visit(expand.getSource(), map);
      })
      .Case<tile::BroadcastOp>([&](auto broadcast) {
        AxisMap map(axes);
        for (auto [axis, extent] :
             llvm::enumerate(shapeOf(broadcast.getSource())))
          if (extent == 1)
            map[axis] = -1;
        visit(broadcast.getSource(), map);
      })
      .Case<tile::PermuteOp>([&](auto permute) {
        AxisMap map(axes.size());
        for (auto [axis, source] : llvm::enumerate(permute.getOrder()))
          map[source] = axes[axis];
        visit(permute.getSource(), map);
      })
      .Case<tile::ReshapeOp>([&](auto reshape) {
        Value source = reshape.getSource();
        visit(source, reshapeMap(shapeOf(source), shapeOf(tile), axes));
      })
      .Case<tile::JoinOp>([&](auto join) {
        ArrayRef<int> map = axes.drop_back();
        visit(join.getLhs(), map);
        visit(join.getRhs(), map);
      })
      .Case<tile::SplitOp>([&](auto split) {
        AxisMap map(axes);
        map.push_back(-1);
        visit(split.getSource(), map);
      })
      .Case<tile::CatOp>([&](auto cat) {
        visit(cat.getLhs(), AxisMap{-1});
        visit(cat.getRhs(), AxisMap{-1});
      })
      .Case<tile::ViewLoadOp>([&](auto load) {
        for (auto [axis, offset] : llvm::enumerate(load.getOffsets()))
          if (isTile(offset))
            visit(offset, AxisMap{axes[axis]});
        if (load.getMask())
          visit(load.getMask(), axes);
        if (load.getOther() && isTile(load.getOther()))
          visit(load.getOther(), axes);
      })
      .Case<tile::GatherOp>([&](auto gather) {
        AxisMap map(axes);
        map[gather.getAxis()] = -1;
        visit(gather.getIndices(), axes);
        visit(gather.getSource(), map);
      })
      .Case<tile::ReduceOp, tile::ScanOp, tile::DotOp, tile::AtomicRMWOp,
            tile::AtomicCasOp>([](auto) {})
      .Default([&](Operation *other) {
        if (other->getNumRegions() == 0)
          visitSame(other->getOperands());
      });
}

int pointwiseCost(Operation *op) {
  return TypeSwitch<Operation *, int>(op)
      .Case<tile::SplatOp, tile::IotaOp, tile::ExpandDimsOp, tile::BroadcastOp,
            tile::PermuteOp, arith::ConstantOp>([](auto) { return 0; })
      .Case<tile::ViewLoadOp>([](auto load) {
        for (auto [stride, offset] :
             llvm::zip(load.getStrides(), load.getOffsets()))
          if (constantInt(stride) == 1 && !isTile(offset))
            return 2;
        return 16;
      })
      .Case<tile::LoadOp, tile::GatherOp>([](auto) { return 16; })
      .Case<arith::DivFOp, math::SqrtOp, math::RsqrtOp>([](auto) { return 5; })
      .Case<tile::DivSIOp, tile::DivUIOp, tile::RemSIOp, tile::RemUIOp>(
          [](auto) { return 20; })
      .Case<math::AbsFOp, math::AbsIOp, math::FmaOp, math::FloorOp,
            math::CeilOp>([](auto) { return 1; })
      .Default([](Operation *other) {
        bool isMath = isa<math::MathDialect>(other->getDialect());
        return isMath ? 20 : 1;
      });
}

} // namespace tesela::cpu
