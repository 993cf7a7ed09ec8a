//===- DecodeEscapes.cpp - what a literal's backslashes stand for ---------===//

#include "syntax/Grammar.h"
#include "syntax/Unicode.h"

#include "llvm/ADT/StringExtras.h"

namespace tesela::syntax {

/// The value of up to `count` hex digits at `at`; -1 if there are fewer.
static int64_t hexValue(std::string_view text, size_t at, size_t count) {
  if (at + count > text.size())
    return -1;
  int64_t value = 0;
  for (char c : text.substr(at, count)) {
    unsigned digit = llvm::hexDigitValue(c);
    if (digit > 15)
      return -1;
    value = value * 16 + digit;
  }
  return value;
}

/// Appends what `body` denotes to `out`. False, with an error at `span`, where
/// an escape is malformed; an unknown one stands for itself.
bool Grammar::decode(std::string_view body, bool raw, bool bytes,
                     std::string &out, Span span) {
  if (bytes)
    for (char c : body)
      if (c & 0x80) {
        fail("bytes can only contain ASCII literal characters", span);
        return false;
      }
  if (raw || body.find('\\') == body.npos) {
    out += body;
    return true;
  }
  auto put = [&](uint32_t value) {
    if (bytes)
      out += char(value);
    else
      appendUtf8(out, value);
  };
  auto error = [&](const std::string &message) {
    fail((bytes ? "(value error) " : "(unicode error) ") + message, span);
    return false;
  };
  for (size_t i = 0; i < body.size();) {
    if (body[i] != '\\') {
      out += body[i++];
      continue;
    }
    if (++i == body.size()) {
      out += '\\';
      break;
    }
    char c = body[i++];
    switch (c) {
    case '\n':
      break;
    case '\\':
    case '\'':
    case '"':
      out += c;
      break;
    case 'a':
      out += '\a';
      break;
    case 'b':
      out += '\b';
      break;
    case 'f':
      out += '\f';
      break;
    case 'n':
      out += '\n';
      break;
    case 'r':
      out += '\r';
      break;
    case 't':
      out += '\t';
      break;
    case 'v':
      out += '\v';
      break;
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7': {
      uint32_t value = c - '0';
      for (int k = 0;
           k < 2 && i < body.size() && body[i] >= '0' && body[i] <= '7'; ++k)
        value = value * 8 + (body[i++] - '0');
      put(value);
      break;
    }
    case 'x': {
      int64_t value = hexValue(body, i, 2);
      if (value < 0)
        return error(bytes ? "invalid \\x escape" : "truncated \\xXX escape");
      i += 2;
      put(uint32_t(value));
      break;
    }
    case 'u':
    case 'U': {
      if (bytes) {
        out += '\\';
        out += c;
        break;
      }
      size_t count = c == 'u' ? 4 : 8;
      int64_t value = hexValue(body, i, count);
      if (value < 0)
        return error(c == 'u' ? "truncated \\uXXXX escape"
                              : "truncated \\UXXXXXXXX escape");
      if (value > 0x10FFFF)
        return error("illegal Unicode character");
      i += count;
      put(uint32_t(value));
      break;
    }
    case 'N': {
      if (bytes) {
        out += "\\N";
        break;
      }
      size_t close = body.find('}', i);
      if (i >= body.size() || body[i] != '{' || close == body.npos ||
          close == i + 1)
        return error("malformed \\N character escape");
      auto codePoint = codePointNamed(body.substr(i + 1, close - i - 1));
      if (!codePoint)
        return error("unknown Unicode character name");
      put(*codePoint);
      i = close + 1;
      break;
    }
    default:
      out += '\\';
      out += c;
    }
  }
  return true;
}

} // namespace tesela::syntax
