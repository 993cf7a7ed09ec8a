//===- Unicode.h - code points, identifiers, normal form KC ---------------===//

#ifndef TESELA_SYNTAX_UNICODE_H
#define TESELA_SYNTAX_UNICODE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tesela::syntax {

/// Appends a code point as UTF-8; a lone surrogate becomes three bytes.
void appendUtf8(std::string &text, uint32_t codePoint);

/// Decodes the code point at `at` and moves past it. The text must be UTF-8
/// (surrogates of three bytes are let through).
uint32_t nextCodePoint(std::string_view text, size_t &at);

/// Offset of the first byte that is not UTF-8; the text's size if all is well.
size_t findInvalidUtf8(std::string_view text);

/// Whether an identifier may begin with, or go on with, this code point.
bool isIdentifierStart(uint32_t codePoint);
bool isIdentifierContinue(uint32_t codePoint);

/// The code point that `\N{name}` means, in any case of letters.
std::optional<uint32_t> codePointNamed(std::string_view name);

/// Normal form KC of an identifier, as Python stores it.
std::string normalizeIdentifier(std::string_view identifier);

} // namespace tesela::syntax

#endif // TESELA_SYNTAX_UNICODE_H
