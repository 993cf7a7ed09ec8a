"""Hard syntax, right and wrong. The newest CPython says which is which.

Each line of `snippets/*.txt` is a file of its own; `\\n` and the like are
escapes, so that one line can be a file of several."""

from pathlib import Path


def lines(name: str) -> list[str]:
    block = (Path(__file__).parent / "snippets" / f"{name}.txt").read_bytes()
    return [line.decode("unicode_escape") for line in block.splitlines() if line]


LEXICAL = [
    "", "\n", "\n\n", " ", "\t", "\f", "# a", "# a\n", "  # a\n", "\\", "\r",
    "\r\n", "a\r\nb\rc\n", "if a:\r\n  b\r\n", "'''a\r\nb'''", "'a\\\r\nb'",
    "a # b\r\nc", "\ufeffa = 1", "\ufeff", "a\ufeff", "a = 1\x00", "\x00",
    "a\x01b", "\x7f", "a = \x1b", "a\x0cb", "a \x0c b", "\x0b", "\xa0", "a\xa0b",
    "\u2028", "a\u2029", "\u3000a", "\u200b", "\xe9 = 1", "caf\xe9", "\xe9t\xe9",
    "\ufb01 = 1", "\u00b5 = \u03bc", "\U0001d400\U0001d401 = 1", "e\u0301 = 1",
    "\u0301 = 1", "a\u0301\u0323 = 1", "\u1e0b\u0323", "\u0344a", "a\u0344",
    "\ud55c\uae00 = 1", "\u1112\u1161\u11ab = 1", "\u212b = 1", "\u2126 = 1",
    "\uff41 = 1", "\uff08", "\u00aa = 1", "\u00b2 = 1", "a\u00b2 = 1", "\u20ac",
    "a\u00b7b = 1", "\u00b7a = 1", "\u2118 = 1", "\u212e = 1", "\u309b = 1",
    "\u0e33 = 1", "a\u0e33 = 1", "\u037a = 1", "\U0001f600", "\U0001f600 = 1",
    "x = '\U0001f600'; y = 1", "\u05d0\u05b0 = 1", "\u4e2d\u6587 = '\u4e2d'; b = 2",
    "\uf900 = 1", "\U0002f800 = 1", "\uac00\u11a8 = 1", "\u1100\u1161\u11a8\u11a8",
    "def \u017f(): pass", "a.\ufb01", "f(\ufb01=1)", "import \ufb01 as \ufb02",
    "global \ufb01", "\u2160 = 1", "a\u203f b", "a\u203fb = 1", "\u1e9e = 1",
    "# coding: utf-8\na", "# coding: latin-1\na", "# coding: bogus\na",
    "# -*- coding: utf-8 -*-\na", "a\n# coding: bogus\n", "\n# coding: bogus\n",
    "\n\n# coding: bogus\n", "# a\n# coding=ascii\nb", "# vim: set fileencoding=utf-8 :",
    b"# coding: latin-1\n\xe9 = '\xe9'; a = 1\n", b"# coding: iso-8859-15\nx = '\xa4'\n",
    b"# coding: cp1252\nx = '\x80', y\n", b"# coding: ascii\n\xe9\n", b"\xe9 = 1\n",
    b"# coding: utf-8\n\xe9\n", b"'\xff'\n", b"\xef\xbb\xbf# coding: latin-1\na",
    b"\xef\xbb\xbf# coding: utf-8\na = 1", b"\xef\xbb\xbf  a", b"\xef\xbb\xbfif a:\n  b\n",
    b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"a = '\xe2\x82'",
    b"# coding: koi8-r\nx = '\xc1', y\n", b"# coding: shift_jis\nx = '\x82\xa0', y\n",
    b"# coding: euc-jp\nx = '\xa4\xa2', y\n", b"# coding: utf-16\na",
    "(" * 199 + ")" * 199, "(" * 201 + ")" * 201, "[" * 90 + "]" * 90,
    "a" + "[a" * 100 + "]" * 100, "f(" * 100 + ")" * 100, "(\n" * 50 + "a" + "\n)" * 50,
    "".join(" " * i + "if a:\n" for i in range(60)) + " " * 60 + "b\n",
    "".join(" " * i + "if a:\n" for i in range(101)) + " " * 101 + "b\n",
    "-" * 80 + "a", "not " * 80 + "a", "a" + "+a" * 300, "a" + ".b" * 200,
    "a" + "()" * 200, "a" + "**a" * 60, "lambda: " * 60 + "a", "a if b else " * 60 + "c",
    "if a: b\n" + "elif c: d\n" * 200, "a = " * 200 + "b", "a, " * 500,
    "f'{" * 20 + "a" + "}'" * 20, "9" * 4300, "9" * 4301, "0" * 5000, "0x" + "f" * 4000,
    "1_" * 2000 + "1", "1." + "3" * 2000, "1e" + "9" * 50, "0." + "0" * 400 + "1",
    "0" * 100 + ".5", "'" + "a" * 10000 + "'", "'a' " * 500, "a" * 10000,
    "x = (\n  1,\n  2  # c\n\n)\n", "x = [\n# a\n]\n", "f(a,\n  b)\n  \n", "a;b;c;\nd",
    "if a:\n  b\n\n\n\n", "if a:\n  b\n# c", "if a:\n  b\n  # c", "class A:\n  '''d'''\n",
    "def f():\n  '''d'''\n  a\n", "def f(\n  a,\n  b=1,\n):\n  c\n", "a = \\\n  b\n",
    "if a and \\\n   b:\n  c\n", "@a\n# b\n@c\ndef f(): d", "x = {\n  'a': 1,\n  **b,\n}",
    "async def f():\n  await a\n  async for b in c:\n    d\n  else:\n    e\n",
    "try:\n  a\nexcept b:\n  c\nelse:\n  d\nfinally:\n  e\n",
    "def f():\n\treturn 1\n\n\n\tx = 2\n", "if 1:\n        a\n        b\n\tc\n",
]

SNIPPETS = [
    text
    for name in ("expressions", "strings", "fstrings", "statements", "compound",
                 "match")
    for text in lines(name)
] + LEXICAL

# Only Python 3.14 and later can judge these: what is new there, and what older
# versions get wrong.
SNIPPETS_3_14 = lines("since-3.14")
