//===- ProgramOps.td - where a program instance stands in the grid --------===//

#ifndef TESELA_DIALECT_TILE_PROGRAMOPS_TD
#define TESELA_DIALECT_TILE_PROGRAMOPS_TD

include "dialect/tile/Tile.td"

def Tile_ProgramIdOp : TileOp<"program_id", [Pure]> {
  let summary = "index of this instance along one axis of the grid";
  let description = [{
    `0 <= result < num_programs` along the same axis.

    ```mlir
    %pid = tile.program_id axis 0
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "`axis` $axis attr-dict";
}

def Tile_NumProgramsOp : TileOp<"num_programs", [Pure]> {
  let summary = "extent of the grid along one axis";
  let description = [{
    ```mlir
    %n = tile.num_programs axis 0
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "`axis` $axis attr-dict";
}

def Tile_BarrierOp : TileOp<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all memory accesses before it happen before those after it";
  let description = [{
    Within one program instance.

    ```mlir
    tile.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // TESELA_DIALECT_TILE_PROGRAMOPS_TD
