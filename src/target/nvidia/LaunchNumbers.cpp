//===- LaunchNumbers.cpp - what the host computes for tensor maps ---------===//

#include "target/nvidia/LaunchNumbers.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tesela::nvidia {

static bool isKernelArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->isEntryBlock() &&
         isa<func::FuncOp>(argument.getOwner()->getParentOp());
}

static bool isLaunchNumber(Value value, unsigned depth) {
  if (!value.getType().isSignlessInteger() || depth > 12)
    return false;
  if (isKernelArgument(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<tile::NumProgramsOp>(op))
    return true;
  bool isKnown =
      isa<arith::ConstantOp, arith::AddIOp, arith::SubIOp, arith::MulIOp,
          arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::MinSIOp,
          arith::MaxSIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
          arith::CmpIOp, arith::SelectOp, tile::DivSIOp, tile::RemSIOp>(op);
  return isKnown && llvm::all_of(op->getOperands(), [&](Value operand) {
           return isLaunchNumber(operand, depth + 1);
         });
}

bool isLaunchNumber(Value value) { return isLaunchNumber(value, 0); }

/// The kernel's arguments and the extents of the grid.
static FunctionType launchType(func::FuncOp kernel, ArrayRef<Type> results) {
  SmallVector<Type> inputs(kernel.getArgumentTypes());
  inputs.append(3, IntegerType::get(kernel.getContext(), 32));
  return FunctionType::get(kernel.getContext(), inputs, results);
}

LaunchNumbers::LaunchNumbers(func::FuncOp kernel, ArrayRef<func::FuncOp> checks)
    : kernel(kernel), builder(kernel.getContext()) {
  Location loc = kernel.getLoc();
  builder.setInsertionPointAfter(kernel);
  launch =
      func::FuncOp::create(builder, loc, (kernel.getName() + ".launch").str(),
                           launchType(kernel, {}));
  Block *block = launch.addEntryBlock();
  for (unsigned i = 0; i != kernel.getNumArguments(); ++i)
    if (Attribute name = kernel.getArgAttr(i, tile::nameAttr))
      launch.setArgAttr(i, tile::nameAttr, name);
  builder.setInsertionPointToEnd(block);
  for (unsigned i = 0; i != kernel.getNumArguments(); ++i)
    copies.map(kernel.getArgument(i), block->getArgument(i));

  Value holds;
  for (func::FuncOp check : checks) {
    IRMapping mapping;
    mapping.map(check.getArguments(), block->getArguments());
    for (Operation &op : check.front().without_terminator())
      builder.clone(op, mapping);
    Value next =
        mapping.lookupOrDefault(check.front().getTerminator()->getOperand(0));
    holds = holds ? arith::AndIOp::create(builder, loc, holds, next) : next;
  }
  if (!holds)
    holds = arith::ConstantIntOp::create(builder, loc, 1, 1);
  results.push_back(holds);
}

Value LaunchNumbers::copy(Value value) {
  if (Value known = copies.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (auto extent = dyn_cast<tile::NumProgramsOp>(op))
    return launch.getArgument(launch.getNumArguments() - 3 + extent.getAxis());
  for (Value operand : op->getOperands())
    copy(operand);
  return builder.clone(*op, copies)->getResult(0);
}

unsigned LaunchNumbers::append(Value result) {
  results.push_back(result);
  return results.size() - 1;
}

Value LaunchNumbers::wide(Value number) {
  if (number.getType().isInteger(64))
    return number;
  return arith::ExtSIOp::create(builder, number.getLoc(), builder.getI64Type(),
                                number);
}

unsigned LaunchNumbers::add(Value launchNumber) {
  return append(wide(copy(launchNumber)));
}

unsigned LaunchNumbers::add(int64_t constant) {
  return append(
      arith::ConstantIntOp::create(builder, kernel.getLoc(), constant, 64));
}

unsigned LaunchNumbers::addAddress(unsigned argument, ArrayRef<Value> shifts,
                                   int64_t bytes) {
  Location loc = kernel.getLoc();
  Value address = tile::PtrToIntOp::create(builder, loc, builder.getI64Type(),
                                           launch.getArgument(argument));
  Value size = arith::ConstantIntOp::create(builder, loc, bytes, 64);
  for (Value shift : shifts)
    address = arith::AddIOp::create(
        builder, loc, address,
        arith::MulIOp::create(builder, loc, wide(copy(shift)), size));
  return append(address);
}

unsigned LaunchNumbers::addProduct(ArrayRef<Value> factors, int64_t constant) {
  Location loc = kernel.getLoc();
  Value product = arith::ConstantIntOp::create(builder, loc, constant, 64);
  for (Value factor : factors)
    product = arith::MulIOp::create(builder, loc, product, wide(copy(factor)));
  return append(product);
}

void LaunchNumbers::finish() {
  func::ReturnOp::create(builder, kernel.getLoc(), results);
  launch.setFunctionType(
      FunctionType::get(kernel.getContext(), launch.getArgumentTypes(),
                        llvm::to_vector(ValueRange(results).getTypes())));
}

} // namespace tesela::nvidia
