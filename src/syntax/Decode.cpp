//===- Decode.cpp - bytes of a file to the text that is parsed ------------===//
//
// The encoding is UTF-8 unless one of the first two lines has a comment such as
//
//   # -*- coding: latin-1 -*-
//
// (the first line must then be blank or a comment). UTF-8, ASCII and Latin-1
// are decoded here, others by the C library if it knows them. A byte order mark
// allows no other name than `utf-8`.
//
//===----------------------------------------------------------------------===//

#include "syntax/Decode.h"

#include "syntax/Unicode.h"

#include <algorithm>

#include <iconv.h>

namespace tesela::syntax {

namespace {

enum class Encoding { Utf8, Latin1, Ascii, Other };

constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";

bool isAlnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9');
}

/// The name in `coding[:=]\s*([-\w.]+)` of a comment line, or nothing.
std::string cookieOf(std::string_view line) {
  size_t hash = line.find_first_not_of(" \t\f");
  if (hash == line.npos || line[hash] != '#')
    return "";
  for (size_t at = hash; (at = line.find("coding", at)) != line.npos;) {
    at += 6;
    if (at >= line.size() || (line[at] != ':' && line[at] != '='))
      continue;
    size_t begin = line.find_first_not_of(" \t", at + 1);
    if (begin == line.npos)
      continue;
    size_t end = begin;
    while (end < line.size() && (isAlnum(line[end]) || line[end] == '-' ||
                                 line[end] == '_' || line[end] == '.'))
      ++end;
    if (end > begin)
      return std::string(line.substr(begin, end - begin));
  }
  return "";
}

bool isBlankOrComment(std::string_view line) {
  size_t first = line.find_first_not_of(" \t\f");
  return first == line.npos || line[first] == '#';
}

/// Whether this is `base`, perhaps with a suffix such as `-unix`.
bool isNamed(std::string_view name, std::string_view base) {
  return name.starts_with(base) &&
         (name.size() == base.size() || name[base.size()] == '-');
}

std::string lowerDashed(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c == '_' ? '-' : c >= 'A' && c <= 'Z' ? char(c + 32) : c;
  });
  return name;
}

Encoding encodingNamed(const std::string &name) {
  auto is = [&](std::string_view base) { return isNamed(name, base); };
  if (is("utf-8") || name == "utf8" || name == "u8" || name == "utf" ||
      name == "cp65001")
    return Encoding::Utf8;
  if (is("latin-1") || is("iso-8859-1") || is("iso-latin-1") ||
      name == "latin1" || name == "latin" || name == "l1" || name == "8859" ||
      name == "cp819" || name == "iso8859-1")
    return Encoding::Latin1;
  if (name == "ascii" || name == "us-ascii" || name == "646")
    return Encoding::Ascii;
  return Encoding::Other;
}

std::string latin1ToUtf8(std::string_view bytes) {
  std::string result;
  result.reserve(bytes.size() + bytes.size() / 8);
  for (unsigned char c : bytes)
    appendUtf8(result, c);
  return result;
}

/// False where the C library does not know the encoding, or the bytes are none
/// of its texts; `known` tells which.
bool convertToUtf8(const std::string &encoding, std::string_view bytes,
                   std::string &text, bool &known) {
  iconv_t converter = iconv_open("UTF-8", encoding.c_str());
  known = converter != iconv_t(-1);
  if (!known)
    return false;
  // No encoding of one or more bytes a character needs more than this.
  text.resize(bytes.size() * 4 + 16);
  char *in = const_cast<char *>(bytes.data()), *out = text.data();
  size_t inLeft = bytes.size(), outLeft = text.size();
  bool ok = iconv(converter, &in, &inLeft, &out, &outLeft) != size_t(-1) &&
            iconv(converter, nullptr, nullptr, &out, &outLeft) != size_t(-1);
  iconv_close(converter);
  text.resize(text.size() - outLeft);
  return ok;
}

/// `\r\n` and a lone `\r` become `\n`; the columns of the text stay.
void normalizeNewlines(std::string &text) {
  if (text.find('\r') != text.npos) {
    size_t to = 0;
    for (size_t from = 0; from < text.size(); ++from) {
      char c = text[from];
      if (c == '\r') {
        if (from + 1 < text.size() && text[from + 1] == '\n')
          ++from;
        c = '\n';
      }
      text[to++] = c;
    }
    text.resize(to);
  }
  if (!text.empty() && text.back() != '\n')
    text += '\n';
}

} // namespace

bool decodeSource(SourceRef &source, std::string &text, Diagnostics &diags) {
  std::string_view bytes = source->text();
  // Positions are 32 bits wide.
  if (bytes.size() > 0x7FFFFFF0) {
    diags.error(DiagId::SyntaxError, {source, source->firstLine(), 0},
                "the file is larger than 2 GiB");
    return false;
  }

  auto fail = [&](size_t offset, std::string message) {
    int32_t line = source->firstLine();
    size_t start = 0;
    for (size_t i = 0; i < offset; ++i)
      if (bytes[i] == '\n' ||
          (bytes[i] == '\r' && (i + 1 == bytes.size() || bytes[i + 1] != '\n')))
        ++line, start = i + 1;
    int32_t col = int32_t(offset - start);
    diags.error(DiagId::SyntaxError, {source, line, col, line, col + 1},
                std::move(message));
    return false;
  };

  bool hasMark = bytes.starts_with(byteOrderMark);
  std::string_view body = bytes.substr(hasMark ? byteOrderMark.size() : 0);

  size_t firstEnd = std::min(body.find_first_of("\r\n"), body.size());
  std::string_view first = body.substr(0, firstEnd);
  std::string cookie = cookieOf(first);
  if (cookie.empty() && isBlankOrComment(first) && firstEnd < body.size()) {
    size_t next = firstEnd + (body.substr(firstEnd, 2) == "\r\n" ? 2 : 1);
    size_t length = std::min(body.find_first_of("\r\n", next), body.size()) -
                    std::min(next, body.size());
    cookie = cookieOf(body.substr(std::min(next, body.size()), length));
  }
  std::string name = lowerDashed(cookie);
  Encoding encoding = name.empty() ? Encoding::Utf8 : encodingNamed(name);
  if (hasMark && !name.empty() && !isNamed(name, "utf-8"))
    return fail(0, "encoding problem: " + cookie + " with BOM");

  if (size_t nul = bytes.find('\0'); nul != bytes.npos)
    return fail(nul, "source code cannot contain null bytes");

  if (encoding == Encoding::Latin1) {
    text = latin1ToUtf8(body);
  } else if (encoding == Encoding::Other) {
    bool known = false;
    if (!convertToUtf8(name, body, text, known))
      return fail(0, known ? "(unicode error) the file is not in " + cookie
                           : "unknown encoding: " + cookie);
    if (findInvalidUtf8(text) < text.size() || text.find('\0') != text.npos)
      return fail(0, "(unicode error) the file is not in " + cookie);
  } else {
    size_t bad = findInvalidUtf8(body);
    if (encoding == Encoding::Ascii)
      bad = std::min<size_t>(bad,
                             std::find_if(body.begin(), body.end(), [](char c) {
                               return c & 0x80;
                             }) - body.begin());
    if (bad < body.size()) {
      static const char digits[] = "0123456789abcdef";
      unsigned char byte = body[bad];
      return fail(bad + (bytes.size() - body.size()),
                  std::string("(unicode error) '") +
                      (encoding == Encoding::Ascii ? "ascii" : "utf-8") +
                      "' codec can't decode byte 0x" + digits[byte >> 4] +
                      digits[byte & 15]);
    }
    text = body;
  }
  if (hasMark || encoding == Encoding::Latin1 || encoding == Encoding::Other)
    source = Source::create(source->name(), text, source->firstLine());
  normalizeNewlines(text);
  return true;
}

} // namespace tesela::syntax
