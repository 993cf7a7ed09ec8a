//===- DeviceCode.h - ops of one thread, shortly --------------------------===//

#ifndef TESELA_TARGET_NVIDIA_DEVICECODE_H
#define TESELA_TARGET_NVIDIA_DEVICECODE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tesela::nvidia {

/// Builds integer arithmetic, intrinsics and PTX at one place.
class DeviceCode {
public:
  DeviceCode(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::Value i32(int64_t value) {
    return mlir::arith::ConstantIntOp::create(builder, loc, value, 32);
  }
  mlir::Value i64(int64_t value) {
    return mlir::arith::ConstantIntOp::create(builder, loc, value, 64);
  }
  mlir::Value flag(bool value) {
    return mlir::arith::ConstantIntOp::create(builder, loc, value, 1);
  }

  template <typename Op>
  mlir::Value fold(mlir::Value a, mlir::Value b) {
    return builder.createOrFold<Op>(loc, a, b);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::AddIOp>(a, b);
  }
  mlir::Value mul(mlir::Value a, int64_t factor) {
    return fold<mlir::arith::MulIOp>(a, mlir::arith::ConstantIntOp::create(
                                            builder, loc, a.getType(), factor));
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      mlir::Value b) {
    return mlir::arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  mlir::Value isEqual(mlir::Value a, int64_t b) {
    return compare(mlir::arith::CmpIPredicate::eq, a, i32(b));
  }

  /// A number that is the same in all lanes, so that ptxas knows it, too.
  mlir::Value uniform(mlir::Value number);

  /// `address + bytes`.
  mlir::Value at(mlir::Value address, mlir::Value bytes) {
    return mlir::LLVM::GEPOp::create(builder, loc, address.getType(),
                                     builder.getI8Type(), address,
                                     mlir::LLVM::GEPArg(bytes));
  }
  mlir::Value at(mlir::Value address, int64_t bytes) {
    if (bytes == 0)
      return address;
    return mlir::LLVM::GEPOp::create(builder, loc, address.getType(),
                                     builder.getI8Type(), address,
                                     mlir::LLVM::GEPArg(int32_t(bytes)));
  }

  /// A call of an LLVM intrinsic; null where it gives nothing.
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type result,
                        mlir::ValueRange operands);
  /// PTX that must neither vanish nor move.
  mlir::Value ptx(llvm::StringRef text, llvm::StringRef constraints,
                  mlir::Type result, mlir::ValueRange operands);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_DEVICECODE_H
