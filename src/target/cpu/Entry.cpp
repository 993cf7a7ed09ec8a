//===- Entry.cpp - from a kernel to the function that a launch calls ------===//
//
//   func.func @add(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel}
//     ==>
//   func.func @add(%arguments, %scratch, %grid: !llvm.ptr, %begin, %end: i64)
//       attributes {cpu.scratch_bytes = ..} {
//     %x = llvm.load %arguments[0]
//     %n = llvm.load %arguments[8]
//     %ids = program ids of %begin in the grid
//     for %i = %begin to %end iter_args(%x, %y, %z = %ids) {
//       the kernel's blocks
//       yield the ids of the next
//     }
//   }
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Entry.h"

#include "target/cpu/Blocks.h"
#include "target/cpu/DotOperands.h"
#include "target/cpu/Pointwise.h"
#include "target/cpu/Streaming.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tesela::cpu {

/// Loads what a launch packed, as support/KernelAbi.h says.
static SmallVector<Value> unpack(OpBuilder &b, Location loc, Value buffer,
                                 TypeRange types) {
  SmallVector<Value> values;
  int64_t offset = 0;
  for (Type type : types) {
    int64_t bytes = storedBytes(registerType(type));
    offset = llvm::alignTo(offset, bytes);
    Value address =
        LLVM::GEPOp::create(b, loc, buffer.getType(), b.getI8Type(), buffer,
                            ArrayRef<LLVM::GEPArg>{int32_t(offset)});
    Type memory =
        type.isInteger(1) ? b.getI8Type() : movedType(registerType(type));
    Value value = LLVM::LoadOp::create(b, loc, memory, address, bytes);
    if (type.isInteger(1))
      value = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value,
                                    intConstant(b, loc, memory, 0, 0));
    values.push_back(fromMoved(b, loc, value, type));
    offset += bytes;
  }
  return values;
}

/// The three extents of the grid, as i32.
static void loadGrid(OpBuilder &b, Location loc, Value grid,
                     Value (&count)[3]) {
  for (int32_t axis = 0; axis < 3; ++axis) {
    Value address = LLVM::GEPOp::create(b, loc, grid.getType(), b.getI32Type(),
                                        grid, ArrayRef<LLVM::GEPArg>{axis});
    count[axis] = LLVM::LoadOp::create(b, loc, b.getI32Type(), address, 4);
  }
}

/// Program ids of instance `number`.
static void findPosition(OpBuilder &b, Location loc, Value number,
                         const Value (&extents)[3], Value (&ids)[3]) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Value rest = number;
  for (int axis = 0; axis < 3; ++axis) {
    Value index = rest;
    if (axis < 2) {
      Value count = arith::ExtUIOp::create(b, loc, i64, extents[axis]);
      rest = arith::DivUIOp::create(b, loc, rest, count);
      Value before = arith::MulIOp::create(b, loc, rest, count);
      index = arith::SubIOp::create(b, loc, index, before);
    }
    ids[axis] = arith::TruncIOp::create(b, loc, i32, index);
  }
}

/// Those of the instance after: the first id counts, and where it is through,
/// the next one does.
static SmallVector<Value> nextPosition(OpBuilder &b, Location loc,
                                       const ProgramPosition &position) {
  Type i32 = b.getI32Type();
  Value zero = intConstant(b, loc, i32, 0, 0);
  Value carry = intConstant(b, loc, i32, 1, 0);
  SmallVector<Value> next;
  for (int axis = 0; axis < 3; ++axis) {
    Value id = arith::AddIOp::create(b, loc, position.id[axis], carry);
    if (axis < 2) {
      Value isThrough = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                              id, position.count[axis]);
      carry = arith::ExtUIOp::create(b, loc, i32, isThrough);
      id = arith::SelectOp::create(b, loc, isThrough, zero, id);
    }
    next.push_back(id);
  }
  return next;
}

LogicalResult lowerKernel(func::FuncOp kernel, const LoweringOptions &options) {
  MLIRContext *context = kernel.getContext();
  Location loc = kernel.getLoc();
  if (kernel.getNumResults() != 0 || !kernel.getBody().hasOneBlock())
    return kernel.emitOpError("is not a kernel that the CPU can run");

  OpBuilder b(kernel);
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = b.getI64Type();
  auto entry = func::FuncOp::create(
      b, loc, kernel.getName(),
      FunctionType::get(context, {pointer, pointer, pointer, i64, i64}, {}));
  entry.setArgAttr(1, "llvm.noalias", b.getUnitAttr());
  entry.setArgAttr(1, "llvm.align", b.getI64IntegerAttr(64));
  Block *body = entry.addEntryBlock();
  Value arguments = body->getArgument(0), scratch = body->getArgument(1),
        grid = body->getArgument(2);

  b.setInsertionPointToEnd(body);
  SmallVector<Value> values =
      unpack(b, loc, arguments, kernel.getArgumentTypes());
  ProgramPosition position;
  loadGrid(b, loc, grid, position.count);
  Value one = intConstant(b, loc, i64, 1, 0);
  Value instances = one;
  for (Value count : position.count) {
    Value wide = arith::ExtUIOp::create(b, loc, i64, count);
    instances = arith::MulIOp::create(b, loc, instances, wide);
  }
  Value first[3];
  findPosition(b, loc, body->getArgument(3), position.count, first);
  auto loop = scf::ForOp::create(b, loc, body->getArgument(3),
                                 body->getArgument(4), one, ValueRange(first));
  func::ReturnOp::create(b, loc);

  b.setInsertionPointToEnd(loop.getBody());
  llvm::copy(loop.getRegionIterArgs(), position.id);
  auto yield = scf::YieldOp::create(b, loc, nextPosition(b, loc, position));
  b.setInsertionPoint(yield);
  LoweringState state(b, options, Plan::make(kernel, options),
                      Scratch(body, scratch));
  state.instances = loop;
  state.instanceCount = instances;
  for (auto [argument, value] : llvm::zip(kernel.getArguments(), values))
    state.scalars.map(argument, value);
  forgetKept(state);
  lowerBlock(state, kernel.getBody().front(), position);
  b.setInsertionPointAfter(loop);
  fenceStreams(state);
  if (!state.failed) {
    int64_t bytes = state.scratch.assignOffsets();
    if (bytes > INT32_MAX)
      state.fail(kernel, "needs " + Twine(bytes) +
                             " bytes of scratch memory, more than 2 GiB");
    entry->setAttr(scratchBytesAttr, b.getI64IntegerAttr(bytes));
  }
  kernel.erase();
  if (state.failed)
    entry.erase();
  return success(!state.failed);
}

LogicalResult lowerPrecondition(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  Location loc = function.getLoc();
  if (function.getNumArguments() < 3 || !function.getBody().hasOneBlock())
    return function.emitOpError("is not a check that the CPU can run");

  OpBuilder b(function);
  Type pointer = LLVM::LLVMPointerType::get(context);
  auto check = func::FuncOp::create(
      b, loc, function.getName(),
      FunctionType::get(context, {pointer, pointer}, {b.getI1Type()}));
  check.setResultAttr(0, "llvm.zeroext", b.getUnitAttr());
  Block *body = check.addEntryBlock();
  b.setInsertionPointToEnd(body);
  SmallVector<Value> values = unpack(b, loc, body->getArgument(0),
                                     function.getArgumentTypes().drop_back(3));
  Value count[3];
  loadGrid(b, loc, body->getArgument(1), count);
  values.append(count, count + 3);

  IRMapping mapping;
  mapping.map(function.getArguments(), ValueRange(values));
  for (Operation &op : function.getBody().front().without_terminator()) {
    Value value;
    auto operands = llvm::map_to_vector(op.getOperands(), [&](Value operand) {
      return mapping.lookup(operand);
    });
    if (isa<arith::ConstantOp>(op))
      value = b.clone(op)->getResult(0);
    else if (isPointwise(&op))
      value = emitPointwise(b, &op, operands);
    if (!value)
      return op.emitOpError("has no form on the CPU");
    mapping.map(op.getResult(0), value);
  }
  Operation *end = function.getBody().front().getTerminator();
  func::ReturnOp::create(b, loc, mapping.lookup(end->getOperand(0)));
  function.erase();
  return success();
}

} // namespace tesela::cpu
