//===- Streaming.h - stores past the caches -------------------------------===//

#ifndef TESELA_TARGET_CPU_STREAMING_H
#define TESELA_TARGET_CPU_STREAMING_H

#include "target/cpu/Slices.h"

namespace tesela::cpu {

/// Where a row has to start for its slices to be written past the caches.
inline constexpr int64_t streamedAlignment = 16;

/// Whether all instances together write more by `store` than caches keep, at
/// the insertion point, which is inside of all loops around the store. Null
/// where the store is not worth the question.
mlir::Value writesMuch(LoweringState &state, tile::ViewStoreOp store);

/// Writes a slice, past the caches where `streams` holds.
void storeOrStream(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                   mlir::Value pointer, unsigned alignment,
                   mlir::Value streams);

/// Before an entry returns: what was written past the caches is there for all
/// threads.
void fenceStreams(LoweringState &state);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_STREAMING_H
