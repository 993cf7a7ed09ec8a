#!/usr/bin/env python3
"""Writes src/syntax/UnicodeTables.inc from this Python's unicodedata.

Run with the newest Python at hand:

    python3.13 tools/dev/unicode_tables.py > src/syntax/UnicodeTables.inc

Tables: ranges of identifier characters; what normal form KC needs for them
(compatibility decompositions, combining classes, compositions), where Hangul
is left to arithmetic; and the abbreviations that are names in `\\N{...}`.
"""

import sys
import unicodedata as ud

HANGUL = range(0xAC00, 0xAC00 + 11172)

# Names of control and format characters that LLVM's table lacks. VS1 to VS256
# are left to arithmetic.
ABBREVIATIONS = """
NUL SOH STX ETX EOT ENQ ACK BEL BS HT TAB LF NL EOL VT FF CR SO SI DLE DC1 DC2
DC3 DC4 NAK SYN ETB CAN EOM EM SUB ESC FS GS RS US SP DEL PAD HOP BPH NBH IND
NEL SSA ESA HTS HTJ VTS PLD PLU RI SS2 SS3 DCS PU1 PU2 STS CCH MW SPA EPA SOS
SGC SCI CSI ST OSC PM APC NBSP SHY CGJ ALM FVS1 FVS2 FVS3 FVS4 MVS ZWSP
ZWNJ ZWJ LRM RLM LRE RLE PDF LRO RLO NNBSP MMSP WJ LRI RLI FSI PDI ZWNBSP BOM
""".split() + ["PADDING CHARACTER", "HIGH OCTET PRESET",
               "SINGLE GRAPHIC CHARACTER INTRODUCER"]


def ranges(holds):
    """The code points for which `holds`, as inclusive [first, last] pairs."""
    result, first = [], None
    for c in range(0x110001):
        if c < 0x110000 and not 0xD800 <= c < 0xE000 and holds(chr(c)):
            if first is None:
                first = c
        elif first is not None:
            result.append((first, c - 1))
            first = None
    return result


def rows(items, width=78):
    line = " "
    for item in items:
        if len(line) + len(item) + 2 > width:
            print(line)
            line = " "
        line += " " + item + ","
    print(line)


def table(declaration, items):
    print(f"static const {declaration} = {{")
    rows(items)
    print("};\n")


def is_start(c):
    return c.isidentifier()


def is_continue(c):
    return ("a" + c).isidentifier()


def main():
    print(f"// Unicode {ud.unidata_version}; written by "
          "tools/dev/unicode_tables.py, not by hand.\n")
    table("Range startRanges[]",
          (f"{{0x{a:X}, 0x{b:X}}}" for a, b in ranges(is_start)))
    table("Range continueRanges[]", (
        f"{{0x{a:X}, 0x{b:X}}}"
        for a, b in ranges(lambda c: is_continue(c) and not is_start(c))))

    # Full decompositions to one code point as ranges, which often go up
    # together; longer ones end to end in a pool, by offset and length.
    singles, index, pool, seen = [], [], [], {}
    for c in map(chr, range(0x110000)):
        if 0xD800 <= ord(c) < 0xE000 or ord(c) in HANGUL or not is_continue(c):
            continue
        text = ud.normalize("NFKD", c)
        if text == c:
            continue
        if len(text) == 1:
            first, last, target = singles[-1] if singles else (0, -2, 0)
            if last == ord(c) - 1 and target + ord(c) - first == ord(text):
                singles[-1] = (first, ord(c), target)
            else:
                singles.append((ord(c), ord(c), ord(text)))
            continue
        if text not in seen:
            seen[text] = len(pool)
            pool.extend(map(ord, text))
        index.append((ord(c), seen[text], len(text)))
    table("MappedRange mappedRanges[]",
          (f"{{0x{a:X}, 0x{b:X}, 0x{t:X}}}" for a, b, t in singles))
    table("Decomposition decompositions[]",
          (f"{{0x{c:X}, {at}, {n}}}" for c, at, n in index))
    table("uint32_t decompositionPool[]", (f"0x{c:X}" for c in pool))

    classes = {}
    for c in map(chr, range(0x110000)):
        if ud.combining(c):
            classes[ord(c)] = ud.combining(c)
    spans = []
    for c, k in sorted(classes.items()):
        if spans and spans[-1][1] == c - 1 and spans[-1][2] == k:
            spans[-1][1] = c
        else:
            spans.append([c, c, k])
    table("CombiningRange combiningRanges[]",
          (f"{{0x{a:X}, 0x{b:X}, {k}}}" for a, b, k in spans))

    pairs = []
    for c in map(chr, range(0x110000)):
        if ord(c) in HANGUL or 0xD800 <= ord(c) < 0xE000:
            continue
        parts = ud.decomposition(c).split()
        if len(parts) != 2 or parts[0].startswith("<"):
            continue
        a, b = (chr(int(p, 16)) for p in parts)
        # Excluded from composition where the pair does not compose.
        if ud.normalize("NFC", a + b) == c:
            pairs.append((ord(a), ord(b), ord(c)))
    pairs.sort()
    table("Composition compositions[]",
          (f"{{0x{a:X}, 0x{b:X}, 0x{c:X}}}" for a, b, c in pairs))

    table("NamedCodePoint abbreviations[]",
          (f'{{"{name}", 0x{ord(ud.lookup(name)):X}}}'
           for name in sorted(ABBREVIATIONS)))


if __name__ == "__main__":
    sys.exit(main())
