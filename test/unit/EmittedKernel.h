//===- EmittedKernel.h - a kernel from Python text, as tile IR ------------===//

#ifndef TESELA_TEST_UNIT_EMITTEDKERNEL_H
#define TESELA_TEST_UNIT_EMITTEDKERNEL_H

#include "emit/Emit.h"

#include <string>
#include <vector>

namespace tesela::test {

/// The tile IR of a kernel, or what is wrong with it.
struct EmittedKernel {
  std::optional<emit::Emitted> emitted;
  std::vector<Diagnostic> diagnostics;

  /// The IR as text; empty where there is none.
  std::string ir();
  /// The first diagnostic, rendered; empty where there is none.
  std::string error() const;
};

/// Emits the function `name` of a file with this text. `arguments` says for
/// each parameter `NAME=VALUE`:
///
///   x=*fp32  x=*fp32:16     a pointer, and one to an aligned address
///   n=i32  n=i32:16         a scalar, and one that 16 divides
///   n=4  s=1.5  f=True  m=None  t="text"  d=%fp16  g=@function    constants
///
/// A parameter that is not listed has its default.
EmittedKernel emitText(const std::string &text,
                       const std::vector<std::string> &arguments,
                       const std::string &name = "kernel");

/// Emits and evaluates, for one instance,
///
///   def kernel(x, y, out, n): BODY
///
/// after `before`, where x is 16 times fp32, 0 to 15; y 16 times int32, 7 to
/// -8; n = 10 an int32; out 64 times `outType`, all -1. Gives `out`; a failure
/// of the test where there is an error.
std::vector<double> runBody(const std::string &body,
                            const std::string &outType = "fp32",
                            const std::string &before = "");

/// `runBody`'s first elements.
std::vector<double> runFirst(size_t count, const std::string &body,
                             const std::string &outType = "fp32",
                             const std::string &before = "");

/// The error of such a kernel, its first line alone, without the place.
std::string bodyError(const std::string &body, const std::string &before = "");

} // namespace tesela::test

#endif // TESELA_TEST_UNIT_EMITTEDKERNEL_H
