"""Every op × dtype of the language against NumPy: sizes that fill no block,
masks, and outputs that are poisoned where nothing may be written."""

import zlib

import numpy as np
import op_harness as harness
import op_table as table
import pytest
import tesela
import tesela.language as tl

COUNT = 1021
BLOCK = 256

# Enough for the fast set, which runs on the CPU alone.
FAST = {"float32", "int32", "float8e4nv", ("float32", "int32"),
        ("uint8", "int16"), ("int32", "float32")}


def dtypes_of(row, dtypes) -> tuple:
    """One dtype for each input."""
    count = row.inputs if isinstance(row, table.Map) else len(row.shapes)
    return dtypes if isinstance(dtypes, tuple) else (dtypes,) * count


def outputs_of(row, dtypes: tuple) -> tuple:
    """The dtype of each result."""
    if row.out is None:
        return (dtypes[0],)
    if callable(row.out):
        given = dtypes[:row.out.__code__.co_argcount]
        result = row.out(*given)
    else:
        result = row.out
    return result if isinstance(result, tuple) else (result,)


DOMAINS = {
    "normal": lambda rng, n: 4 * rng.standard_normal(n),
    "positive": lambda rng, n: np.exp(3 * rng.standard_normal(n)),
    "exponents": lambda rng, n: rng.uniform(-80, 80, n),
    "thousands": lambda rng, n: rng.uniform(-5000, 5000, n),
    "small": lambda rng, n: rng.integers(-4, 5, n).astype(float),
    "few": lambda rng, n: rng.integers(-2, 3, n).astype(float),
    "ones": lambda rng, n: rng.integers(0, 2, n).astype(float),
    "index": lambda rng, n: rng.integers(0, 8, n).astype(float),
    "casts": lambda rng, n: rng.integers(0, 120, n).astype(float),
    "nonzero": lambda rng, n: rng.integers(1, 9, n) * rng.choice([-1, 1], n),
    "shift": lambda rng, n: rng.integers(0, 8, n),
    "floats": lambda rng, n: rng.standard_normal(n).astype(np.float32).view(
        np.int32),
}


def draw(domain: str, dtype: str, size: int, rng) -> np.ndarray:
    """Stored elements of a domain."""
    if domain == "normal" and dtype in harness.INTS:
        width = harness.bits(dtype)
        return rng.integers(0, 1 << 63, size, dtype=np.uint64).astype(
            f"uint{width}").view(harness.FORMATS[dtype][0])
    if domain == "nan":
        values = rng.standard_normal(size)
        values[rng.random(size) < 0.3] = np.nan
        return harness.encode(values, dtype)
    values = DOMAINS[domain](rng, size)
    if dtype in harness.UNSIGNED:
        values = np.abs(values)
    return harness.encode(values, dtype)


def generator(row, dtypes):
    text = f"{row.name} {dtypes}".encode()
    return np.random.default_rng(zlib.crc32(text))


def map_inputs(row, dtypes: tuple) -> list:
    rng = generator(row, dtypes)
    return [
        draw(row.second if i == 1 and row.second else row.domain, dtype, COUNT,
             rng)
        for i, dtype in enumerate(dtypes)
    ]


def tile_inputs(row, dtypes: tuple) -> list:
    rng = generator(row, dtypes)
    return [draw(row.domain, dtype, int(np.prod(shape)), rng)
            for shape, dtype in zip(row.shapes, dtypes)]


def map_source(row) -> str:
    # What is not loaded must not matter, and must not divide by zero.
    return harness.map_source(row.body, row.inputs, ["1"] * row.inputs)


def tile_source(row, dtypes: tuple) -> str:
    other = row.other(dtypes[0]) if row.other else ""
    return harness.tile_source(row.body, row.shapes, row.out_shapes, row.limits,
                               other)


def check(row, dtypes, stored, want, out: str, inputs=()):
    got = harness.decode(stored, out)
    want = np.asarray(want)
    if harness.is_float(out):
        limit = row.ulp[dtypes[0]] if isinstance(row.ulp, dict) else row.ulp
        if harness.gpu and out == "float32" and inputs and row.gpu_ulp:
            limit = row.gpu_ulp(*inputs)
        distance = harness.ulps(got, want.astype(np.longdouble), out)
        assert distance <= limit, f"{distance} ulp, {limit} allowed"
    else:
        wrong = np.flatnonzero((got != want).ravel())
        assert wrong.size == 0, (
            f"{wrong.size} differ, first at {wrong[0]}: "
            f"{got.ravel()[wrong[0]]}, expected {want.ravel()[wrong[0]]}"
        )


def run_map(row, dtypes: tuple):
    inputs = map_inputs(row, dtypes)
    (out,) = outputs_of(row, dtypes)
    kernel = harness.make_kernel(map_source(row), tesela.jit, tl)
    result = harness.Output(COUNT + 3, out)
    arguments = [harness.Typed(x, d) for x, d in zip(inputs, dtypes)]
    kernel[(tesela.cdiv(COUNT, BLOCK),)](*arguments, result.argument(), COUNT,
                                         BLOCK=BLOCK)
    stored = result.stored(slice(0, COUNT))
    decoded = [harness.decode(x, d) for x, d in zip(inputs, dtypes)]
    want = row.want(*decoded, dtypes=dtypes)
    check(row, dtypes, stored, want, out, decoded)


def run_tile(row, dtypes: tuple):
    inputs = tile_inputs(row, dtypes)
    outs = outputs_of(row, dtypes)
    kernel = harness.make_kernel(tile_source(row, dtypes), tesela.jit, tl)
    results = [harness.Output(int(np.prod(shape)), out)
               for shape, out in zip(row.out_shapes, outs)]
    arguments = [harness.Typed(x, d) for x, d in zip(inputs, dtypes)]
    kernel[(1,)](*arguments, *[r.argument() for r in results],
                 *(row.limits or ()))
    wants = row.want(
        *[harness.decode(x, d).reshape(shape)
          for x, d, shape in zip(inputs, dtypes, row.shapes)],
        dtypes=dtypes,
    )
    for result, want, out, shape in zip(
        results, wants if isinstance(wants, tuple) else (wants,), outs,
        row.out_shapes, strict=True,
    ):
        stored = result.stored(slice(0, int(np.prod(shape)))).reshape(shape)
        check(row, dtypes, stored, want, out)


def cases(rows):
    """A parameter for each op and dtype; all but a few are slow."""
    for row in rows:
        for dtypes in row.dtypes:
            full = dtypes_of(row, dtypes)
            name = f"{row.name}-{'-'.join(dict.fromkeys(full))}"
            yield pytest.param(
                row, full, id=name,
                marks=[] if dtypes in FAST else [pytest.mark.slow],
            )


@pytest.fixture(params=["cpu", pytest.param("interp", marks=pytest.mark.slow)])
def device(request):
    try:
        with tesela.device(request.param):
            yield request.param
    except ValueError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("row, dtypes", list(cases(table.MAPS)))
def test_map(row, dtypes, device):
    run_map(row, dtypes)


@pytest.mark.parametrize("row, dtypes", list(cases(table.TILES)))
def test_tile(row, dtypes, device):
    run_tile(row, dtypes)
