//===- ProductOps.cpp - verifiers of matrix products ----------------------===//

#include "dialect/gpu/Gpu.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tesela::gpu {

LogicalResult TransposeOp::verify() {
  StagedType from = getStaged().getType(), to = getResult().getType();
  if (to != StagedType::get(
                getContext(), {from.getShape()[1], from.getShape()[0]},
                from.getElementType(), 1 - from.getAxis(), from.getSwizzle()))
    return emitOpError("exchanges the axes and changes nothing else");
  return success();
}

static ArrayRef<int64_t> shapeOf(Type type) {
  if (auto staged = dyn_cast<StagedType>(type))
    return staged.getShape();
  return cast<RankedTensorType>(type).getShape();
}

/// What is under way is passed on alone: by products that add to it, waits, and
/// what a loop or branch hands on.
static LogicalResult verifyUnderWay(Operation *op, Value result) {
  for (OpOperand &use : result.getUses()) {
    Operation *user = use.getOwner();
    auto product = dyn_cast<WgmmaOp>(user);
    if (product ? use.get() == product.getAcc() && use.get() != product.getA()
                : isa<WgmmaWaitOp>(user) ||
                      user->hasTrait<OpTrait::IsTerminator>() ||
                      isa<LoopLikeOpInterface>(user))
      continue;
    InFlightDiagnostic error =
        op->emitOpError("gives a product that is used before a wait for it");
    error.attachNote(user->getLoc()) << "here";
    return error;
  }
  return success();
}

/// Whether a wait for all but `pending` groups waits for this one: as many
/// started after it, in the same block.
static bool isFinished(Value acc, Operation *wait, unsigned pending) {
  auto product = acc.getDefiningOp<WgmmaOp>();
  if (pending == 0)
    return true;
  if (!product || product->getBlock() != wait->getBlock())
    return false;
  unsigned later = 0;
  for (Operation *op = product->getNextNode(); op && op != wait;
       op = op->getNextNode())
    later += isa<WgmmaOp>(op);
  return later >= pending;
}

LogicalResult WgmmaWaitOp::verify() {
  for (auto [acc, result] : llvm::zip_equal(getAccs(), getResults()))
    if (!isFinished(acc, *this, getPending()) &&
        failed(verifyUnderWay(*this, result)))
      return failure();
  return success();
}

/// `acc + a * b` has shapes that fit together.
template <typename ProductOp>
static LogicalResult verifyShapes(ProductOp op) {
  ArrayRef<int64_t> a = shapeOf(op.getA().getType()),
                    b = shapeOf(op.getB().getType()),
                    c = shapeOf(op.getAcc().getType());
  if (a.size() != 2 || b.size() != 2 || c.size() != 2 || a[1] != b[0] ||
      c[0] != a[0] || c[1] != b[1])
    return op.emitOpError("has factors that do not fit together");
  return success();
}

static Type elementOf(Type type) {
  if (auto staged = dyn_cast<StagedType>(type))
    return staged.getElementType();
  return cast<RankedTensorType>(type).getElementType();
}

LogicalResult MmaOp::verify() {
  if (failed(verifyShapes(*this)))
    return failure();
  ArrayRef<int64_t> a = shapeOf(getA().getType()),
                    c = shapeOf(getAcc().getType());
  Type element = elementOf(getA().getType());
  if (element != elementOf(getB().getType()) || !element.isIntOrFloat())
    return emitOpError("has factors of different elements");
  if (c[0] % 16 != 0 || c[1] % 8 != 0 ||
      a[1] * element.getIntOrFloatBitWidth() % 256 != 0)
    return emitOpError("needs rows by 16, columns by 8 and 32 bytes of depth");
  return success();
}

LogicalResult WgmmaOp::verify() {
  if (failed(verifyShapes(*this)))
    return failure();
  ArrayRef<int64_t> c = shapeOf(getAcc().getType());
  if (c[0] % 64 != 0 || c[1] % 8 != 0)
    return emitOpError("needs rows by 64 and columns by 8");
  return verifyUnderWay(*this, getResult());
}

} // namespace tesela::gpu
