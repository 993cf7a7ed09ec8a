//===- Gpu.td - the gpu dialect: the dialect, its layout and its types ----===//

#ifndef TESELA_DIALECT_GPU_GPU_TD
#define TESELA_DIALECT_GPU_GPU_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Gpu_Dialect : Dialect {
  let name = "tgpu";
  let cppNamespace = "::tesela::gpu";
  let summary = "where tiles live on a GPU, and how they get there";
  let description = [{
    Adds to `tile`: the layout of a tile over the threads of a block, as the
    encoding of its type; shared memory; asynchronous copies and products.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::tesela::tile::TileDialect"];
}

def Gpu_LayoutAttr : AttrDef<Gpu_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "which thread keeps which element of a tile";
  let description = [{
    For each bit of a register's number, a lane's and a warp's, the row-major
    number of the element that it moves to; positions add by XOR. A bit of 0
    moves nowhere: threads and registers that differ in it hold copies. There
    are five lanes; together they reach every element.

    ```mlir
    tensor<16x16xf32, #tgpu.layout<registers = [1, 8], lanes = [2, 4, 16, 32, 64],
                                   warps = [128, 0]>>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$registers,
    ArrayRefParameter<"int64_t">:$lanes,
    ArrayRefParameter<"int64_t">:$warps);
  let assemblyFormat = [{
    `<` `registers` `=` custom<Bits>($registers) `,`
    `lanes` `=` custom<Bits>($lanes) `,`
    `warps` `=` custom<Bits>($warps) `>`
  }];
}

class GpuType<string name, string typeMnemonic>
    : TypeDef<Gpu_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Gpu_StagedType : GpuType<"Staged", "staged"> {
  let summary = "a tile in shared memory";
  let description = [{
    A matrix that lies contiguously along axis `axis`, in panels of `swizzle`
    bytes along that axis (128, 64 or 32) one after the other: in each panel a
    row of `swizzle` bytes for each position of the other axis, whose 16-byte
    chunks are exchanged as `CU_TENSOR_MAP_SWIZZLE_..B` does and `wgmma` reads.
    Example: `!tgpu.staged<64x32xf16, axis = 1, swizzle = 64>`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType, "int64_t":$axis, "int64_t":$swizzle);
  let assemblyFormat = [{
    `<` custom<ShapeAndElement>($shape, $elementType) `,`
    `axis` `=` $axis `,` `swizzle` `=` $swizzle `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes of the whole tile.
    int64_t getBytes() const;
    int64_t getPanels() const;
  }];
}

def Gpu_RingType : GpuType<"Ring", "ring"> {
  let summary = "slots of shared memory that bulk copies fill in turn";
  let description = [{
    `slots` slots of the same parts, with a full and an empty mbarrier each. A
    role that fills or takes begins at slot 0 and goes round.
    Example: `!tgpu.ring<4 x (!tgpu.staged<..>, !tgpu.staged<..>)>`.
  }];
  let parameters = (ins "int64_t":$slots,
    ArrayRefParameter<"::mlir::Type">:$parts);
  let assemblyFormat = "`<` $slots `x` `(` $parts `)` `>`";
  let genVerifyDecl = 1;
}

def Gpu_TensorMapType : GpuType<"TensorMap", "tensor_map"> {
  let summary = "a tensor map, a parameter of the kernel";
  let description = [{
    The 128 bytes that the host encoded, which describe an array in global
    memory and the box that one bulk copy moves.
  }];
}

class GpuOp<string mnemonic, list<Trait> traits = []>
    : Op<Gpu_Dialect, mnemonic, traits>;

#endif // TESELA_DIALECT_GPU_GPU_TD
