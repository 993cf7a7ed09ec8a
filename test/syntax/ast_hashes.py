"""Hashes of the trees that this Python's `ast` gives, for files named on stdin.

Prints for each file `ok MD5`, `error MESSAGE`, or `limit` where the tree is
too deep for this Python. The hashed text is that of `ast.dump(tree,
include_attributes=True)` of Python 3.13 with strings as `ascii` writes them;
what older versions do otherwise is brought into that form or, where positions
are wrong or missing, left out:

  3.8     no positions of slices; Index and ExtSlice
  3.8-9   no positions of aliases
  3.8-11  no positions within f-strings
"""

import ast
import hashlib
import sys
import threading
import warnings

VERSION = sys.version_info[:2]
POSITIONS = [", lineno=", ", col_offset=", ", end_lineno=", ", end_col_offset="]
ATTRIBUTES = ("lineno", "col_offset", "end_lineno", "end_col_offset")

SKIPPED_FIELDS = {"type_comment", "type_ignores"}


class Dumper:
    def __init__(self):
        self.in_fstring = 0
        self.parts = []
        self.info = {}

    def describe(self, cls):
        """The fields of a class with their labels, whether it has positions,
        and its whole text where it has neither."""
        fields = [(f, f + "=") for f in cls._fields if f not in SKIPPED_FIELDS]
        positions = bool(cls._attributes)
        if cls is ast.alias and VERSION < (3, 10):
            positions = False
        if cls is ast.Slice and VERSION < (3, 9):
            positions = False
        leaf = cls.__name__ + "()" if not fields and not positions else None
        result = self.info[cls] = (cls.__name__ + "(", fields, positions, leaf)
        return result

    def dump(self, tree):
        self.parts = []
        self.node(tree)
        return "".join(self.parts)

    def node(self, n):
        cls = n.__class__
        info = self.info.get(cls) or self.describe(cls)
        name, fields, positions, leaf = info
        put = self.parts.append
        if leaf is not None:
            put(leaf)
            return
        if cls is INDEX:
            self.node(n.value)
            return
        put(name)
        if cls is EXT_SLICE:
            self.parts[-1] = "Tuple(elts="
            self.list(n.dims)
            put(", ctx=Load())")
            return
        separator = ""
        is_fstring = cls is ast.JoinedStr and VERSION < (3, 12)
        self.in_fstring += is_fstring
        is_constant = cls is ast.Constant or cls is MATCH_SINGLETON
        for field, label in fields:
            value = getattr(n, field)
            if is_constant and field == "value":
                put("value=" + ascii(value))
            elif value is None:
                continue
            else:
                kind = value.__class__
                if kind is list:
                    if not value:
                        continue
                    put(separator + label)
                    self.list(value)
                elif kind is str:
                    put(separator + label + ascii(value))
                elif kind is int:
                    put(separator + label + str(value))
                else:
                    put(separator + label)
                    self.node(value)
            separator = ", "
        self.in_fstring -= is_fstring
        if positions and not self.in_fstring:
            text = ", lineno=%d, col_offset=%d, end_lineno=%d, end_col_offset=%d)" % (
                n.lineno, n.col_offset, n.end_lineno, n.end_col_offset)
            put(text if separator else text[2:])
        else:
            put(")")

    def list(self, values):
        put = self.parts.append
        put("[")
        first = True
        for value in values:
            if not first:
                put(", ")
            first = False
            if isinstance(value, ast.AST):
                self.node(value)
            else:
                put(ascii(value))
        put("]")


# `ast.Index` still exists in later versions, but no tree has one.
INDEX = ast.Index if VERSION < (3, 9) else None
EXT_SLICE = ast.ExtSlice if VERSION < (3, 9) else None
MATCH_SINGLETON = getattr(ast, "MatchSingleton", None)


def result_of(path, dumper):
    with open(path, "rb") as file:
        source = file.read()
    try:
        tree = ast.parse(source, path)
    except (SyntaxError, ValueError) as error:
        return "error " + ascii(str(error))
    except (RecursionError, MemoryError):
        return "limit"
    return dumper.dump(tree)


def main():
    warnings.simplefilter("ignore")
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(1 << 20)
    dumper = Dumper()
    if sys.argv[1:2] == ["--dump"]:
        print(result_of(sys.argv[2], dumper))
        return
    for line in sys.stdin:
        text = result_of(line.rstrip("\n"), dumper)
        if not text.startswith(("error", "limit")):
            text = "ok " + hashlib.md5(text.encode()).hexdigest()
        print(text, flush=True)


if __name__ == "__main__":
    # Trees of deep nesting need a deep stack.
    sys.setrecursionlimit(100000)
    threading.stack_size(512 << 20)
    thread = threading.Thread(target=main)
    thread.start()
    thread.join()
