//===- MarkKernels.cpp - the kernel becomes an entry ----------------------===//
//
//   llvm.func @k(%p: !llvm.ptr<1>) attributes {tile.kernel}
//     ==>
//   llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel}
//
// Arguments that are passed by value (tensor maps) are read where they are,
// instead of from a copy that each thread would make.
//
// Calls cost more than what they save, and code that uses `wgmma` must not make
// any: other functions are inlined.
//
//===----------------------------------------------------------------------===//

#include "dialect/tile/Tile.h"
#include "target/nvidia/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tesela::nvidia {
#define GEN_PASS_DEF_NVIDIAMARKKERNELS
#include "target/nvidia/Passes.h.inc"

namespace {

struct NvidiaMarkKernels : impl::NvidiaMarkKernelsBase<NvidiaMarkKernels> {
  static bool isForeign(NamedAttribute attr) {
    Dialect *dialect = attr.getNameDialect();
    return isa_and_nonnull<tile::TileDialect>(dialect);
  }

  void runOnOperation() override {
    OpBuilder builder(&getContext());
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (function->hasAttr(tile::kernelAttr)) {
        function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                          builder.getUnitAttr());
        function.setLinkage(LLVM::Linkage::External);
        for (unsigned i = 0; i != function.getNumArguments(); ++i)
          if (function.getArgAttr(i, LLVM::LLVMDialect::getByValAttrName()))
            function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                                builder.getUnitAttr());
      } else if (!function.isExternal()) {
        function.setLinkage(LLVM::Linkage::Internal);
        function.setAlwaysInline(true);
      }
      SmallVector<StringAttr> foreign;
      for (NamedAttribute attr : function->getDiscardableAttrs())
        if (isForeign(attr))
          foreign.push_back(attr.getName());
      for (StringAttr name : foreign)
        function->removeAttr(name);
      for (unsigned i = 0; i != function.getNumArguments(); ++i)
        for (NamedAttribute attr :
             mlir::function_interface_impl::getArgAttrs(function, i))
          if (isForeign(attr))
            function.removeArgAttr(i, attr.getName());
    }
  }
};

} // namespace
} // namespace tesela::nvidia
