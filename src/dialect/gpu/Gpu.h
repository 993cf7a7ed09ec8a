//===- Gpu.h - the gpu dialect --------------------------------------------===//

#ifndef TESELA_DIALECT_GPU_GPU_H
#define TESELA_DIALECT_GPU_GPU_H

#include "dialect/tile/Tile.h"

#include "dialect/gpu/Dialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/gpu/Attributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/gpu/Types.h.inc"

#define GET_OP_CLASSES
#include "dialect/gpu/LayoutOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/gpu/RingOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/gpu/ProductOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/gpu/CopyOps.h.inc"

namespace tesela::gpu {

/// On a kernel's argument of type `!tgpu.tensor_map`: a dictionary of `dtype`
/// (the element type), `swizzle` (bytes), `box` (elements, innermost dimension
/// first) and `first`, the number of the result of `@NAME.launch` that is the
/// array's address; the extents follow it, then the strides in bytes of all
/// dimensions but the innermost.
inline constexpr llvm::StringLiteral tensorMapAttr = "tgpu.map";

} // namespace tesela::gpu

#endif // TESELA_DIALECT_GPU_GPU_H
