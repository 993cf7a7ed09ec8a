//===- LaunchNumbers.h - what the host computes for tensor maps -----------===//
//
//   func.func @NAME.precondition(..) -> i1
//     ==>  func.func @NAME.launch(..) -> (i1, i64, ..)
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_TARGET_NVIDIA_LAUNCHNUMBERS_H
#define TESELA_TARGET_NVIDIA_LAUNCHNUMBERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace tesela::nvidia {

/// Whether a number is the same in every instance of a launch, and arithmetic
/// on the kernel's arguments and the grid gives it.
bool isLaunchNumber(mlir::Value value);

/// `@NAME.launch` of a kernel while it is written.
class LaunchNumbers {
public:
  /// Takes the place of the kernel's checks, those of `checks` and one more:
  /// what holds is that all hold.
  LaunchNumbers(mlir::func::FuncOp kernel,
                llvm::ArrayRef<mlir::func::FuncOp> checks);

  /// Gives a result more, a launch number or a constant as 64 bits; its number.
  unsigned add(mlir::Value launchNumber);
  unsigned add(int64_t constant);
  /// The address that a pointer argument holds, and as many elements further
  /// on as the launch numbers `shifts` say in all.
  unsigned addAddress(unsigned argument, llvm::ArrayRef<mlir::Value> shifts,
                      int64_t elementBytes);
  unsigned addProduct(llvm::ArrayRef<mlir::Value> launchNumbers,
                      int64_t constant);

  /// Writes the return.
  void finish();

private:
  mlir::Value copy(mlir::Value value);
  mlir::Value wide(mlir::Value number);
  unsigned append(mlir::Value result);

  mlir::func::FuncOp kernel;
  mlir::func::FuncOp launch;
  mlir::OpBuilder builder;
  mlir::IRMapping copies;
  llvm::SmallVector<mlir::Value> results;
};

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_LAUNCHNUMBERS_H
