"""What kernels see outside themselves, and what the decorator is given."""

import os
import subprocess
import sys

import numpy as np
import pytest
import tesela
import tesela.language as tl
from conftest import define

STORE = '''
@tesela.jit
def kernel(out, n):
    tl.store(out, VALUE)
'''


def launch(kernel, *arguments, dtype=np.float64):
    out = np.zeros(1, dtype)
    kernel[(1,)](out, *arguments)
    return out[0]


@pytest.mark.parametrize("value", [
    np.float32(0.1), np.float64(0.1), np.float16(2.5), np.int8(-3),
    np.uint64(2**63), np.bool_(True),
])
def test_scalars_of_numpy_are_numbers(value):
    scope = define(STORE, VALUE=value)
    assert launch(scope["kernel"], 1) == float(value)


def test_arrays_of_numpy_are_refused():
    scope = define(STORE, VALUE=np.zeros(()))
    with pytest.raises(tesela.CompileError, match="numpy.ndarray"):
        launch(scope["kernel"], 1)


def test_a_name_that_appears_later_counts():
    scope = define('''
@tesela.jit
def kernel(out, n):
    tl.store(out, max(n, 10))
''')
    assert launch(scope["kernel"], 3) == 10
    scope["max"] = define("@tesela.jit\ndef other(a, b):\n    return a - b\n"
                          )["other"]
    assert launch(scope["kernel"], 3) == -7
    del scope["max"]
    assert launch(scope["kernel"], 3) == 10


def origin(kernel, n) -> str:
    """Where the code for such an argument comes from."""
    return kernel.compile((np.zeros(1), n), {})[0]


@pytest.mark.parametrize("option, n", [
    ("do_not_specialize", 1), ("do_not_specialize", 16),
    ("do_not_specialize_on_alignment", 16),
])
@pytest.mark.parametrize("listed", [["n"], (1,)])
def test_lists_of_the_decorator_are_evaluated_by_python(option, n, listed):
    text = '''
@tesela.jit(%s)
def kernel(out, n):
    tl.store(out, n)
'''
    kernel = define(text % f"{option}=NAMES", NAMES=listed)["kernel"]
    assert "n" in kernel._listed(getattr(kernel, option))
    assert launch(kernel, 7) == 7
    assert origin(kernel, n) == "memory"


def test_do_not_specialize_on_alignment_still_takes_one_apart():
    kernel = define('''
@tesela.jit(do_not_specialize_on_alignment=["n"])
def kernel(out, n):
    tl.store(out, n)
''')["kernel"]
    assert launch(kernel, 7) == 7
    assert origin(kernel, 1) != "memory"


ROUND = '''
@tesela.jit
def kernel(x_ptr, out_ptr, n, OUT: tl.constexpr):
    at = tl.arange(0, 1024)
    x = tl.load(x_ptr + at, mask=at < n)
    y = x.to(OUT, fp_downcast_rounding="rtz")
    tl.store(out_ptr + at, y.to(x.dtype), mask=at < n)
'''


@pytest.mark.parametrize("device", ["cpu", "interp"])
@pytest.mark.parametrize("source, target, mantissa, smallest", [
    (np.float32, "float16", 10, -14), (np.float32, "bfloat16", 7, -126),
    (np.float64, "float32", 23, -126), (np.float64, "float16", 10, -14),
])
def test_rounding_towards_zero(source, target, mantissa, smallest, device):
    rng = np.random.default_rng(0)
    largest = (2 - 2.0**-mantissa) * 2.0 ** (1 - smallest)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e30, 65519.0,
               65504.0, 1e-7, -1e-7, 2.0**-149, 1.0, -1 - 2.0**-20]
    x = np.concatenate([special, np.exp(rng.uniform(-20, 12, 700))
                        * rng.choice([-1, 1], 700)]).astype(source)
    out = np.zeros_like(x)
    kernel = define(ROUND)["kernel"]
    with tesela.device(device):
        kernel[(1,)](x, out, x.size, OUT=getattr(tl, target))
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        _, exponent = np.frexp(wide)
        unit = np.ldexp(1.0, np.maximum(exponent - 1, smallest) - mantissa)
        want = np.where(np.isfinite(wide), np.trunc(wide / unit) * unit, wide)
        want = np.where(np.isfinite(wide),
                        np.clip(want, -largest, largest), want)
    np.testing.assert_array_equal(out, want.astype(source))
    assert (np.signbit(out) == np.signbit(x))[~np.isnan(x)].all()


@pytest.mark.parametrize("call", [
    'x.to(tl.float64, fp_downcast_rounding="rtz")',
    'x.to(tl.int32, fp_downcast_rounding="rtne")',
])
def test_rounding_of_what_does_not_get_narrower_is_refused(call):
    kernel = define(f'''
@tesela.jit
def kernel(p):
    x = tl.load(p)
    tl.store(p, {call})
''')["kernel"]
    with pytest.raises(tesela.CompileError, match="narrower float"):
        kernel[(1,)](np.zeros(1, np.float32))


# `range` is looked up, and is nobody's global.
TWICE = """
import numpy as np, tesela, tesela.language as tl

@tesela.jit
def kernel(out, n):
    total = 0
    for i in range(n):
        total += i
    tl.store(out, total)

out = np.zeros(1, np.int32)
kernel[(1,)](out, 5)
print(kernel.warmup(out, 5, grid=(1,)).origin)
"""


def test_a_name_that_is_not_there_holds_for_code_from_the_disk(tmp_path):
    script = tmp_path / "twice.py"
    script.write_text(TWICE)
    environment = dict(os.environ, TESELA_CACHE_DIR=str(tmp_path / "cache"))
    environment.pop("TESELA_CACHE", None)
    for _ in range(2):
        done = subprocess.run([sys.executable, script], text=True,
                              env=environment, capture_output=True, check=True)
        # The first launch found code for the second.
        assert done.stdout == "memory\n"
