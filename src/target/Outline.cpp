//===- Outline.cpp - loops that become functions --------------------------===//

#include "target/Outline.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tesela {

bool isInside(Value value, scf::ForOp loop) {
  return loop->isAncestor(value.getParentBlock()->getParentOp());
}

Nest nestOf(scf::ForOp loop) {
  llvm::SetVector<Value> captures;
  loop->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!isInside(operand, loop))
        captures.insert(operand);
  });
  return {loop, captures.takeVector()};
}

func::FuncOp outline(func::FuncOp function, ArrayRef<Nest> equal,
                     const Twine &name, SymbolTable &symbols) {
  const Nest &first = equal.front();
  scf::ForOp model = first.loop;
  SmallVector<unsigned> passed;
  SmallVector<Type> types;
  for (auto [index, value] : llvm::enumerate(first.captures)) {
    bool isSame = llvm::all_of(
        equal, [&](const Nest &nest) { return nest.captures[index] == value; });
    if (isSame && matchPattern(value, m_Constant()))
      continue;
    passed.push_back(index);
    types.push_back(value.getType());
  }

  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfter(function);
  auto made = func::FuncOp::create(
      builder, model.getLoc(), name.str(),
      builder.getFunctionType(types, model.getResultTypes()));
  made.setPrivate();
  made->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(function.getContext(), LLVM::Linkage::Internal));
  symbols.insert(made);

  builder.setInsertionPointToStart(made.addEntryBlock());
  IRMapping mapping;
  for (auto [argument, index] : llvm::zip(made.getArguments(), passed))
    mapping.map(first.captures[index], argument);
  for (Value value : first.captures)
    if (!mapping.contains(value))
      builder.clone(*value.getDefiningOp(), mapping);
  Operation *body = builder.clone(*model.getOperation(), mapping);
  func::ReturnOp::create(builder, model.getLoc(), body->getResults());

  for (const Nest &nest : equal) {
    scf::ForOp loop = nest.loop;
    builder.setInsertionPoint(loop);
    SmallVector<Value> arguments;
    for (unsigned index : passed)
      arguments.push_back(nest.captures[index]);
    auto call = func::CallOp::create(builder, loop.getLoc(), made, arguments);
    loop->replaceAllUsesWith(call);
    loop.erase();
  }
  return made;
}

} // namespace tesela
