"""Files that were nearly Python: pieces of a library, changed at random.

The seed is fixed, so that a failure comes again."""

import random
import re

TOKEN = re.compile(
    rb"\w+|[ \t]+|\n|\"\"\"|'''|\*\*=?|//=?|>>=?|<<=?|[-+*/%@&|^=<>!:]=|->|\.\.\.|.",
    re.S)

SPLICES = [
    b"(", b")", b"[", b"]", b"{", b"}", b":", b",", b";", b"=", b":=", b"*",
    b"**", b".", b"...", b"->", b"@", b"!", b"~", b"-", b"\\\n", b"\n", b" ",
    b"\t", b"    ", b"\f", b"#", b"'", b'"', b'"""', b"f'", b"rb'", b"f'''",
    b"{x!r:>{w}}", b"\\", b"\\N{DASH}", b"\\x", b"0x", b"1_", b"09", b"1e", b"1j",
    b" if ", b" else ", b" for x in y", b" async ", b" await ", b" lambda ",
    b" yield ", b" not ", b" in ", b" is ", b" and ", b"match ", b"case ",
    b"type ", b"_", b"*a, ", b"**k, ", b"a=1, ", b" as b", b" from ", b"import ",
    b"print ", b"None", b"True = ", b"del ", b"return ", b"except* ", b"except ",
    b"finally:", b"else:", b"elif ", b"with (a as b):", b"global ", b"class A[T]:",
    b"def f(a, /, *, b):", b"\xc3\xa9", b"\xef\xac\x81", b"\x00", b"$", b"?",
]


def piece(text: bytes, random_: random.Random) -> bytes:
    """Some lines that begin where a statement may, so that most are Python."""
    starts = [0] + [m.start() for m in re.finditer(rb"^(?=[a-zA-Z@])", text, re.M)]
    begin = random_.choice(starts)
    later = [s for s in starts if begin < s]
    end = later[min(len(later) - 1, random_.randrange(6))] if later else len(text)
    return text[begin:end][:4000]


def mutate(text: bytes, random_: random.Random) -> bytes:
    tokens = TOKEN.findall(text)
    for _ in range(random_.choice([1, 1, 1, 2, 3])):
        if not tokens:
            break
        at = random_.randrange(len(tokens))
        kind = random_.randrange(7)
        if kind == 0:
            del tokens[at]
        elif kind == 1:
            tokens.insert(at, random_.choice(SPLICES))
        elif kind == 2:
            tokens[at] = random_.choice(SPLICES)
        elif kind == 3:
            tokens.insert(at, random_.choice(tokens))
        elif kind == 4:
            other = random_.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif kind == 5:
            del tokens[at:at + random_.randrange(1, 5)]
        else:
            # Beyond ASCII, Python judges a file and a string differently.
            tokens[at] = bytes([random_.randrange(128)]) + tokens[at][1:]
    return b"".join(tokens)


def mutants(files: list[str], count: int, seed: int = 1) -> list[bytes]:
    random_ = random.Random(seed)
    texts = {}
    result = []
    while len(result) < count:
        file = random_.choice(files)
        if file not in texts:
            with open(file, "rb") as opened:
                texts[file] = opened.read()
        result.append(mutate(piece(texts[file], random_), random_))
    return result
