//===- DeviceCode.cpp - ops of one thread, shortly ------------------------===//

#include "target/nvidia/DeviceCode.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tesela::nvidia {

Value DeviceCode::intrinsic(StringRef name, Type result, ValueRange operands) {
  auto attribute = builder.getStringAttr(name);
  if (!result) {
    LLVM::CallIntrinsicOp::create(builder, loc, attribute, operands);
    return {};
  }
  return LLVM::CallIntrinsicOp::create(builder, loc, result, attribute,
                                       operands)
      .getResult(0);
}

Value DeviceCode::uniform(Value number) {
  return NVVM::ShflOp::create(builder, loc, number.getType(), i32(-1), number,
                              i32(0), i32(31), NVVM::ShflKind::idx, UnitAttr());
}

Value DeviceCode::ptx(StringRef text, StringRef constraints, Type result,
                      ValueRange operands) {
  auto code = LLVM::InlineAsmOp::create(
      builder, loc, result ? TypeRange(result) : TypeRange(), operands, text,
      constraints, /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
      ArrayAttr());
  return result ? code.getResult(0) : Value();
}

} // namespace tesela::nvidia
