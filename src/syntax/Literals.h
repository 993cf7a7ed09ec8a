//===- Literals.h - constants as Python's `ascii` writes them -------------===//

#ifndef TESELA_SYNTAX_LITERALS_H
#define TESELA_SYNTAX_LITERALS_H

#include <string>
#include <string_view>

namespace tesela::syntax {

/// `'text'` with escapes; UTF-8 in, ASCII out.
void appendQuoted(std::string &out, std::string_view text);

/// `b'bytes'` with escapes.
void appendQuotedBytes(std::string &out, std::string_view bytes);

/// The shortest digits that read back as the same number: `1.0`, `1e+16`.
void appendFloat(std::string &out, double value);

/// `2j`, `1.5j`.
void appendImaginary(std::string &out, double value);

} // namespace tesela::syntax

#endif // TESELA_SYNTAX_LITERALS_H
