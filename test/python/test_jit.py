"""What the decorator makes of a function, before it is launched."""

import ast
import copy
import gc
import os
import pickle
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
import tesela
import tesela.language as tl
from conftest import define


@tesela.jit
def plain(x_ptr, n, BLOCK: tl.constexpr, scale=1.0):
    """Says what it does."""
    tl.store(x_ptr + tl.arange(0, BLOCK), scale)


@tesela.jit(do_not_specialize=["n"], noinline=True, debug=False,
            repr=lambda spec: "renamed")
def with_options(n):
    pass


def test_attributes():
    assert plain.__name__ == "plain"
    assert plain.__module__ == __name__
    assert plain.__doc__ == "Says what it does."
    assert plain.arg_names == ["x_ptr", "n", "BLOCK", "scale"]
    assert plain.constexprs == [2]
    assert plain.fn.__name__ == "plain"
    assert plain.src.startswith("def plain(x_ptr, n, BLOCK")
    assert plain.src.endswith("scale)\n")
    assert [p.has_default for p in plain.params] == [False] * 3 + [True]
    assert list(plain.signature.parameters) == plain.arg_names
    assert len(plain.cache_key) == 64
    assert isinstance(plain, tesela.JITFunction)
    assert isinstance(plain, tesela.KernelInterface)
    assert with_options.noinline
    assert with_options.repr(None) == "renamed"
    assert plain.repr(None) == "plain"
    assert repr(plain) == "JITFunction(test_jit:plain)"


def test_string_annotations_count():
    scope = define("from __future__ import annotations\n"
                   "@tesela.jit\n"
                   "def kernel(n, BLOCK: tl.constexpr, other: int): pass\n")
    assert scope["kernel"].constexprs == [1]


def test_calling_it_is_an_error():
    with pytest.raises(RuntimeError, match=r"launch it as a kernel, `plain\["):
        plain(1, 2)


def test_decorating_something_else_is_an_error():
    with pytest.raises(TypeError, match="decorates a function, not int"):
        tesela.jit(3)
    with pytest.raises(TypeError, match=r"takes `\*args`"):
        tesela.jit(define("def kernel(*args): pass\n")["kernel"])
    with pytest.raises(TypeError, match="unknown_option"):
        tesela.jit(unknown_option=1)(plain.fn)


def test_decorating_twice_is_decorating_once():
    assert tesela.jit(plain).fn is plain.fn


def test_text_is_that_of_the_decoration(tmp_path):
    file = tmp_path / "kernels_on_disk.py"
    file.write_text("import tesela\n\n@tesela.jit\ndef first(x):\n    pass\n")
    scope = {"__name__": "kernels_on_disk"}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    file.write_text("something else\n" * 9)
    assert scope["first"].src == "def first(x):\n    pass\n"


def test_text_ends_with_the_function():
    scope = define(
        "if True:\n"
        "    @tesela.jit\n"
        "    def kernel(x):\n"
        "        # ends here\n"
        "        pass\n"
        "\n"
        "    other = 1\n"
    )
    assert scope["kernel"]._text.read() == (
        "    @tesela.jit\n    def kernel(x):\n        # ends here\n"
        "        pass\n"
    )


def test_without_a_text_it_is_an_error():
    source = "@tesela.jit\ndef kernel(x): pass\n"
    with pytest.raises(ValueError, match="source of `kernel` is not available"):
        exec(source, {"__name__": "nowhere", "tesela": tesela})


def test_interactive_definition_is_a_clear_error_or_works():
    """Python keeps the text of what is typed from 3.13 on."""
    result = subprocess.run(
        [sys.executable, "-i", "-c", ""], text=True, capture_output=True,
        input="import tesela\n@tesela.jit\ndef kernel(x):\n    pass\n\n"
              "print('made', kernel)\n",
    )
    assert ("jit functions have to be defined in a file" in result.stderr
            or "made JITFunction" in result.stdout)


def test_copies_and_pickles_are_the_same_object():
    assert copy.deepcopy(plain) is plain
    assert copy.copy(plain) is plain
    assert pickle.loads(pickle.dumps(plain)) is plain


def test_function_local_kernels_are_collected():
    def make():
        scope = define("@tesela.jit\ndef kernel(x):\n    kernel\n")
        return weakref.ref(scope["kernel"])

    kernel = make()
    gc.collect()
    assert kernel() is None


def test_a_launched_kernel_is_collected():
    scope = define("@tesela.jit\ndef kernel(x):\n    tl.store(x, 1)\n")
    kernel, grid, x = scope["kernel"], (1,), np.zeros(1, dtype=np.int32)
    kernel[grid](x)
    assert x[0] == 1
    # The same object for the same grid, which then lives on in it.
    assert kernel[grid] is kernel[grid]
    assert kernel[[1]] is not kernel[grid]
    known = weakref.ref(kernel)
    del scope, kernel
    gc.collect()
    assert known() is None


def test_a_grid_that_holds_more_than_extents_is_not_kept():
    class Held:
        pass

    held = Held()
    known = weakref.ref(held)
    grid = lambda meta, held=held: (1,)
    x = np.zeros(1, dtype=np.int32)
    plain[grid](x, 1, 1)
    del held, grid
    assert known() is None


def test_constexpr_function_runs_in_python():
    @tesela.constexpr_function
    def double(x):
        return 2 * x

    assert double(4) == 8
    assert double(tl.constexpr(4)) == 8


def test_import_loads_no_array_library():
    code = ("import sys, tesela; "
            "print([m for m in ('torch', 'numpy', 'inspect', 'triton') "
            "if m in sys.modules])")
    result = subprocess.run([sys.executable, "-c", code], text=True,
                            capture_output=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.slow
def test_import_takes_little_time():
    code = ("import time; begin = time.process_time(); import tesela; "
            "print((time.process_time() - begin) * 1e3)")
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    times = [
        float(subprocess.run([sys.executable, "-c", code], text=True,
                             capture_output=True, check=True,
                             env=environment).stdout)
        for _ in range(5)
    ]
    assert min(times) < 40


def test_text_ends_where_python_says():
    """For every function of some files of the standard library."""
    folder = Path(os.__file__).parent
    seen = 0
    for file in sorted(folder.glob("*.py"))[::4]:
        text = file.read_text(encoding="utf-8")
        lines = text.splitlines(True)
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            first = min([node.lineno]
                        + [d.lineno for d in node.decorator_list]) - 1
            found = tesela._binding.function_lines("".join(lines[first:]))
            assert found == "".join(lines[first:node.end_lineno]), node.name
            seen += 1
    assert seen > 500


@pytest.mark.parametrize("text, lines", [
    ("", 0), ("\n\n", 0), ("# only a comment\n", 0), ("@decorator\n", 1),
    ("def f(): return 1\nother = 2\n", 1),
    ("def f():\n  return (1,\n2)\n", 3), ("def f():\n    return 1", 2),
    ("    def f():\n        pass\n    x = 1\n", 2),
    ("        def f():\n            pass\n    x = 1\n", 2),
    ("def f():\n    '''a\nb\n'''\n# outside\n\n    # inside\n    pass\nx\n", 8),
    ("def f(:\n    return $\nx = 1\n", 3), ("def f():\n    (\nx = 1\n", 3),
])
def test_lines_of_a_function(text, lines):
    found = tesela._binding.function_lines(text)
    assert found == "".join(text.splitlines(True)[:lines])
