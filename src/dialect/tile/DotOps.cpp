//===- DotOps.cpp - the verifier of matrix products -----------------------===//

#include "dialect/tile/Tile.h"

using namespace mlir;
using namespace tesela::tile;

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType());
  auto b = cast<RankedTensorType>(getB().getType());
  auto acc = cast<RankedTensorType>(getType());
  int64_t rank = acc.getRank();
  if (rank < 2 || rank > 3 || a.getRank() != rank || b.getRank() != rank)
    return emitOpError("operands have ranks ")
           << a.getRank() << ", " << b.getRank() << " and " << rank;
  if (rank == 3 && (a.getDimSize(0) != b.getDimSize(0) ||
                    a.getDimSize(0) != acc.getDimSize(0)))
    return emitOpError("operands have ")
           << a.getDimSize(0) << ", " << b.getDimSize(0) << " and "
           << acc.getDimSize(0) << " matrices";
  if (a.getDimSize(rank - 1) != b.getDimSize(rank - 2))
    return emitOpError("operands disagree: K is ")
           << a.getDimSize(rank - 1) << " and " << b.getDimSize(rank - 2);
  if (a.getDimSize(rank - 2) != acc.getDimSize(rank - 2) ||
      b.getDimSize(rank - 1) != acc.getDimSize(rank - 1))
    return emitOpError("the accumulator is ")
           << acc << " for " << a << " and " << b;
  auto areAll = [&]<typename Kind>(std::type_identity<Kind>) {
    return isa<Kind>(a.getElementType()) && isa<Kind>(b.getElementType()) &&
           isa<Kind>(acc.getElementType());
  };
  if (!areAll(std::type_identity<IntegerType>()) &&
      !areAll(std::type_identity<FloatType>()))
    return emitOpError("operands are not all integers or all floats");
  return success();
}
