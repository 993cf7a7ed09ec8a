//===- Elements.h - numbers in memory, by element type --------------------===//

#ifndef TESELA_TOOLS_TESELA_ELEMENTS_H
#define TESELA_TOOLS_TESELA_ELEMENTS_H

#include "tesela/types.h"

#include <cstdint>
#include <string>

namespace tesela::cli {

/// Holds every element of every type exactly.
using Value = long double;

bool isFloatType(DType type);

/// Rounds to nearest even, and wraps integers.
void storeElement(DType type, void *where, Value value);
Value loadElement(DType type, const void *where);

/// Whether two elements are at most `ulp` steps of their type apart. NaNs are
/// all alike, and so are the zeros.
bool agree(DType type, const void *a, const void *b, uint64_t ulp);

std::string printValue(Value value);

} // namespace tesela::cli

#endif // TESELA_TOOLS_TESELA_ELEMENTS_H
