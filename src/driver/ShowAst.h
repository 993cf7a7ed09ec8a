//===- ShowAst.h - a syntax tree that people can read ---------------------===//

#ifndef TESELA_DRIVER_SHOWAST_H
#define TESELA_DRIVER_SHOWAST_H

#include <string>
#include <string_view>

namespace tesela::driver {

/// Breaks a text of nested brackets, such as `Call(func=Name(id='f'),
/// args=[])`, into indented lines wherever a bracket does not fit into 80
/// columns.
std::string breakLines(std::string_view text);

} // namespace tesela::driver

#endif // TESELA_DRIVER_SHOWAST_H
