//===- Dump.h - a syntax tree as text -------------------------------------===//

#ifndef TESELA_SYNTAX_DUMP_H
#define TESELA_SYNTAX_DUMP_H

#include "syntax/Ast.h"

namespace tesela::syntax {

struct DumpOptions {
  /// Line and column of every node that has them.
  bool spans = true;
  /// Only those that Python 3.N has, too, and has right: ends, keywords and
  /// slices from 3.9 on, aliases from 3.10, the parts of f-strings from 3.12.
  int pythonMinor = 14;
};

/// What `ast.dump(tree, include_attributes=True)` of Python 3.13 prints, except
/// that strings are printed as by `ascii`, without letters beyond ASCII.
std::string dump(const Module &module, const DumpOptions &options = {});

} // namespace tesela::syntax

#endif // TESELA_SYNTAX_DUMP_H
