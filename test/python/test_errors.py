"""Wrong kernels: what the exception says, and that nothing was written."""

import pickle

import numpy as np
import pytest
import tesela
import tesela.language as tl
from conftest import define


def fails(body: str, parameters="out_ptr", args=(), before="", **constants):
    """Launches a kernel that must not compile; gives the exception."""
    scope = define(
        f"{before}@tesela.jit\ndef kernel({parameters}):\n"
        + "".join(f"    {line}\n" for line in body.splitlines())
    )
    out = np.full(16, 7, dtype=np.int32)
    with pytest.raises(tesela.CompileError) as caught:
        scope["kernel"][1](out, *args, **constants)
    assert (out == 7).all()
    return caught.value


def test_diagnostics_have_places():
    error = fails("tl.store(out_ptr, missing_name)")
    (diagnostic,) = [d for d in error.diagnostics if d.severity == "error"]
    assert diagnostic.id == "undefined-name"
    assert (diagnostic.line, diagnostic.column) == (3, 23)
    assert diagnostic.file.startswith("<cell ")
    assert "missing_name" in diagnostic.text
    assert "^" in diagnostic.rendered
    assert f"{diagnostic.file}:3:23: error: " in str(error)
    assert "tl.store(out_ptr, missing_name)" in str(error)


def test_lines_are_those_of_the_file():
    error = fails("tl.store(out_ptr, missing)", before="\n\n# a comment\n")
    assert error.diagnostics[0].line == 6


def test_calls_are_in_the_notes():
    error = fails(
        "tl.store(out_ptr, inner(3))",
        before="@tesela.jit\ndef inner(x):\n    return x + missing\n",
    )
    assert error.diagnostics[0].line == 3
    assert "note" in str(error) and "inner(3)" in str(error)


@pytest.mark.parametrize("body, id", [
    ("tl.store(out_ptr, tl.nothing(3))", "unknown-attribute"),
    ("tl.store(out_ptr, tl.arange(0, 3))", "power-of-two"),
    ("x = tl.arange(0, 4) + tl.arange(0, 8)", "shape-mismatch"),
    ("tl.static_assert(False, 'never')", "static-assert"),
    ("tl.dot(tl.zeros((16, 16), tl.float32), tl.zeros((32, 16), tl.float32))",
     "dot-shape"),
    ("tl.load(out_ptr, maks=True)", "call-arguments"),
    ("import os", "unsupported-python"),
])
def test_kinds_of_errors(body, id):
    assert fails(body).diagnostics[0].id == id


@pytest.mark.parametrize("value, what", [
    ([1, 2], "a list"),
    ({}, "a dict"),
    (object(), "a value of type `object`"),
    (lambda: 1, "the Python function `<lambda>`"),
    (np.zeros(3), "a value of type `numpy.ndarray`"),
])
def test_captured_values_that_kernels_cannot_use(value, what):
    scope = define("@tesela.jit\n"
                   "def kernel(out_ptr):\n"
                   "    tl.store(out_ptr, captured)\n", captured=value)
    out = np.zeros(1, dtype=np.int32)
    with pytest.raises(tesela.CompileError) as caught:
        scope["kernel"][1](out)
    assert "`captured`" in str(caught.value)
    assert what in str(caught.value)


def test_a_wrong_kernel_can_be_mended(monkeypatch):
    scope = define("@tesela.jit\n"
                   "def kernel(out_ptr):\n"
                   "    tl.store(out_ptr, VALUE)\n")
    out = np.zeros(1, dtype=np.int32)
    with pytest.raises(tesela.CompileError, match="VALUE"):
        scope["kernel"][1](out)
    scope["VALUE"] = 3
    scope["kernel"][1](out)
    assert out[0] == 3


def test_the_exception_can_be_pickled():
    error = fails("missing")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)


def test_texts_that_are_no_utf8():
    """A string of a kernel may hold what no file may."""
    error = fails("tl.static_assert(False, 'a\\ud800\\x00b')")
    assert error.diagnostics[0].id == "static-assert"
    assert error.diagnostics[0].text.endswith("a\\xed\\xa0\\x80\0b")
    assert (error.diagnostics[0].line, error.diagnostics[0].column) == (3, 22)


def test_static_print_of_what_is_no_utf8(capsys):
    scope = define("@tesela.jit\n"
                   "def kernel(out_ptr):\n"
                   "    tl.static_print('a\\udc80\\x00b')\n")
    scope["kernel"][1](np.zeros(1, dtype=np.int32))
    assert capsys.readouterr().out == "a\\xed\\xb2\\x80\0b\n"


def test_static_print_goes_to_the_standard_output(capsys):
    scope = define("@tesela.jit\n"
                   "def kernel(out_ptr, N: tl.constexpr):\n"
                   "    tl.static_print('N is', N)\n"
                   "    tl.store(out_ptr, N)\n")
    scope["kernel"][1](np.zeros(1, dtype=np.int32), 41)
    assert capsys.readouterr().out == "N is 41\n"


def test_unknown_device():
    with pytest.raises(ValueError, match="abacus"):
        tesela.set_device("abacus")


def test_device_is_restored():
    from tesela import _binding

    before = _binding.device_name()
    with tesela.device("interp"):
        assert _binding.device_name() == "interp"
    assert _binding.device_name() == before
