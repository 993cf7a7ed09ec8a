//===- SteppedView.cpp - a view that a loop moves on ----------------------===//

#include "target/cpu/SteppedView.h"

#include "target/cpu/Fusion.h"
#include "target/cpu/Pointwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tesela::cpu {
namespace {

/// An offset in terms of the loop's variable: 64 bits, in which address
/// arithmetic may wrap.
struct OffsetMatcher {
  scf::ForOp loop;
  SteppedView &result;

  bool isVariable(Value value) {
    if (value == loop.getInductionVar())
      return value.getType().isInteger(64) || value.getType().isIndex();
    Operation *op = value.getDefiningOp();
    if (auto widened = dyn_cast_or_null<arith::ExtSIOp>(op))
      return widened.getIn() == loop.getInductionVar() &&
             !loop.getUnsignedCmp();
    if (auto cast = dyn_cast_or_null<arith::IndexCastOp>(op))
      return cast.getIn() == loop.getInductionVar();
    return false;
  }

  bool match(Value offset) {
    if (isVariable(offset))
      return true;
    if (auto sum = offset.getDefiningOp<arith::AddIOp>()) {
      Value inside = sum.getLhs(), outside = sum.getRhs();
      if (loop.isDefinedOutsideOfLoop(inside))
        std::swap(inside, outside);
      if (!loop.isDefinedOutsideOfLoop(outside) || !match(inside))
        return false;
      result.addends.push_back(outside);
      return true;
    }
    if (auto product = offset.getDefiningOp<arith::MulIOp>()) {
      std::optional<int64_t> factor = constantInt(product.getRhs());
      if (!factor || !isVariable(product.getLhs()))
        return false;
      result.factor = *factor;
      return true;
    }
    return false;
  }
};

} // namespace

std::optional<SteppedView> matchSteppedView(Value tile, int axis,
                                            scf::ForOp loop) {
  SteppedView result;
  result.axis = axis;
  for (;;) {
    Operation *op = tile.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody())
      return std::nullopt;
    if ((result.view = dyn_cast<tile::ViewLoadOp>(op)))
      break;
    result.isPlain = false;
    if (auto permute = dyn_cast<tile::PermuteOp>(op)) {
      result.axis = permute.getOrder()[result.axis];
      tile = permute.getSource();
    } else if (isPointwise(op) && op->getNumOperands() == 1 &&
               isTile(op->getOperand(0))) {
      tile = op->getOperand(0);
    } else {
      return std::nullopt;
    }
  }

  tile::ViewLoadOp view = result.view;
  auto isFixed = [&](Value value) {
    return !isTile(value) && loop.isDefinedOutsideOfLoop(value);
  };
  Value other = view.getOther();
  if (view.getMask() || (other && !other.getDefiningOp<arith::ConstantOp>()))
    return std::nullopt;
  if (!isFixed(view.getBase()) || !llvm::all_of(view.getStrides(), isFixed) ||
      !llvm::all_of(view.getBounds(), isFixed))
    return std::nullopt;
  for (auto [number, offset] : llvm::enumerate(view.getOffsets()))
    if (int(number) == result.axis ? isTile(offset) : !isFixed(offset))
      return std::nullopt;
  if (!OffsetMatcher{loop, result}.match(view.getOffsets()[result.axis]))
    return std::nullopt;
  std::optional<int64_t> step = constantInt(loop.getStep());
  int64_t extent = shapeOf(view.getResult())[result.axis];
  if (!step || *step <= 0 || *step > INT32_MAX ||
      std::abs(result.factor) > INT32_MAX || result.factor * *step != extent)
    return std::nullopt;
  return result;
}

bool dependsOnFirstId(ValueRange values) {
  SmallVector<Value> work(values);
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (!op) {
      // A launch's arguments are the same for all; what a loop carries may
      // be anything.
      Operation *parent = value.getParentBlock()->getParentOp();
      auto loop = dyn_cast<scf::ForOp>(parent);
      if (loop && value == loop.getInductionVar()) {
        work.append({loop.getLowerBound(), loop.getStep()});
        continue;
      }
      if (!isa<FunctionOpInterface>(parent))
        return true;
      continue;
    }
    if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
      if (int(id.getAxis()) == 0)
        return true;
      continue;
    }
    if (op->getNumRegions() != 0 || isa<tile::LoadOp>(op))
      return true;
    work.append(op->operand_begin(), op->operand_end());
  }
  return false;
}

} // namespace tesela::cpu
