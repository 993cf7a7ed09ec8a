//===- TileShape.h - which shapes a tile may have -------------------------===//

#ifndef TESELA_EMIT_TILESHAPE_H
#define TESELA_EMIT_TILESHAPE_H

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>

namespace tesela::emit {

class Interpreter;

/// Each extent is a power of two, and there are at most 2^20 elements. An error
/// otherwise; `what` names the function.
bool checkTileShape(Interpreter &interpreter, llvm::ArrayRef<int64_t> shape,
                    const std::string &what);

/// `axis`, counted from the end where it is negative; an error where there is
/// no such axis of `rank`.
std::optional<int64_t> wrapAxis(Interpreter &interpreter, int64_t axis,
                                int64_t rank, const std::string &what);

} // namespace tesela::emit

#endif // TESELA_EMIT_TILESHAPE_H
