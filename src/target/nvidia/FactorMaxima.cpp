//===- FactorMaxima.cpp - the maximum first, then the positive factor -----===//
//
//   %y = arith.mulf %x, splat(%scale)     %t = tile.reduce max %x
//   %m = tile.reduce max %y         ==>   %m = arith.mulf %t, splat(%scale)
//
// Exact: rounding keeps the order, so that the greatest product is that of the
// greatest factor. It takes a scale that is positive, and neither so small nor
// so large that products of it and infinity or zero are anything special. Where
// it comes from arguments the launch checks that.
//
// What else uses the products, such as the exponents of a softmax, can do the
// multiplication with its own addition then.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/FactorMaxima.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace tesela::nvidia {

namespace {

/// Factors are between 2^-this and 2^this; a few of them stay normal numbers.
constexpr int exponent = 40;
constexpr unsigned mostFactors = 3;

class Factors {
public:
  explicit Factors(Preconditions &preconditions)
      : preconditions(preconditions) {}

  /// Whether a scalar is a product of positive numbers of usual size.
  bool collect(Value value) {
    if (++count > mostFactors || !value.getType().isF32())
      return false;
    FloatAttr constant;
    if (matchPattern(value, m_Constant(&constant))) {
      double number = constant.getValueAsDouble();
      return number >= std::ldexp(1, -exponent) &&
             number <= std::ldexp(1, exponent);
    }
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      arguments.push_back(argument);
      return isa<func::FuncOp>(argument.getOwner()->getParentOp());
    }
    auto product = value.getDefiningOp<arith::MulFOp>();
    return product && collect(product.getLhs()) && collect(product.getRhs());
  }

  bool assume() {
    size_t mark = preconditions.mark();
    for (BlockArgument argument : arguments)
      if (!preconditions.positive(argument, exponent)) {
        preconditions.retract(mark);
        return false;
      }
    return true;
  }

private:
  Preconditions &preconditions;
  SmallVector<BlockArgument> arguments;
  unsigned count = 0;
};

/// The scalar that a tile repeats.
Value repeated(Value value) {
  if (auto splat = value.getDefiningOp<tile::SplatOp>())
    return splat.getValue();
  return {};
}

bool isMaximum(tile::ReduceOp reduce) {
  return isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(
      reduce.getSingleCombiner());
}

void factor(tile::ReduceOp reduce, Preconditions &preconditions) {
  auto product = reduce.getSources()[0].getDefiningOp<arith::MulFOp>();
  auto result = dyn_cast<RankedTensorType>(reduce->getResult(0).getType());
  if (!product || !result)
    return;
  for (auto [scaled, scale] : {std::pair(product.getLhs(), product.getRhs()),
                               {product.getRhs(), product.getLhs()}}) {
    Value number = repeated(scale);
    Factors factors(preconditions);
    if (!number || !factors.collect(number) || !factors.assume())
      continue;
    OpBuilder builder(reduce);
    builder.setInsertionPointAfter(reduce);
    reduce->setOperand(0, scaled);
    Value splat =
        tile::SplatOp::create(builder, reduce.getLoc(), result, number);
    auto maximum =
        arith::MulFOp::create(builder, product.getLoc(), reduce->getResult(0),
                              splat, product.getFastmath());
    reduce->getResult(0).replaceAllUsesExcept(maximum, maximum);
    return;
  }
}

} // namespace

void factorMaxima(func::FuncOp kernel, Preconditions &preconditions) {
  SmallVector<tile::ReduceOp> maxima;
  kernel.walk([&](tile::ReduceOp reduce) {
    if (isMaximum(reduce))
      maxima.push_back(reduce);
  });
  for (tile::ReduceOp reduce : maxima)
    factor(reduce, preconditions);
}

} // namespace tesela::nvidia
