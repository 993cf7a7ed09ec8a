//===- FunctionLines.h - where the function at the start of a text ends ---===//

#ifndef TESELA_SYNTAX_FUNCTIONLINES_H
#define TESELA_SYNTAX_FUNCTIONLINES_H

#include <cstddef>
#include <string>

namespace tesela::syntax {

/// The length of the statement that `text` begins with, in whole lines: of a
/// function its decorators, its header and its body. It may be indented. Looks
/// at no more than the line after it; all of the text where that is no Python.
size_t functionLength(const std::string &text);

} // namespace tesela::syntax

#endif // TESELA_SYNTAX_FUNCTIONLINES_H
