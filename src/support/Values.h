//===- Values.h - comparing and printing compile-time values --------------===//

#ifndef TESELA_SUPPORT_VALUES_H
#define TESELA_SUPPORT_VALUES_H

#include "tesela/arguments.h"
#include "tesela/environment.h"

#include <string>

namespace tesela {

/// Whether code that was compiled for one serves the other: same type and
/// value, floats bit by bit, functions by identity. An unsupported value is
/// like no other.
bool sameValue(const Object &a, const Object &b);

/// A hash of what `sameValue` compares; quick, and good for this process alone.
uint64_t quickHash(const Object &value);

/// As Python prints it: `1`, `'tf32'`, `(1, 2)`, `float32`.
std::string describe(const Object &value);

/// "int", "float", "str", "a jit function" …
std::string kindOf(const Object &value);

/// The compile-time value that an argument stands for; a pointer stands for
/// none and gives an unsupported value.
Object objectOf(const Argument &argument);

/// The argument that stands for a value, which must outlive it.
Argument argumentOf(const Object &value);

} // namespace tesela

#endif // TESELA_SUPPORT_VALUES_H
