//===- PointwiseOps.td - elementwise ops that upstream lacks --------------===//
//
// Each works on scalars and, element by element, on tiles. None traps and none
// gives poison, whatever its operands.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_DIALECT_TILE_POINTWISEOPS_TD
#define TESELA_DIALECT_TILE_POINTWISEOPS_TD

include "dialect/tile/Tile.td"

class PointwiseOp<string mnemonic, list<Trait> traits = []>
    : TileOp<mnemonic, !listconcat(
        [Pure, Elementwise, SameOperandsAndResultShape], traits)>;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

def Tile_AddPtrOp : PointwiseOp<"addptr", [AllTypesMatch<["ptr", "result"]>]> {
  let summary = "move a pointer by a number of elements";
  let description = [{
    `result = ptr + sext(offset) * sizeof(pointee)`. The multiplication and the
    addition are done in 64 bits and wrap.

    ```mlir
    %q = tile.addptr %p, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_IntLike:$offset);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)";
  let hasFolder = 1;
}

def Tile_PtrToIntOp : PointwiseOp<"ptr_to_int"> {
  let summary = "the address as a 64-bit number";
  let description = [{
    ```mlir
    %a = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr);
  let results = (outs Tile_I64Like:$result);
  let assemblyFormat = "$ptr attr-dict `:` type($ptr) `->` type($result)";
  let hasFolder = 1;
}

def Tile_IntToPtrOp : PointwiseOp<"int_to_ptr"> {
  let summary = "a 64-bit number as an address";
  let description = [{
    ```mlir
    %p = tile.int_to_ptr %a : i64 -> !tile.ptr<f32>
    ```
  }];
  let arguments = (ins Tile_I64Like:$address);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$address attr-dict `:` type($address) `->` type($result)";
  let hasFolder = 1;
}

def Tile_PtrCastOp : PointwiseOp<"ptr_cast"> {
  let summary = "the same address, of other elements";
  let description = [{
    ```mlir
    %q = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<i32>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$ptr attr-dict `:` type($ptr) `->` type($result)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Integer division and shifts, total
//===----------------------------------------------------------------------===//

class IntBinaryOp<string mnemonic, list<Trait> traits = []>
    : PointwiseOp<mnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins Tile_IntLike:$lhs, Tile_IntLike:$rhs);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tile_DivSIOp : IntBinaryOp<"divsi"> {
  let summary = "signed quotient, truncated";
  let description = [{
    `result = trunc(lhs / rhs)`; 0 where `rhs` is 0; the smallest number divided
    by -1 is itself.

    ```mlir
    %q = tile.divsi %a, %b : tensor<8xi32>
    ```
  }];
}

def Tile_DivUIOp : IntBinaryOp<"divui"> {
  let summary = "unsigned quotient";
  let description = [{
    `result = floor(lhs / rhs)` of unsigned numbers; 0 where `rhs` is 0.

    ```mlir
    %q = tile.divui %a, %b : i32
    ```
  }];
}

def Tile_RemSIOp : IntBinaryOp<"remsi"> {
  let summary = "signed remainder, with the sign of the dividend";
  let description = [{
    `result = lhs - trunc(lhs / rhs) * rhs`; 0 where `rhs` is 0 or -1.

    ```mlir
    %r = tile.remsi %a, %b : tensor<8xi32>
    ```
  }];
}

def Tile_RemUIOp : IntBinaryOp<"remui"> {
  let summary = "unsigned remainder";
  let description = [{
    `result = lhs - floor(lhs / rhs) * rhs` of unsigned numbers; 0 where `rhs`
    is 0.

    ```mlir
    %r = tile.remui %a, %b : i32
    ```
  }];
}

def Tile_ShLIOp : IntBinaryOp<"shli"> {
  let summary = "shift left";
  let description = [{
    `result = lhs * 2^rhs`, wrapped; 0 where `rhs`, read as unsigned, is the
    width of the type or more.

    ```mlir
    %r = tile.shli %a, %b : tensor<8xi32>
    ```
  }];
}

def Tile_ShRSIOp : IntBinaryOp<"shrsi"> {
  let summary = "shift right, keeping the sign";
  let description = [{
    `result = floor(lhs / 2^rhs)` of a signed `lhs`; the sign in every bit where
    `rhs`, read as unsigned, is the width of the type or more.

    ```mlir
    %r = tile.shrsi %a, %b : tensor<8xi32>
    ```
  }];
}

def Tile_ShRUIOp : IntBinaryOp<"shrui"> {
  let summary = "shift right, filling with zeros";
  let description = [{
    `result = floor(lhs / 2^rhs)` of an unsigned `lhs`; 0 where `rhs`, read as
    unsigned, is the width of the type or more.

    ```mlir
    %r = tile.shrui %a, %b : tensor<8xi32>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Conversions, total
//===----------------------------------------------------------------------===//

def Tile_FpToSIOp : PointwiseOp<"fptosi"> {
  let summary = "float to signed integer, towards zero, saturating";
  let description = [{
    The nearest representable number where the value is out of range; 0 for NaN
    (as PTX's `cvt`).

    ```mlir
    %i = tile.fptosi %x : tensor<8xf32> -> tensor<8xi32>
    ```
  }];
  let arguments = (ins Tile_FloatLike:$source);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

def Tile_FpToUIOp : PointwiseOp<"fptoui"> {
  let summary = "float to unsigned integer, towards zero, saturating";
  let description = [{
    The nearest representable number where the value is out of range; 0 for NaN
    (as PTX's `cvt`).

    ```mlir
    %i = tile.fptoui %x : tensor<8xf32> -> tensor<8xi32>
    ```
  }];
  let arguments = (ins Tile_FloatLike:$source);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

def Tile_FpToFp8Op : PointwiseOp<"fptofp8"> {
  let summary = "float to an 8-bit float, to the nearest, saturating";
  let description = [{
    The nearest number of `f8E4M3FN` (up to 448) or `f8E5M2` (up to 57344), ties
    to even. The largest number of the same sign where the value is too large or
    infinite; 0x7f for a NaN (as PTX's `cvt.rn.satfinite`). `arith.extf` is the
    way back, which is exact.

    ```mlir
    %y = tile.fptofp8 %x : tensor<8xf32> -> tensor<8xf8E4M3FN>
    ```
  }];
  let arguments = (ins Tile_FloatLike:$source);
  let results = (outs Tile_Float8Like:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

#endif // TESELA_DIALECT_TILE_POINTWISEOPS_TD
