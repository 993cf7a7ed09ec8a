//===- Tile.td - the tile dialect, its types and attributes ---------------===//

#ifndef TESELA_DIALECT_TILE_TILE_TD
#define TESELA_DIALECT_TILE_TILE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tesela::tile";
  let summary = "what one program instance computes";
  let description = [{
    A kernel is a `func.func` with the attribute `tile.kernel`. Its arguments
    are scalars and pointers. A tile is a ranked tensor of static shape whose
    elements are numbers or pointers; it is a value and lives nowhere.
    Elementwise arithmetic on tiles is `arith` and `math`; control flow is
    `scf`. Whatever upstream leaves undefined and the language does not has an
    op here. The dialect knows no target.
  }];
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

class TileType<string name, string typeMnemonic>
    : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_PtrType : TileType<"Ptr", "ptr"> {
  let summary = "an address of elements";
  let description = [{
    The address of an element of type `pointee` in global memory. Arithmetic on
    it counts elements. `pointee` is an integer of 8, 16, 32 or 64 bits, a float
    of as many, or a pointer (which takes 64). Booleans are stored as bytes, so
    that it is never `i1`. Example: `!tile.ptr<f32>`.
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

def Tile_Number : AnyTypeOf<[AnySignlessInteger, AnyFloat]>;
def Tile_Element : AnyTypeOf<[AnySignlessInteger, AnyFloat, Tile_PtrType]>;

class TileOf<list<Type> elements> : RankedTensorOf<elements, [
    HasStaticShapePred,
    CPred<"::llvm::cast<::mlir::ShapedType>($_self).getNumElements() > 0">],
    "tile of known shape">;
def Tile_Tensor : TileOf<[AnySignlessInteger, AnyFloat, Tile_PtrType]>;
def Tile_IntTensor : TileOf<[AnySignlessInteger]>;
def Tile_I64Tensor : TileOf<[I64]>;
def Tile_BoolTensor : TileOf<[I1]>;
def Tile_PtrTensor : TileOf<[Tile_PtrType]>;
def Tile_FloatTensor : TileOf<[AnyFloat]>;
def Tile_Float8 : AnyTypeOf<[F8E4M3FN, F8E5M2]>;
def Tile_Float8Tensor : TileOf<[F8E4M3FN, F8E5M2]>;

// A scalar, or a tile of such scalars.
def Tile_Any : AnyTypeOf<[Tile_Element, Tile_Tensor]>;
def Tile_IntLike : AnyTypeOf<[AnySignlessInteger, Tile_IntTensor]>;
def Tile_I64Like : AnyTypeOf<[I64, Tile_I64Tensor]>;
def Tile_BoolLike : AnyTypeOf<[I1, Tile_BoolTensor]>;
def Tile_FloatLike : AnyTypeOf<[AnyFloat, Tile_FloatTensor]>;
def Tile_Float8Like : AnyTypeOf<[Tile_Float8, Tile_Float8Tensor]>;
def Tile_PtrLike : AnyTypeOf<[Tile_PtrType, Tile_PtrTensor]>;

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

class TileEnum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tesela::tile";
}

def Tile_CacheModifier : TileEnum<"CacheModifier", "where a load is cached", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"CA", 1, "ca">,
    I32EnumAttrCase<"CG", 2, "cg">, I32EnumAttrCase<"CV", 3, "cv">,
    I32EnumAttrCase<"WB", 4, "wb">, I32EnumAttrCase<"CS", 5, "cs">,
    I32EnumAttrCase<"WT", 6, "wt">]>;

def Tile_EvictionPolicy : TileEnum<"EvictionPolicy", "how long data is kept", [
    I32EnumAttrCase<"Normal", 0, "normal">,
    I32EnumAttrCase<"EvictFirst", 1, "evict_first">,
    I32EnumAttrCase<"EvictLast", 2, "evict_last">]>;

def Tile_InputPrecision : TileEnum<"InputPrecision",
    "how a dot may round its fp32 operands", [
    I32EnumAttrCase<"IEEE", 0, "ieee">, I32EnumAttrCase<"TF32", 1, "tf32">,
    I32EnumAttrCase<"TF32x3", 2, "tf32x3">,
    I32EnumAttrCase<"Default", 3, "default">]>;

def Tile_AtomicKind : TileEnum<"AtomicKind",
    "what an atomic op makes of the old value and the new one", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"FAdd", 1, "fadd">,
    I32EnumAttrCase<"And", 2, "and">, I32EnumAttrCase<"Or", 3, "or">,
    I32EnumAttrCase<"Xor", 4, "xor">, I32EnumAttrCase<"MaxS", 5, "maxs">,
    I32EnumAttrCase<"MinS", 6, "mins">, I32EnumAttrCase<"MaxU", 7, "maxu">,
    I32EnumAttrCase<"MinU", 8, "minu">, I32EnumAttrCase<"FMax", 9, "fmax">,
    I32EnumAttrCase<"FMin", 10, "fmin">, I32EnumAttrCase<"Xchg", 11, "xchg">]>;

def Tile_MemoryOrder : TileEnum<"MemoryOrder",
    "which other accesses an atomic op is ordered with", [
    I32EnumAttrCase<"Relaxed", 0, "relaxed">,
    I32EnumAttrCase<"Acquire", 1, "acquire">,
    I32EnumAttrCase<"Release", 2, "release">,
    I32EnumAttrCase<"AcqRel", 3, "acq_rel">]>;

def Tile_MemoryScope : TileEnum<"MemoryScope",
    "who sees an atomic op as one step", [
    I32EnumAttrCase<"Instance", 0, "cta">, I32EnumAttrCase<"Device", 1, "gpu">,
    I32EnumAttrCase<"System", 2, "sys">]>;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

class TileOp<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

#endif // TESELA_DIALECT_TILE_TILE_TD
