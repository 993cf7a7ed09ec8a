//===- SyntaxErrorsTest.cpp - what is said of wrong files, and where ------===//

#include "syntax/Parser.h"

#include <gtest/gtest.h>

using namespace tesela;

namespace {

struct Case {
  const char *text;
  const char *expected; // `line:col-endLine:endCol message`
};

std::string errorOf(std::string text) {
  Diagnostics diags;
  auto module = syntax::parseModule(Source::create("a.py", text), diags);
  if (module)
    return "none";
  EXPECT_EQ(diags.all().size(), 1u);
  const Diagnostic &diag = diags.all().front();
  const Location &at = diag.location;
  return std::to_string(at.line) + ":" + std::to_string(at.col) + "-" +
         std::to_string(at.endLine) + ":" + std::to_string(at.endCol) + " " +
         diag.message;
}

void expectErrors(std::initializer_list<Case> cases) {
  for (const Case &one : cases)
    EXPECT_EQ(errorOf(one.text), one.expected) << one.text;
}

TEST(SyntaxErrors, Brackets) {
  expectErrors({
      {"f(a, [b]", "1:1-1:2 '(' was never closed"},
      {"x = (1,\ny = 2\nz = 3", "1:4-1:5 '(' was never closed"},
      {"a)", "1:1-1:2 unmatched ')'"},
      {"(a]", "1:2-1:3 closing parenthesis ']' does not match opening "
              "parenthesis '('"},
      {"(\na]", "2:1-2:2 closing parenthesis ']' does not match opening "
                "parenthesis '(' on line 1"},
      {"[a b]", "1:3-1:4 invalid syntax: perhaps you forgot a comma?"},
  });
}

TEST(SyntaxErrors, Blocks) {
  expectErrors({
      {"if a\n  b", "1:4-1:5 expected ':'"},
      {"def f(x)\n  return x", "1:8-1:9 expected ':'"},
      {"def f:\n  pass", "1:5-1:6 expected '('"},
      {"for i in a:\nb", "2:0-2:1 expected an indented block after 'for' "
                         "statement on line 1"},
      {"def f():", "1:8-1:8 expected an indented block after function "
                   "definition on line 1"},
      {"  a", "1:0-1:2 unexpected indent"},
      {"if a:\n    b\n  c", "3:0-3:2 unindent does not match any outer "
                            "indentation level"},
      {"if a:\n\tb\n        c", "3:0-3:8 inconsistent use of tabs and spaces "
                                "in indentation"},
      {"try:\n  a\nb", "3:0-3:1 expected 'except' or 'finally' block"},
      {"else: a", "1:0-1:4 invalid syntax"},
  });
}

TEST(SyntaxErrors, Literals) {
  expectErrors({
      {"x = 'abc", "1:4-1:5 unterminated string literal (detected at line 1)"},
      {"x = '''a\nb", "1:4-1:5 unterminated triple-quoted string literal "
                      "(detected at line 2)"},
      {"x = 012", "1:4-1:7 leading zeros in decimal integer literals are not "
                  "permitted; use an 0o prefix for octal integers"},
      {"0b12", "1:3-1:4 invalid digit '2' in binary literal"},
      {"1_", "1:1-1:2 invalid decimal literal"},
      {"'\\N{bogus}'", "1:0-1:11 (unicode error) unknown Unicode character "
                       "name"},
      {"b'\xC3\xA9'", "1:0-1:5 bytes can only contain ASCII literal "
                      "characters"},
      {"'a' b'c'", "1:0-1:8 cannot mix bytes and nonbytes literals"},
      {"x = \xE2\x82\xAC", "1:4-1:7 invalid character '\xE2\x82\xAC' (U+20AC)"},
      {"x = \xC2\xA0y", "1:4-1:6 invalid non-printable character U+00A0"},
      {"a \\ b", "1:2-1:3 unexpected character after line continuation "
                 "character"},
  });
}

TEST(SyntaxErrors, FormattedStrings) {
  expectErrors({
      {"f'{}'", "1:3-1:4 f-string: valid expression required before '}'"},
      {"f'{a'", "1:4-1:5 f-string: expecting '}'"},
      {"f'a}'", "1:3-1:4 f-string: single '}' is not allowed"},
      {"f'{a!x}'", "1:5-1:6 f-string: invalid conversion character 'x': "
                   "expected 's', 'r', or 'a'"},
      {"f'{lambda x: 1}'", "1:3-1:9 f-string: lambda expressions are not "
                           "allowed without parentheses"},
      {"t'{}'", "1:3-1:4 t-string: valid expression required before '}'"},
      {"t'a' 'b'", "1:0-1:8 cannot mix t-string literals with string or bytes "
                   "literals"},
  });
}

TEST(SyntaxErrors, Targets) {
  expectErrors({
      {"f() = 1", "1:0-1:3 cannot assign to function call here: maybe you "
                  "meant '==' instead of '='?"},
      {"None = 1", "1:0-1:4 cannot assign to None"},
      {"a, 1 = b", "1:3-1:4 cannot assign to literal"},
      {"f() += 1", "1:0-1:3 'function call' is an illegal expression for "
                   "augmented assignment"},
      {"a, b: int", "1:0-1:4 only single target (not tuple) can be annotated"},
      {"del f()", "1:4-1:7 cannot delete function call"},
      {"for 1 in a: pass", "1:4-1:5 cannot assign to literal"},
      {"if a = 1: b", "1:5-1:6 invalid syntax: maybe you meant '==' or ':=' "
                      "instead of '='?"},
      {"(a.b := 1)", "1:1-1:4 cannot use assignment expressions with "
                     "attribute"},
  });
}

TEST(SyntaxErrors, Arguments) {
  expectErrors({
      {"f(a=1, b)", "1:7-1:8 positional argument follows keyword argument"},
      {"f(**a, *b)", "1:7-1:8 iterable argument unpacking follows keyword "
                     "argument unpacking"},
      {"f(x for x in y, 1)", "1:2-1:14 generator expression must be "
                             "parenthesized"},
      {"f(a.b=1)", "1:2-1:6 expression cannot contain assignment, perhaps you "
                   "meant \"==\"?"},
      {"def f(a=1, b): c", "1:11-1:12 parameter without a default follows "
                           "parameter with a default"},
      {"def f(*): c", "1:6-1:7 named arguments must follow bare *"},
      {"lambda *a, *b: c", "1:11-1:12 * argument may appear only once"},
  });
}

TEST(SyntaxErrors, Statements) {
  expectErrors({
      {"print 'a'", "1:0-1:5 missing parentheses in call to 'print': did you "
                    "mean print(...)?"},
      {"from a import b,", "1:16-1:17 trailing comma not allowed without "
                           "surrounding parentheses"},
      {"a if b", "1:0-1:4 expected 'else' after 'if' expression"},
      {"match a:\n  case b(c=1, d): e", "2:14-2:15 positional patterns follow "
                                        "keyword patterns"},
      {"try: a\nexcept b, c as d: e", "2:7-2:11 multiple exception types must "
                                      "be parenthesized when using 'as'"},
      {"a $ b", "1:2-1:3 invalid syntax"},
  });
}

TEST(SyntaxErrors, RendersWithIdAndCaret) {
  Diagnostics diags;
  syntax::parseModule(Source::create("a.py", "x = (1 2)\n", 7), diags);
  EXPECT_EQ(diags.render(),
            "a.py:7:8: error: invalid syntax: perhaps you forgot a comma? "
            "[syntax]\n    x = (1 2)\n           ^\n");
}

TEST(SyntaxErrors, Bytes) {
  EXPECT_EQ(errorOf(std::string("a\0b", 3)),
            "1:1-1:2 source code cannot contain null bytes");
  EXPECT_EQ(errorOf("a = '\xFF'"),
            "1:5-1:6 (unicode error) 'utf-8' codec can't decode byte 0xff");
  EXPECT_EQ(errorOf("# coding: bogus\n"), "1:0-1:1 unknown encoding: bogus");
  // The columns after a byte order mark are those of the text without it.
  EXPECT_EQ(errorOf("\xEF\xBB\xBF"
                    "a $"),
            "1:2-1:3 invalid syntax");
}

std::string repeat(const char *text, int count) {
  std::string result;
  while (count-- > 0)
    result += text;
  return result;
}

// Neither the parser nor a walk over its tree may exhaust the stack.
TEST(SyntaxErrors, DeepNesting) {
  constexpr int many = 50000;
  for (const char *text : {"(",
                           "[",
                           "{",
                           "f(",
                           "-",
                           "not ",
                           "lambda: ",
                           "a if b else ",
                           "a**",
                           "a.",
                           "a+",
                           "f'{",
                           "x = ",
                           "await ",
                           "a[",
                           "{a: ",
                           "*",
                           "a and not ",
                           "yield ",
                           "a: b = ",
                           "[a for b in ",
                           "with (",
                           "match "})
    EXPECT_NE(errorOf(repeat(text, many)), "none") << text;
  EXPECT_EQ(errorOf(repeat("(", 201)).substr(6), "1:201 too many nested "
                                                 "parentheses");
  EXPECT_EQ(errorOf("a" + repeat("+a", many)).substr(0, 2), "1:");
  EXPECT_EQ(errorOf("a" + repeat(".b", many)).substr(0, 2), "1:");
  EXPECT_EQ(errorOf("a" + repeat("()", many)).substr(0, 2), "1:");
  EXPECT_EQ(errorOf("if a: b\n" + repeat("elif c: d\n", many)).substr(0, 4),
            "1000");
  // Width is no depth.
  EXPECT_EQ(errorOf("a = [" + repeat("b.c.d + e.f(), ", many) + "]"), "none");
  EXPECT_EQ(errorOf("a" + repeat(" and b.c", many)), "none");
  EXPECT_EQ(errorOf(repeat("a.b.c\n", many)), "none");
}

} // namespace
