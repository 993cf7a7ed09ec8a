//===- Dump.h - a syntax tree as text -------------------------------------===//

#ifndef TESELA_SYNTAX_DUMP_H
#define TESELA_SYNTAX_DUMP_H

#include "syntax/Ast.h"

namespace tesela::syntax {

/// What to leave out, so that trees of older Pythons compare equal.
struct DumpOptions {
  /// Line and column of every node that has them.
  bool spans = true;
  /// Those of `Alias` (3.10 and later).
  bool aliasSpans = true;
  /// Those of the parts of an f-string (right from 3.12 on).
  bool fstringSpans = true;
  /// Those of a slice, and of a tuple of slices (3.9 and later).
  bool sliceSpans = true;
};

/// What `ast.dump(tree, include_attributes=True)` of Python 3.13 prints, except
/// that strings are printed as by `ascii`, without letters beyond ASCII.
std::string dump(const Module &module, const DumpOptions &options = {});

} // namespace tesela::syntax

#endif // TESELA_SYNTAX_DUMP_H
