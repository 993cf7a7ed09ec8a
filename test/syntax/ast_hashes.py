"""Hashes of the trees that this Python's `ast` gives, for files named on stdin.

Prints for each file `ok MD5`, `error MESSAGE`, or `limit` where the tree is
too deep for this Python. The hashed text is that of `ast.dump(tree,
include_attributes=True)` of Python 3.13 with strings as `ascii` writes them;
what older versions do otherwise is brought into that form or, where positions
are wrong or missing, left out:

  3.8     no positions of slices and keywords, no ends; Index and ExtSlice
  3.8-9   no positions of aliases
  3.8-11  no positions within f-strings
  3.12    no empty constants in format specifiers
"""

import ast
import gc
import hashlib
import sys
import threading
import warnings

VERSION = sys.version_info[:2]
SKIPPED_FIELDS = {"type_comment", "type_ignores"}

# The only field that may hold None and is printed then.
SHOWN_NONE = {("Constant", "value"), ("MatchSingleton", "value")}


class Dumper(dict):
    """Maps each class of nodes to a function that writes one, which is made
    from source text when the class is first seen: that is twice as fast as
    looking at fields by name."""

    def __init__(self):
        self.parts = []
        self.spans = True

    def dump(self, tree):
        self.parts.clear()
        self[tree.__class__](tree)
        return "".join(self.parts)

    def list(self, values):
        put = self.parts.append
        separator = "["
        for value in values:
            put(separator)
            separator = ", "
            self[value.__class__](value)
        put("]")

    def __missing__(self, cls):
        name = cls.__name__
        if not issubclass(cls, ast.AST):
            write = self.list if cls is list else self.write_plain
        elif name == "Index" and VERSION < (3, 9):
            write = self.write_index
        elif name == "ExtSlice" and VERSION < (3, 9):
            write = self.write_ext_slice
        else:
            write = self.compile(cls)
        self[cls] = write
        return write

    def write_plain(self, value):
        self.parts.append(ascii(value))

    def write_index(self, node):
        self[node.value.__class__](node.value)

    def write_ext_slice(self, node):
        self.parts.append("Tuple(elts=")
        self.list(node.dims)
        self.parts.append(", ctx=Load())")

    def compile(self, cls):
        name = cls.__name__
        fields = [field for field in cls._fields if field not in SKIPPED_FIELDS]
        has_spans = bool(cls._attributes)
        if name == "alias" and VERSION < (3, 10):
            has_spans = False
        if name in ("Slice", "keyword") and VERSION < (3, 9):
            has_spans = False
        if not fields and not has_spans:
            text = name + "()"
            return lambda node: self.parts.append(text)
        hides_spans = name == "JoinedStr" and VERSION < (3, 12)

        # Each field ends in a separator, which the end of the node replaces.
        code = ["def write(node):", f"  put({name + '('!r})"]
        if hides_spans:
            code += ["  outer = self.spans", "  self.spans = False"]
        for field in fields:
            code += [f"  v = node.{field}"]
            if name == "JoinedStr" and VERSION == (3, 12):
                code += ["  v = [x for x in v if getattr(x, 'value', 0) != '']"]
            if (name, field) in SHOWN_NONE:
                code += [f"  put({field + '='!r} + ascii(v) + ', ')"]
                continue
            code += [
                "  if v is not None and v != []:",
                f"    put({field + '='!r})",
                "    self[v.__class__](v)",
                "    put(', ')",
            ]
        if hides_spans:
            code += ["  self.spans = outer"]
        if has_spans and VERSION < (3, 9):
            code += [
                "  if self.spans:",
                "    put('lineno=%d, col_offset=%d)' % (node.lineno,",
                "        node.col_offset))",
                "    return",
            ]
        elif has_spans:
            code += [
                "  if self.spans:",
                "    put('lineno=%d, col_offset=%d, end_lineno=%d, '",
                "        'end_col_offset=%d)' % (node.lineno, node.col_offset,",
                "        node.end_lineno, node.end_col_offset))",
                "    return",
            ]
        code += [
            "  if parts[-1] == ', ':",
            "    parts[-1] = ')'",
            "  elif parts[-1].endswith(', '):",
            "    parts[-1] = parts[-1][:-2] + ')'",
            "  else:",
            "    put(')')",
        ]
        scope = {"self": self, "parts": self.parts, "put": self.parts.append}
        exec("\n".join(code), scope)
        return scope["write"]


def result_of(path, dumper):
    with open(path, "rb") as file:
        source = file.read()
    try:
        tree = ast.parse(source, path)
    except (SyntaxError, ValueError) as error:
        return "error " + ascii(str(error))
    except (RecursionError, MemoryError):
        return "limit"
    if not hasattr(sys, "set_int_max_str_digits"):
        return dumper.dump(tree)
    # A hexadecimal literal may be longer than what can be printed by default.
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    text = dumper.dump(tree)
    sys.set_int_max_str_digits(limit)
    return text


def main():
    warnings.simplefilter("ignore")
    # Trees have no cycles; looking for them takes a third of the time.
    gc.disable()
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
