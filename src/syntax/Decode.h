//===- Decode.h - bytes of a file to the text that is parsed --------------===//

#ifndef TESELA_SYNTAX_DECODE_H
#define TESELA_SYNTAX_DECODE_H

#include "support/Diagnostics.h"

namespace tesela::syntax {

/// Gives the text as UTF-8 with `\n` line ends and one at its end, without a
/// byte order mark. Where the bytes' positions differ from those of the text
/// (byte order mark, Latin-1), `source` is replaced by the decoded text, so
/// that diagnostics show the right line. False, with a diagnostic, where the
/// bytes are no text.
bool decodeSource(SourceRef &source, std::string &text, Diagnostics &diags);

} // namespace tesela::syntax

#endif // TESELA_SYNTAX_DECODE_H
