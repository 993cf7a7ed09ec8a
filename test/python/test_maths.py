"""Every function that is not exact, held to the error that docs/maths.md
promises for it: dtype by dtype, on fresh numbers and on all awkward ones."""

import math
import os
import random
from dataclasses import dataclass
from typing import Callable

import mpmath
import numpy as np
import op_harness as harness
import pytest
import tesela
import tesela.language as tl
from documented_bounds import BOUNDS, NEAREST

BLOCK = 256
FRESH = 3001
# Named where a test fails; set it to repeat one.
SEED = int(os.environ.get("TESELA_RANDOM_SEED") or random.randrange(1 << 32))


@dataclass
class Function:
    expression: str
    exact: Callable  # of long doubles
    bound: str  # its row in docs/maths.md
    inputs: int = 1
    # Nothing is promised of other numbers.
    domain: Callable = lambda *args: True
    # The result of halves is fp32.
    widens: bool = False
    # What the reference evaluator computes op by op has the compiled code's
    # bound; else it rounds to nearest.
    of_several: bool = False


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def by_mpmath(of_double, precise):
    """A function of long doubles that NumPy lacks. The C library's double is
    wide enough for all but doubles."""

    def one(x):
        if not np.isfinite(x) or x == 0:  # mpmath drops the sign of zero
            return np.longdouble(of_double(float(x)))
        with mpmath.workprec(200):
            whole = precise(mpmath.mpf(float(np.clip(x, -1000, 1000))))
            head = float(whole)
            return np.longdouble(head) + np.longdouble(float(whole - head))

    def function(x):
        if np.array_equal(x, x.astype(np.float32), equal_nan=True):
            return np.vectorize(of_double)(x.astype(float)).astype(
                np.longdouble)
        return np.vectorize(one, otypes=[np.longdouble])(x)

    return function


erf = by_mpmath(math.erf, mpmath.erf)
erfc = by_mpmath(math.erfc, mpmath.erfc)


FUNCTIONS = [
    Function("tl.exp(x)", np.exp, "exp"),
    Function("tl.exp2(x)", np.exp2, "exp2"),
    Function("tl.log(x)", np.log, "log"),
    Function("tl.log2(x)", np.log2, "log2"),
    Function("tl.sin(x)", np.sin, "sin"),
    Function("tl.cos(x)", np.cos, "cos"),
    Function("tl.erf(x)", erf, "erf"),
    Function("tl.sqrt(x)", np.sqrt, "sqrt"),
    Function("tl.sqrt_rn(x)", np.sqrt, "sqrt"),
    Function("tl.rsqrt(x)", lambda x: 1 / np.sqrt(x), "rsqrt"),
    Function("tl.sigmoid(x)", sigmoid, "sigmoid", domain=lambda x: x > -87,
             of_several=True),
    Function("x / y", np.divide, "/", 2, widens=True),
    Function("tl.fdiv(x, y)", np.divide, "/", 2),
    Function("tl.div_rn(x, y)", np.divide, "/", 2),
    Function("libdevice.expm1(x)", np.expm1, "expm1"),
    Function("libdevice.log10(x)", np.log10, "log10"),
    Function("libdevice.log1p(x)", np.log1p, "log1p"),
    Function("libdevice.tan(x)", np.tan, "tan"),
    Function("libdevice.tanh(x)", np.tanh, "tanh"),
    Function("libdevice.sinh(x)", np.sinh, "sinh"),
    Function("libdevice.cosh(x)", np.cosh, "cosh"),
    Function("libdevice.asin(x)", np.arcsin, "asin"),
    Function("libdevice.acos(x)", np.arccos, "acos"),
    Function("libdevice.atan(x)", np.arctan, "atan"),
    Function("libdevice.asinh(x)", np.arcsinh, "asinh"),
    Function("libdevice.acosh(x)", np.arccosh, "acosh"),
    Function("libdevice.atanh(x)", np.arctanh, "atanh"),
    Function("libdevice.cbrt(x)", np.cbrt, "cbrt"),
    Function("libdevice.erfc(x)", erfc, "erfc"),
    Function("libdevice.atan2(x, y)", np.arctan2, "atan2", 2),
    Function("libdevice.pow(x, y)", np.power, "pow", 2),
    Function("libdevice.fmod(x, y)", np.fmod, "%", 2),
]
REAL = ("float32", "float64")
HALVES = ("float16", "bfloat16")
DTYPES = REAL + HALVES


def awkward(dtype: str) -> np.ndarray:
    """Zeros, ones, the smallest and the largest, infinities, NaNs, where
    functions overflow or cancel, and what is next to each."""
    mantissa, smallest = harness.FORMATS[dtype][1]
    one = np.longdouble(1)
    largest = np.ldexp(2 - np.ldexp(one, -mantissa), 1 - smallest)
    numbers = [0, 1, 0.5, 2, 3, 2.5, 10, 88.72283, 103.97, 709.78, 745.1, 1e5,
               65504, 1e-4, 1e20, 1e-30, np.ldexp(one, smallest), largest,
               np.ldexp(one, smallest - mantissa),
               np.ldexp(one, smallest - 1), np.inf]
    numbers += [k * np.longdouble("1.57079632679489661923132169163975144")
                for k in (0.5, 1, 2, 3, 10, 101, 20001)]
    stored = harness.encode(np.array(numbers, np.longdouble), dtype)
    raw = stored.view(f"u{stored.itemsize}")
    raw = np.concatenate([raw, raw + 1, np.where(raw > 0, raw - 1, raw)])
    # No signalling NaNs: what functions make of those is left open.
    quiet = raw.dtype.type(1 << mantissa - 1)
    raw = np.where(np.isnan(harness.decode(raw.view(stored.dtype), dtype)),
                   raw | quiet, raw)
    sign = raw.dtype.type(1) << raw.dtype.type(raw.itemsize * 8 - 1)
    return np.unique(np.concatenate([raw, raw | sign])).view(stored.dtype)


def fresh(dtype: str, rng) -> np.ndarray:
    """Any bits at all, and numbers of everyday sizes."""
    storage = np.dtype(harness.FORMATS[dtype][0])
    count = FRESH // 4
    return np.concatenate([
        np.frombuffer(rng.bytes(count * storage.itemsize), storage),
        harness.encode(4 * rng.standard_normal(count), dtype),
        harness.encode(rng.uniform(-100, 100, count), dtype),
        harness.encode(np.exp(rng.uniform(-10, 10, count)), dtype),
    ])


def numbers(function: Function, dtype: str, device: str, rng) -> list:
    """Stored arguments."""
    edges = awkward(dtype)
    if function.inputs == 2:
        pairs = np.meshgrid(edges, edges)
        return [np.concatenate([edge.ravel(), rng.permutation(fresh(dtype, rng))])
                for edge in pairs]
    if harness.bits(dtype) == 16 and device == "cpu":
        return [np.arange(1 << 16, dtype=np.uint16).view(
            harness.FORMATS[dtype][0])]
    return [np.concatenate([edges, fresh(dtype, rng)])]


def check(inputs, got, want, out, bound, domain):
    """All errors are within the bound, a number or one for each."""
    found = np.where(domain, harness.errors(got, want, out), 0)
    bad = int((found - bound).argmax())
    assert (found <= bound).all(), (
        f"{float(found[bad])} ulp, {np.broadcast_to(bound, found.shape)[bad]} "
        f"documented, of {', '.join(str(x[bad]) for x in inputs)}: {got[bad]}, "
        f"expected {want[bad]} (TESELA_RANDOM_SEED={SEED})"
    )


SLOW = pytest.mark.slow


@pytest.fixture(params=["cpu", pytest.param("interp", marks=SLOW)])
def device(request):
    with tesela.device(request.param):
        yield request.param


# The fast set has fp32 on the CPU alone.
SETS = [dtype if dtype == "float32" else pytest.param(dtype, marks=SLOW)
        for dtype in DTYPES]

def hold_to_its_bound(function, dtype, device):
    """Runs it on awkward numbers and fresh ones; `device` is told to know what
    is promised there."""
    rng = np.random.default_rng([SEED, FUNCTIONS.index(function),
                                 DTYPES.index(dtype)])
    inputs = numbers(function, dtype, device, rng)
    size = inputs[0].size
    out = "float32" if function.widens and dtype in HALVES else dtype
    kernel = harness.make_kernel(
        harness.map_source(function.expression, function.inputs,
                           ["1"] * function.inputs),
        tesela.jit, tl, libdevice=tl.extra.libdevice,
    )
    result = harness.Output(size + 3, out)
    kernel[(tesela.cdiv(size, BLOCK),)](
        *[harness.Typed(x, dtype) for x in inputs], result.argument(), size,
        BLOCK=BLOCK)
    got = harness.decode(result.stored(slice(0, size)), out)
    values = [harness.decode(x, dtype) for x in inputs]
    with np.errstate(all="ignore"):
        want = np.asarray(function.exact(*values), np.longdouble)
    nearest = device == "interp" and not function.of_several
    check(values, got, want, out,
          NEAREST if nearest else BOUNDS[function.bound][out],
          function.domain(*values))


@pytest.mark.parametrize("dtype", SETS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.expression)
def test_error_is_within_the_documented_bound(function, dtype, device):
    hold_to_its_bound(function, dtype, device)


@pytest.mark.parametrize("dtype", SETS)
def test_softmax_is_within_the_documented_bound(dtype, device):
    rng = np.random.default_rng([SEED, DTYPES.index(dtype)])
    inputs = harness.encode(rng.uniform(-40, 40, BLOCK), dtype)
    kernel = harness.make_kernel(
        harness.tile_source("tl.softmax(x)", [(BLOCK,)], [(BLOCK,)], None,
                            ""), tesela.jit, tl)
    result = harness.Output(BLOCK, dtype)
    kernel[(1,)](harness.Typed(inputs, dtype), result.argument())
    got = harness.decode(result.stored(slice(0, BLOCK)), dtype)
    x = harness.decode(inputs, dtype)
    shifted = x - x.max()
    powers = np.exp(shifted)
    # What is lost where the largest is subtracted, the exponential multiplies.
    lost = np.abs(shifted) if dtype in REAL else 0
    # The evaluator adds one after the other.
    slack = 4 if device == "interp" and dtype in REAL else 1
    check([x], got, powers / powers.sum(), dtype,
          slack * BOUNDS["softmax"][dtype] + lost, True)
