//===- Generated.cpp - the definitions that TableGen writes ---------------===//

#include "dialect/gpu/Gpu.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

/// `[1, 2]`.
static ParseResult parseBits(AsmParser &parser,
                             SmallVectorImpl<int64_t> &bits) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(bits.emplace_back());
  });
}

static void printBits(AsmPrinter &printer, ArrayRef<int64_t> bits) {
  printer << '[';
  llvm::interleaveComma(bits, printer);
  printer << ']';
}

/// `64x32xf16`.
static ParseResult parseShapeAndElement(AsmParser &parser,
                                        SmallVectorImpl<int64_t> &shape,
                                        Type &element) {
  if (failed(parser.parseDimensionList(shape, /*allowDynamic=*/false)))
    return failure();
  return parser.parseType(element);
}

static void printShapeAndElement(AsmPrinter &printer, ArrayRef<int64_t> shape,
                                 Type element) {
  printer.printDimensionList(shape);
  printer << 'x' << element;
}

#include "dialect/gpu/Dialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/gpu/Attributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/gpu/Types.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/gpu/LayoutOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/gpu/RingOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/gpu/ProductOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/gpu/CopyOps.cpp.inc"

void tesela::gpu::GpuDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/gpu/Attributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/gpu/Types.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/gpu/LayoutOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/gpu/RingOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/gpu/ProductOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/gpu/CopyOps.cpp.inc"
      >();
}
