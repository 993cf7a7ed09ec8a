//===- ReduceOps.cpp - the verifiers of reductions and scans --------------===//

#include "dialect/tile/Tile.h"

using namespace mlir;
using namespace tesela::tile;

/// Whether a region combines two elements of each type to one.
static LogicalResult verifyCombine(Operation *op, Block &block,
                                   ArrayRef<Type> elements) {
  SmallVector<Type> arguments(elements);
  llvm::append_range(arguments, elements);
  if (!llvm::equal(block.getArgumentTypes(), arguments))
    return op->emitOpError("the region does not take two of each element");
  if (!llvm::equal(block.getTerminator()->getOperandTypes(), elements))
    return op->emitOpError("the region does not yield one of each element");
  return success();
}

LogicalResult ReduceOp::verify() {
  auto first = cast<RankedTensorType>(getSources().front().getType());
  int64_t axis = getAxis();
  if (axis < 0 || axis >= first.getRank())
    return emitOpError("axis ")
           << axis << " is past the last axis of " << first;
  SmallVector<int64_t> shape(first.getShape());
  shape.erase(shape.begin() + axis);

  if (getNumResults() != getSources().size())
    return emitOpError("has ") << getSources().size() << " operands and "
                               << getNumResults() << " results";
  SmallVector<Type> elements;
  for (auto [source, result] : llvm::zip(getSources(), getResults())) {
    Type element = elementType(source.getType());
    auto tile = dyn_cast<RankedTensorType>(result.getType());
    if (bool(tile) == shape.empty() ||
        elementType(result.getType()) != element ||
        (tile && tile.getShape() != ArrayRef<int64_t>(shape)))
      return emitOpError("reduces ") << source.getType() << " along axis "
                                     << axis << " to " << result.getType();
    elements.push_back(element);
  }

  return verifyCombine(*this, getCombine().front(), elements);
}

LogicalResult ScanOp::verify() {
  auto first = cast<RankedTensorType>(getSources().front().getType());
  int64_t axis = getAxis();
  if (axis < 0 || axis >= first.getRank())
    return emitOpError("axis ")
           << axis << " is past the last axis of " << first;
  if (getSources().getTypes() != getResultTypes())
    return emitOpError("scans ")
           << getSources().getTypes() << " to " << getResultTypes();
  SmallVector<Type> elements;
  for (Value source : getSources())
    elements.push_back(elementType(source.getType()));
  return verifyCombine(*this, getCombine().front(), elements);
}

Operation *ReduceOp::getSingleCombiner() {
  Block &block = getCombine().front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2))
    return nullptr;
  Operation &combiner = block.front();
  Operation *yield = block.getTerminator();
  bool combinesBoth =
      combiner.getNumOperands() == 2 && combiner.getNumResults() == 1 &&
      llvm::is_contained(combiner.getOperands(), block.getArgument(0)) &&
      llvm::is_contained(combiner.getOperands(), block.getArgument(1));
  if (!combinesBoth || yield->getOperand(0) != combiner.getResult(0))
    return nullptr;
  return &combiner;
}
