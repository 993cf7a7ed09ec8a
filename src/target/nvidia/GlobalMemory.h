//===- GlobalMemory.h - one thread's access to global memory --------------===//

#ifndef TESELA_TARGET_NVIDIA_GLOBALMEMORY_H
#define TESELA_TARGET_NVIDIA_GLOBALMEMORY_H

#include "dialect/tile/Tile.h"

#include "mlir/IR/Builders.h"

namespace tesela::nvidia {

/// How an access treats the caches.
struct CacheHints {
  tile::CacheModifier modifier = tile::CacheModifier::None;
  tile::EvictionPolicy eviction = tile::EvictionPolicy::Normal;
  bool isVolatile = false;
  /// Nothing writes there while the kernel runs.
  bool mayBeLate = false;
};

/// Reads `type`, a vector of up to 16 bytes to which `pointer`, an
/// `!llvm.ptr<1>`, is aligned. Where the i1 `predicate` is given and false,
/// nothing is read and the result is `other`.
mlir::Value loadGlobal(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::VectorType type, mlir::Value pointer,
                       mlir::Value predicate, mlir::Value other,
                       const CacheHints &hints);

/// Writes such a vector where `predicate` is absent or true.
void storeGlobal(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                 mlir::Value pointer, mlir::Value predicate,
                 const CacheHints &hints);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_GLOBALMEMORY_H
