//===- Outline.h - loops that become functions ----------------------------===//

#ifndef TESELA_TARGET_OUTLINE_H
#define TESELA_TARGET_OUTLINE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tesela {

/// A loop and what it takes from outside.
struct Nest {
  mlir::scf::ForOp loop;
  llvm::SmallVector<mlir::Value> captures;
};

/// The loop with its captures, in the order of their first uses.
Nest nestOf(mlir::scf::ForOp loop);

bool isInside(mlir::Value value, mlir::scf::ForOp loop);

/// Makes equal loops, whose captures are counterparts of each other, calls of a
/// function of this name, after the one they stand in. Captures become its
/// parameters, but for constants that all of them take. The loops are gone
/// then.
mlir::func::FuncOp outline(mlir::func::FuncOp function,
                           llvm::ArrayRef<Nest> equal, const llvm::Twine &name,
                           mlir::SymbolTable &symbols);

} // namespace tesela

#endif // TESELA_TARGET_OUTLINE_H
