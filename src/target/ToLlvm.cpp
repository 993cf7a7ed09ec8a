//===- ToLlvm.cpp - scalars and vectors to the LLVM dialect ---------------===//
//
//   func.func @f(%a: f32) {            llvm.func @f(%a: f32) {
//     scf.if %c {                ==>     llvm.cond_br %c, ^bb1, ^bb2
//       %b = arith.addf %a, %a         ^bb1:
//       …                                %b = llvm.fadd %a, %a
//
// One walk over the ops, from the innermost out. Every value has a type of the
// LLVM dialect before, index aside, which becomes i64 where it stands: so there
// is nothing to cast between, and no need of a conversion that keeps both
// sides. (Upstream has one for each dialect; seven of them took a tenth of the
// time of compiling a kernel.)
//
// What has no instruction stays, and the stage's check names it.
//
//===----------------------------------------------------------------------===//

#include "target/FlattenControl.h"
#include "target/Instructions.h"
#include "target/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tesela {
#define GEN_PASS_DEF_TOLLVM
#include "target/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral linkageAttr = "llvm.linkage";

using TypeMap = llvm::function_ref<Type(Type)>;

void convertTypes(func::FuncOp function, TypeMap typeOf) {
  auto convert = [&](Value value) {
    Type type = typeOf(value.getType());
    if (type != value.getType())
      value.setType(type);
  };
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::for_each(op->getResults(), convert);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), convert);
  });
}

/// The function with its body and all that is said of it.
void convertFunction(OpBuilder &b, func::FuncOp function, TypeMap typeOf) {
  FunctionType type = function.getFunctionType();
  if (type.getNumResults() > 1)
    return;
  auto inputs = llvm::map_to_vector(type.getInputs(), typeOf);
  Type result = type.getNumResults() ? typeOf(type.getResult(0))
                                     : LLVM::LLVMVoidType::get(b.getContext());
  auto linkage = LLVM::Linkage::External;
  if (auto given = function->getAttrOfType<LLVM::LinkageAttr>(linkageAttr))
    linkage = given.getLinkage();
  b.setInsertionPoint(function);
  auto made = LLVM::LLVMFuncOp::create(
      b, function.getLoc(), function.getName(),
      LLVM::LLVMFunctionType::get(result, inputs), linkage);
  for (NamedAttribute attr : function->getDiscardableAttrs())
    if (attr.getName() != linkageAttr)
      made->setDiscardableAttr(attr.getName(), attr.getValue());
  if (ArrayAttr attrs = function.getArgAttrsAttr())
    made.setArgAttrsAttr(attrs);
  if (ArrayAttr attrs = function.getResAttrsAttr())
    made.setResAttrsAttr(attrs);
  made.getBody().takeBody(function.getBody());
  function.erase();
}

struct ToLlvm : impl::ToLlvmBase<ToLlvm> {
  using ToLlvmBase::ToLlvmBase;

  void runOnOperation() override {
    OpBuilder b(&getContext());
    auto typeOf = [&](Type type) { return instructionType(type, bf16IsBits); };
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      convertTypes(function, typeOf);
      // From the innermost out, so that bodies are blocks already.
      SmallVector<Operation *> ops;
      function.getBody().walk([&](Operation *op) { ops.push_back(op); });
      for (Operation *op : ops)
        if (!flattenControl(b, op))
          replaceByInstruction(b, op);
      convertFunction(b, function, typeOf);
    }
  }
};

} // namespace

void addLlvmConversions(OpPassManager &manager, bool bf16IsBits) {
  manager.addPass(createEndLoops());
  ToLlvmOptions options;
  options.bf16IsBits = bf16IsBits;
  manager.addPass(createToLlvm(options));
}

} // namespace tesela
