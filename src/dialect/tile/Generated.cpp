//===- Generated.cpp - the definitions that TableGen writes ---------------===//

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialect/tile/Dialect.cpp.inc"
#include "dialect/tile/Enums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/tile/Types.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/tile/ProgramOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/tile/PointwiseOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/tile/ShapeOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/tile/MemoryOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/tile/AtomicOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/tile/ReduceOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/tile/DotOps.cpp.inc"

void tesela::tile::TileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/tile/Types.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/tile/ProgramOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/tile/PointwiseOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/tile/ShapeOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/tile/MemoryOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/tile/AtomicOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/tile/ReduceOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/tile/DotOps.cpp.inc"
      >();
}
