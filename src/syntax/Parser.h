//===- Parser.h - a Python file to its syntax tree ------------------------===//

#ifndef TESELA_SYNTAX_PARSER_H
#define TESELA_SYNTAX_PARSER_H

#include "support/Diagnostics.h"
#include "syntax/Ast.h"

namespace tesela::syntax {

/// Parses a whole file in the grammar of Python 3.8 to 3.14. Null, with one
/// error in `diags`, where it is not such a file. Lines are numbered from
/// `source->firstLine()`.
std::unique_ptr<Module> parseModule(SourceRef source, Diagnostics &diags);

} // namespace tesela::syntax

#endif // TESELA_SYNTAX_PARSER_H
