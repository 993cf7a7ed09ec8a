"""8-bit floats: every number, every midpoint, every pair."""

import numpy as np
import op_harness as harness
import pytest
import tesela
import tesela.language as tl
from conftest import define, installed, needs_torch
from op_harness import FLOAT8, FORMATS, decode, encode, encode_float8

WIDER = ("float16", "bfloat16", "float32", "float64")
EVERY = np.arange(256, dtype=np.uint8)


def apply(body: str, inputs: list, dtypes: tuple, out: str) -> np.ndarray:
    """An expression of x and y, element by element; the stored results."""
    source = harness.map_source(body, len(inputs), ["0"] * len(inputs))
    kernel = harness.make_kernel(source, tesela.jit, tl)
    count = inputs[0].size
    result = harness.Output(count, out)
    kernel[(tesela.cdiv(count, 1024),)](
        *[harness.Typed(x, d) for x, d in zip(inputs, dtypes)],
        result.argument(), count, BLOCK=1024)
    return result.stored(slice(0, count))


def neighbours(values: np.ndarray) -> np.ndarray:
    """Each float, and those next to it."""
    with np.errstate(over="ignore", under="ignore"):
        return np.concatenate([
            values, np.nextafter(values, values.dtype.type(np.inf)),
            np.nextafter(values, values.dtype.type(-np.inf))])


def samples(source: str, target: str) -> np.ndarray:
    """Stored floats: all there are of 8 and 16 bits, and of more what lies at
    the borders of rounding, what is special, and any bits."""
    width = harness.bits(source)
    storage = FORMATS[source][0]
    if width <= 16:
        return np.arange(1 << width).astype(f"uint{width}").view(storage)
    finite = harness.numbers_of_bytes(target)[:128]
    finite = finite[np.isfinite(finite)]
    middles = np.append((finite[1:] + finite[:-1]) / 2,
                        finite[-1] + (finite[-1] - finite[-2]) / 2)
    points = neighbours(np.concatenate([finite, middles]).astype(storage))
    special = np.array([0, np.inf, np.nan, 1e30, 1e-30, 2.0**-149, 2.0**-126,
                        65504, 65536], dtype=storage)
    rng = np.random.default_rng(8)
    anything = rng.integers(0, 1 << 63, 50000, dtype=np.uint64).astype(
        f"uint{width}").view(storage)
    # Most of any bits are far out of range.
    inside = (rng.standard_normal(50000) * np.exp2(rng.uniform(-20, 17, 50000))
              ).astype(storage)
    positive = np.concatenate([points, special])
    return np.concatenate([positive, -positive, anything, inside])


def check_widening(source: str, target: str):
    got = decode(apply(f"x.to(tl.{target})", [EVERY], (source,), target),
                 target)
    want = decode(EVERY, source)
    assert np.array_equal(got, want, equal_nan=True)
    assert (np.signbit(got) == np.signbit(want))[~np.isnan(want)].all()


def check_rounding(source: str, target: str):
    stored = samples(source, target)
    got = apply(f"x.to(tl.{target})", [stored], (source,), target)
    want = stored if source == target else encode_float8(
        decode(stored, source), target)
    wrong = np.flatnonzero(got != want)
    assert wrong.size == 0, (
        f"{wrong.size} differ, first {stored[wrong[0]]!r}: "
        f"{got[wrong[0]]:#x}, expected {want[wrong[0]]:#x}")


def check_truncation(source: str, target: str):
    """Rounded towards zero: the nearest number that is not larger."""
    stored = samples(source, target)
    got = apply(f"x.to(tl.{target}, fp_downcast_rounding='rtz')", [stored],
                (source,), target)
    values = decode(stored, source)
    finite = harness.numbers_of_bytes(target)[:128]
    finite = finite[np.isfinite(finite)].astype(np.longdouble)
    with np.errstate(invalid="ignore"):
        codes = np.searchsorted(finite, np.abs(values), side="right") - 1
    codes = np.where(np.signbit(values), codes | 0x80, codes)
    assert (got == np.where(np.isnan(values), 0x7F, codes)).all()


PAIRS = [np.repeat(EVERY, 256), np.tile(EVERY, 256)]
OPERATORS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}


def check_arithmetic(dtype: str, operator: str):
    got = apply(f"x {operator} y", PAIRS, (dtype, dtype), dtype)
    with np.errstate(all="ignore"):
        want = encode_float8(
            OPERATORS[operator](*[decode(x, dtype) for x in PAIRS]), dtype)
    # The sign of a NaN of a computation is nobody's.
    assert (got == want).all()


def check_comparison(dtype: str):
    x, y = (decode(side, dtype) for side in PAIRS)
    for operator, want in (("<", x < y), ("<=", x <= y), ("==", x == y),
                           ("!=", x != y), (">", x > y), (">=", x >= y)):
        got = apply(f"x {operator} y", PAIRS, (dtype, dtype), "int1")
        assert np.array_equal(got, want), operator


def check_bits(dtype: str):
    """What works on the bits keeps them, NaNs and all."""
    for body, want in (("-x", EVERY ^ 0x80), ("tl.abs(x)", EVERY & 0x7F),
                       ("tl.where(x == x, x, x)", EVERY),
                       (f"x.to(tl.int8, bitcast=True).to(tl.{dtype}, "
                        "bitcast=True)", EVERY)):
        assert (apply(body, [EVERY], (dtype,), dtype) == want).all(), body
    for body, want in (("tl.maximum(x, y)", np.fmax),
                       ("tl.minimum(x, y)", np.fmin)):
        got = decode(apply(body, PAIRS, (dtype, dtype), dtype), dtype)
        # A computed infinity is the largest number.
        expected = decode(encode_float8(
            want(*[decode(x, dtype) for x in PAIRS]), dtype), dtype)
        assert np.array_equal(got, expected, equal_nan=True), body


def check_integers(integer: str, dtype: str):
    width = harness.bits(integer)
    values = np.unique(np.concatenate([
        np.arange(-2000, 2000), [(1 << 31) - 1, 57344, 61440, 65535, 448, 464]
    ])).astype(np.int64).astype(integer)
    got = apply(f"x.to(tl.{dtype})", [values], (integer,), dtype)
    assert (got == encode_float8(values.astype(np.longdouble), dtype)).all()
    back = apply(f"x.to(tl.{integer})", [EVERY], (dtype,), integer)
    unsigned = integer.startswith("u")
    low, high = (0, 2**width - 1) if unsigned else (
        -2**(width - 1), 2**(width - 1) - 1)
    want = [0 if np.isnan(v) else int(min(max(v, low), high))
            for v in decode(EVERY, dtype)]
    assert back.astype(object).tolist() == want


def all_checks() -> dict:
    """By name; the GPU suite runs them, too."""
    found = {}

    def add(check, *arguments):
        name = f"{check.__name__[6:]}-{'-'.join(arguments)}"
        found[name] = lambda: check(*arguments)

    for dtype in FLOAT8:
        for other in WIDER:
            add(check_widening, dtype, other)
            add(check_rounding, other, dtype)
            add(check_truncation, other, dtype)
        for source in FLOAT8:
            add(check_rounding, source, dtype)
        for operator in OPERATORS:
            add(check_arithmetic, dtype, operator)
        add(check_comparison, dtype)
        add(check_bits, dtype)
        for integer in ("int8", "uint8", "int32", "int64", "uint64"):
            add(check_integers, integer, dtype)
    return found


CHECKS = all_checks()


@pytest.fixture(params=["cpu", "interp"])
def device(request):
    try:
        with tesela.device(request.param):
            yield request.param
    except ValueError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", CHECKS)
def test_check(name, device):
    CHECKS[name]()


@needs_torch
@pytest.mark.parametrize("dtype", FLOAT8)
def test_the_harness_knows_the_numbers(dtype):
    import torch

    numbers = harness.to_torch(EVERY, dtype).double().numpy()
    assert np.array_equal(numbers, harness.numbers_of_bytes(dtype),
                          equal_nan=True)
    values = samples("float32", dtype)
    finite = harness.numbers_of_bytes(dtype)
    largest = float(np.max(finite[np.isfinite(finite)]))
    inside = torch.from_numpy(values).clamp(-largest, largest)
    want = inside.to(harness.to_torch(EVERY, dtype).dtype).view(torch.uint8)
    is_number = ~np.isnan(values)
    assert (encode(values, dtype) == want.numpy())[is_number].all()


SCALE = """
@tesela.jit
def scale(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(out_ptr + offs, x * 2, mask=offs < n)
"""


@needs_torch
@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_tensors(name):
    import torch

    x = torch.tensor([0.5, -1.5, 3.0, 448.0]).to(getattr(torch, name))
    out = torch.zeros_like(x)
    define(SCALE)["scale"][(1,)](x, out, 3, BLOCK=4)
    assert out.float().tolist() == [1.0, -3.0, 6.0, 0.0]


class Exported:
    """An array that other libraries see through DLPack alone."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, **options):
        return self.tensor.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


@needs_torch
@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_dlpack(name):
    import torch

    x = torch.tensor([0.5, -1.5, 3.0]).to(getattr(torch, name))
    try:
        x.__dlpack__()
    except (BufferError, RuntimeError) as error:
        pytest.skip(str(error))
    out = torch.zeros_like(x)
    define(SCALE)["scale"][(1,)](Exported(x), Exported(out), 3, BLOCK=4)
    assert out.float().tolist() == [1.0, -3.0, 6.0]


@pytest.mark.skipif(not installed("ml_dtypes"),
                    reason="ml_dtypes is not installed")
@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_numpy(name):
    import ml_dtypes

    x = np.array([0.5, -1.5, 3.0], dtype=getattr(ml_dtypes, name))
    out = np.zeros_like(x)
    define(SCALE)["scale"][(1,)](x, out, 3, BLOCK=4)
    assert out.astype(np.float32).tolist() == [1.0, -3.0, 6.0]


FILL = """
@tesela.jit
def fill(out_ptr, VALUE: tl.constexpr, DTYPE: tl.constexpr):
    offs = tl.arange(0, 4)
    tl.store(out_ptr + offs, tl.full((4,), VALUE, DTYPE))
"""


@pytest.mark.parametrize("dtype", FLOAT8)
@pytest.mark.parametrize("value", [3, 0.3, 1e9, float("-inf"), float("nan")])
def test_constants(dtype, value):
    out = np.zeros(4, np.uint8)
    define(FILL)["fill"][(1,)](harness.Typed(out, dtype), VALUE=value,
                               DTYPE=getattr(tl, dtype))
    assert (out == encode_float8(value, dtype)).all()


ROW_SUM = """
@tesela.jit
def larger(a, b):
    return tl.where(a > b, a, b)


@tesela.jit
def reduce(x_ptr, sum_ptr, max_ptr, index_ptr, own_ptr):
    rows = tl.arange(0, 4)
    x = tl.load(x_ptr + rows[:, None] * 64 + tl.arange(0, 64)[None, :])
    tl.store(sum_ptr + rows, tl.sum(x, axis=1))
    most, index = tl.max(x, axis=1, return_indices=True)
    tl.store(max_ptr + rows, most)
    tl.store(index_ptr + rows, index)
    tl.store(own_ptr + rows, tl.reduce(x, 1, larger))
"""


@pytest.mark.parametrize("dtype", FLOAT8)
def test_reductions(dtype, device):
    """A sum is rounded once, and not after each addition."""
    rng = np.random.default_rng(3)
    x = encode_float8(rng.standard_normal((4, 64)), dtype)
    outs = [harness.Output(4, d) for d in (dtype, dtype, "int32", dtype)]
    define(ROW_SUM)["reduce"][(1,)](harness.Typed(x, dtype),
                                    *[out.argument() for out in outs])
    total, most, index, own = (out.stored(slice(0, 4)) for out in outs)
    values = decode(x, dtype)
    assert (total == encode_float8(values.sum(axis=1), dtype)).all()
    assert (decode(most, dtype) == values.max(axis=1)).all()
    assert (index == values.argmax(axis=1)).all()
    assert (decode(own, dtype) == values.max(axis=1)).all()
