//===- ParseString.cpp - string literals, concatenated and formatted ------===//
//
// Literals side by side are one. Their pieces are constants and fields; a run
// of constants becomes one constant from the first's start to the last's end.
//
//   "a" f"b{x}c" 'd'   ->   JoinedStr: Constant ab, FormattedValue x,
//                                      Constant cd
//
//===----------------------------------------------------------------------===//

#include "syntax/Grammar.h"

#include "llvm/Support/Casting.h"

namespace tesela::syntax {

using llvm::cast;
using llvm::dyn_cast;

static size_t prefixLength(std::string_view literal) {
  return literal.find_first_of("'\"");
}

static bool hasLetter(std::string_view prefix, char lower) {
  return prefix.find(lower) != prefix.npos ||
         prefix.find(char(lower - 32)) != prefix.npos;
}

/// One literal without fields.
Constant *Grammar::parseStringToken() {
  const Token &token = tok();
  std::string_view literal = spelling(token);
  advance();
  auto *result = make<Constant>(token);
  size_t letters = prefixLength(literal);
  std::string_view prefix = literal.substr(0, letters);
  bool bytes = hasLetter(prefix, 'b');
  char quote = literal[letters];
  size_t quotes = literal.size() >= letters + 6 &&
                          literal[letters + 1] == quote &&
                          literal[letters + 2] == quote
                      ? 3
                      : 1;
  std::string_view body = literal.substr(letters + quotes);
  body.remove_suffix(quotes);
  result->constant = bytes ? ConstantKind::Bytes : ConstantKind::Str;
  result->hasUPrefix = literal[0] == 'u';
  decode(body, hasLetter(prefix, 'r'), bytes, result->text, token.span);
  return result;
}

Expr *Grammar::parseStrings() {
  Start start = here();
  Exprs pieces;
  bool hasBytes = false, hasText = false, isFormatted = false,
       isTemplate = false, isMixed = false;
  size_t count = 0;
  while (at(Kind::String) || at(Kind::FStringStart)) {
    ++count;
    if (at(Kind::FStringStart)) {
      bool t = hasLetter(spelling(tok()), 't');
      isMixed |= count > 1 && t != isTemplate;
      isTemplate |= t;
      isFormatted = hasText = true;
      parseFString(pieces);
      continue;
    }
    isMixed |= isTemplate;
    Constant *constant = parseStringToken();
    bool isBytes = constant->constant == ConstantKind::Bytes;
    hasBytes |= isBytes;
    hasText |= !isBytes;
    pieces.push_back(constant);
  }
  if (failed)
    return placeholder();
  Span all = {start.line, start.col, lastEnd.line, lastEnd.col};
  if (hasBytes && hasText)
    fail("cannot mix bytes and nonbytes literals", all);
  else if (isMixed)
    fail("cannot mix t-string literals with string or bytes literals", all);
  if (failed)
    return placeholder();
  if (!isFormatted) {
    if (count == 1)
      return pieces[0];
    auto *first = cast<Constant>(pieces[0]);
    auto *result = make<Constant>(start);
    result->constant = first->constant;
    result->hasUPrefix = first->hasUPrefix;
    for (Expr *piece : pieces)
      result->text += cast<Constant>(piece)->text;
    return result;
  }
  Exprs values = foldConstants(pieces);
  if (isTemplate) {
    auto *result = make<TemplateStr>(start);
    result->values = std::move(values);
    return result;
  }
  auto *result = make<JoinedStr>(start);
  result->values = std::move(values);
  return result;
}

/// Joins runs of constants and drops what is then empty.
Exprs Grammar::foldConstants(const Exprs &pieces) {
  Exprs result;
  for (size_t i = 0; i < pieces.size();) {
    auto *first = dyn_cast<Constant>(pieces[i]);
    if (!first) {
      result.push_back(pieces[i++]);
      continue;
    }
    auto *joined = module.arena.make<Constant>(*first);
    for (++i; i < pieces.size(); ++i) {
      auto *next = dyn_cast<Constant>(pieces[i]);
      if (!next)
        break;
      joined->text += next->text;
      joined->span.endLine = next->span.endLine;
      joined->span.endCol = next->span.endCol;
    }
    if (!joined->text.empty())
      result.push_back(joined);
  }
  return result;
}

/// One f-string or t-string; its pieces are added to `values`.
void Grammar::parseFString(Exprs &values) {
  std::string_view prefix = spelling(tok());
  prefix = prefix.substr(0, prefixLength(prefix));
  bool raw = hasLetter(prefix, 'r');
  bool isTemplate = hasLetter(prefix, 't');
  advance();
  while (!at(Kind::FStringEnd) && !failed) {
    if (at(Kind::FStringMiddle))
      parseFStringText(values, raw, /*inSpec=*/false);
    else if (at(Kind::LBrace))
      parseField(values, raw, isTemplate);
    else
      unexpected();
  }
  advance();
}

/// Doubled braces are one, except those of `\N{…}`.
static std::string singleBraces(std::string_view text, bool raw) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    result += c;
    if (c == '{' || c == '}') {
      ++i;
    } else if (c == '\\' && i + 1 < text.size() && text[i + 1] != '{' &&
               text[i + 1] != '}') {
      result += text[++i];
      size_t close = text.find_first_of("}{\n", i + 2);
      if (text[i] == 'N' && !raw && i + 1 < text.size() && text[i + 1] == '{' &&
          close != text.npos && text[close] == '}') {
        result += text.substr(i + 1, close - i);
        i = close;
      }
    }
  }
  return result;
}

void Grammar::parseFStringText(Exprs &values, bool raw, bool inSpec) {
  const Token &token = tok();
  advance();
  auto *constant = module.arena.make<Constant>();
  constant->span = token.span;
  constant->constant = ConstantKind::Str;
  std::string body = inSpec ? std::string(spelling(token))
                            : singleBraces(spelling(token), raw);
  decode(body, raw, /*bytes=*/false, constant->text, token.span);
  if (!constant->text.empty())
    values.push_back(constant);
}

/// Source text from `begin` to `end`, without the comments in it; the tokens
/// from `firstToken` on lie there.
std::string Grammar::fieldText(size_t firstToken, uint32_t begin,
                               uint32_t end) const {
  std::string result;
  auto addGap = [&](std::string_view gap) {
    bool inComment = false;
    for (char c : gap) {
      inComment = c != '\n' && (inComment || c == '#');
      if (!inComment)
        result += c;
    }
  };
  for (size_t i = firstToken; begin < end && tokens[i].begin < end; ++i) {
    addGap(text.substr(begin, tokens[i].begin - begin));
    result += spelling(tokens[i]);
    begin = tokens[i].end;
  }
  if (begin < end)
    addGap(text.substr(begin, end - begin));
  return result;
}

/// `{value=!r:spec}`.
void Grammar::parseField(Exprs &values, bool raw, bool isTemplate) {
  std::string word = isTemplate ? "t-string: " : "f-string: ";
  const Token &open = tok();
  Start start = here();
  advance();
  size_t firstToken = pos;
  for (Kind k : {Kind::RBrace, Kind::Exclaim, Kind::Colon, Kind::Equal})
    if (at(k))
      fail(word + "valid expression required before '" + tokenText(k) + "'");
  bool isLambda = at(Kind::KwLambda);
  Expr *value = parseYieldOrStar();
  // Its colon has begun the format specifier.
  if (isLambda && failed && tokens[failure.pos - 1].kind == Kind::Colon) {
    failure.message =
        word + "lambda expressions are not allowed without parentheses";
    failure.span = tokens[firstToken].span;
  }
  bool isDebug = accept(Kind::Equal);
  // What `=` shows ends where the next sign begins.
  const Token &sign = tok();
  int32_t conversion = -1;
  if (accept(Kind::Exclaim)) {
    if (!at(Kind::Name))
      fail(word + "missing conversion character");
    std::string_view letter = spelling(tok());
    if (tok().begin != sign.end)
      fail(word + "conversion type must come right after the exclamation mark");
    else if (letter != "s" && letter != "r" && letter != "a")
      fail(word + "invalid conversion character '" + std::string(letter) +
           "': expected 's', 'r', or 'a'");
    if (!failed)
      conversion = letter[0];
    advance();
  }
  Expr *spec = at(Kind::Colon) ? parseFormatSpec(raw) : nullptr;
  if (isDebug && conversion < 0 && !spec)
    conversion = 'r';
  if (!accept(Kind::RBrace)) {
    fail(word + (isDebug || conversion >= 0 || spec
                     ? "expecting '}'"
                     : "expecting '=', or '!', or ':', or '}'"));
    return;
  }

  std::string shown = fieldText(firstToken, open.end, sign.begin);
  if (isDebug) {
    auto *text = module.arena.make<Constant>();
    text->span = {open.span.endLine, open.span.endCol, sign.span.line,
                  sign.span.col};
    text->constant = ConstantKind::Str;
    text->text = shown;
    values.push_back(text);
  }
  if (isTemplate) {
    shown.resize(shown.find_last_not_of(" \t\f\n=") + 1);
    auto *field = make<Interpolation>(start);
    field->value = value;
    field->str = std::move(shown);
    field->conversion = conversion;
    field->formatSpec = spec;
    values.push_back(field);
    return;
  }
  auto *field = make<FormattedValue>(start);
  field->value = value;
  field->conversion = conversion;
  field->formatSpec = spec;
  values.push_back(field);
}

/// `:spec`. Fields in it are those of an f-string, in a t-string too.
Expr *Grammar::parseFormatSpec(bool raw) {
  Start start = here();
  advance();
  Exprs pieces;
  while (!at(Kind::RBrace) && !failed) {
    if (at(Kind::FStringMiddle))
      parseFStringText(pieces, raw, /*inSpec=*/true);
    else if (at(Kind::LBrace))
      parseField(pieces, raw, /*isTemplate=*/false);
    else
      unexpected();
  }
  auto *result = make<JoinedStr>(start);
  result->values = foldConstants(pieces);
  return result;
}

} // namespace tesela::syntax
