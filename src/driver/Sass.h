//===- Sass.h - machine code of a GPU as text -----------------------------===//

#ifndef TESELA_DRIVER_SASS_H
#define TESELA_DRIVER_SASS_H

#include <optional>
#include <string>

namespace tesela::driver {

/// What `ptxas` makes of PTX, disassembled, after a comment with what it says
/// of registers, spills and shared memory. The programs are NVIDIA's, looked
/// for in PATH and in /usr/local/cuda/bin. Nothing, with the reason in `error`,
/// where one is missing or refuses the code.
std::optional<std::string> disassemble(const std::string &ptx,
                                       const std::string &processor,
                                       std::string &error);

} // namespace tesela::driver

#endif // TESELA_DRIVER_SASS_H
