"""Runs one op of the language on arrays: what the op suite is made of.

Elements are held as NumPy arrays of a dtype's storage (bfloat16 as uint16,
8-bit floats as uint8) and compared as numbers wider than the dtype. The module needs no kernels' compiler:
the worker that runs Triton's interpreter uses it too.
"""

import itertools
import linecache

import numpy as np

# Name -> (storage, mantissa bits and smallest exponent, or None).
FORMATS = {
    "int1": (np.bool_, None), "int8": (np.int8, None),
    "int16": (np.int16, None), "int32": (np.int32, None),
    "int64": (np.int64, None), "uint8": (np.uint8, None),
    "uint16": (np.uint16, None), "uint32": (np.uint32, None),
    "uint64": (np.uint64, None),
    "float8e4nv": (np.uint8, (3, -6)), "float8e5": (np.uint8, (2, -14)),
    "float16": (np.float16, (10, -14)), "bfloat16": (np.uint16, (7, -126)),
    "float32": (np.float32, (23, -126)), "float64": (np.float64, (52, -1022)),
}
FLOAT8 = ("float8e4nv", "float8e5")
FLOATS = FLOAT8 + ("float16", "bfloat16", "float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTS = SIGNED + UNSIGNED
# Elements before and after an output that nothing may write.
GUARD = 64
POISON = 0x5A


def is_float(dtype: str) -> bool:
    return FORMATS[dtype][1] is not None


def bits(dtype: str) -> int:
    return 1 if dtype == "int1" else np.dtype(FORMATS[dtype][0]).itemsize * 8


def numbers_of_bytes(dtype: str) -> np.ndarray:
    """What each of the 256 bytes is as an 8-bit float, from its definition."""
    mantissa, smallest = FORMATS[dtype][1]
    codes = np.arange(256)
    exponent = (codes & 0x7F) >> mantissa
    digits = (codes & ((1 << mantissa) - 1)).astype(np.float64)
    hidden = np.where(exponent > 0, 1 << mantissa, 0)
    values = np.ldexp(digits + hidden,
                      np.maximum(exponent - 1, 0) + smallest - mantissa)
    if dtype == "float8e4nv":
        values[codes & 0x7F == 0x7F] = np.nan
    else:
        values[codes & 0x7F == 0x7C] = np.inf
        values[codes & 0x7F > 0x7C] = np.nan
    return np.where(codes & 0x80, -values, values)


def encode_float8(values, dtype: str) -> np.ndarray:
    """To the nearest, ties to even; to the largest where that is too large."""
    with np.errstate(invalid="ignore"):  # a signalling NaN
        values = np.asarray(values, dtype=np.longdouble)
    finite = numbers_of_bytes(dtype)[:128]
    finite = finite[np.isfinite(finite)].astype(np.longdouble)
    size = np.minimum(np.abs(np.nan_to_num(values, nan=0.0)), finite[-1])
    above = np.clip(np.searchsorted(finite, size), 1, finite.size - 1)
    middle = (finite[above - 1] + finite[above]) / 2
    up = (size > middle) | ((size == middle) & (above % 2 == 0))
    codes = np.where(up, above, above - 1)
    codes = np.where(np.signbit(values), codes | 0x80, codes)
    return np.where(np.isnan(values), 0x7F, codes).astype(np.uint8)


def encode(values, dtype: str) -> np.ndarray:
    """The nearest numbers of a dtype, ties to even; integers wrap."""
    storage, precision = FORMATS[dtype]
    if dtype in FLOAT8:
        return encode_float8(values, dtype)
    if dtype == "bfloat16":
        # Through fp32 with the sticky bit kept: rounding twice is exact then.
        wide = np.asarray(values, dtype=np.float64)
        with np.errstate(over="ignore"):
            single = wide.astype(np.float32)
        raw = single.view(np.uint32).astype(np.int64)
        finite = np.isfinite(single)
        residue = np.sign(np.where(finite, np.abs(wide), 0)
                          - np.where(finite, np.abs(single), 0))
        raw = 2 * raw + residue.astype(np.int64)
        half = (1 << 16) - 1 + ((raw >> 17) & 1)
        rounded = np.where(np.isnan(wide), 0x7FC0, (raw + half) >> 17)
        return rounded.astype(np.uint16)
    if precision:
        with np.errstate(over="ignore"):
            return np.asarray(values).astype(storage)
    if dtype == "int1":
        return np.asarray(values) != 0
    array = np.asarray(values)
    if array.dtype.kind == "f":
        array = np.trunc(array)
    if array.dtype == object:
        array = np.array([int(v) & (2**64 - 1) for v in array.ravel()],
                         dtype=np.uint64).reshape(array.shape)
    return array.astype(storage)


def decode(stored: np.ndarray, dtype: str) -> np.ndarray:
    """As long doubles, or as Python's integers."""
    if dtype == "bfloat16":
        stored = (stored.astype(np.uint32) << 16).view(np.float32)
    if dtype in FLOAT8:
        stored = numbers_of_bytes(dtype)[stored]
    if is_float(dtype):
        with np.errstate(invalid="ignore"):  # a signalling NaN
            return stored.astype(np.longdouble)
    return stored.astype(object) if dtype != "int1" else stored.astype(int)


def errors(got: np.ndarray, want: np.ndarray, dtype: str) -> np.ndarray:
    """The distances in units of the last place of `want`. Both are decoded;
    infinities, NaNs and the signs of zeros have to agree."""
    if dtype in FLOAT8:
        # How many numbers lie between, from what `want` is rounded to.
        got, want = encode_float8(got, dtype), encode_float8(want, dtype)
        steps = np.abs(got.astype(int) - want.astype(int))
        return np.where((got ^ want) & 0x80, np.inf, steps)
    mantissa, smallest = FORMATS[dtype][1]
    one, greatest = np.longdouble(1), 1 - smallest
    # Infinity counts as the first number that is too large, and what rounds to
    # it may be infinite.
    beyond = np.ldexp(one, greatest + 1)
    limit = beyond - np.ldexp(one, greatest - mantissa - 1)
    with np.errstate(all="ignore"):
        finite = np.isfinite(want)
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        same &= (want != 0) | (np.signbit(got) == np.signbit(want))
        same |= finite & (np.abs(want) >= limit) & (
            got == np.copysign(np.inf, want))
        value = np.where(np.isinf(got) & finite, np.copysign(beyond, got), got)
        _, exponent = np.frexp(want)
        exponent = np.clip(exponent - 1, smallest, greatest)
        unit = np.ldexp(one, exponent - mantissa)
        distance = np.where(same, 0, np.abs(value - want) / unit)
        distance = np.where(~same & (got == want), np.inf, distance)
    return np.where(np.isnan(distance), np.inf, distance)


def ulps(got: np.ndarray, want: np.ndarray, dtype: str) -> float:
    """The largest of `errors`; zeros may be of either sign."""
    return float(errors(got + 0.0, want + 0.0, dtype).max(initial=0))


# Whether arguments are copied to a GPU.
gpu = False


def upload(stored: np.ndarray):
    """The bytes of an array as a tensor on the GPU."""
    import torch

    return torch.from_numpy(stored.reshape(-1).view(np.uint8).copy()).cuda()


class Typed:
    """An array as an argument of a dtype that NumPy may not have. `copy` is a
    tensor on the GPU that has it `offset` bytes from its beginning."""

    def __init__(self, stored: np.ndarray, dtype: str, copy=None, offset=0):
        self.stored = stored
        self.dtype = dtype
        self.copy = upload(stored) if gpu and copy is None else copy
        self.offset = offset
        self.is_cpu = self.copy is None
        self.is_cuda = not self.is_cpu

    def get_device(self) -> int:
        return self.copy.get_device()

    def data_ptr(self) -> int:
        if self.copy is None:
            return self.stored.ctypes.data
        return self.copy.data_ptr() + self.offset


class Output:
    """A poisoned array between two guards."""

    def __init__(self, size: int, dtype: str):
        storage = np.dtype(FORMATS[dtype][0])
        raw = np.full((size + 2 * GUARD) * storage.itemsize, POISON, np.uint8)
        self.dtype = dtype
        self.whole = raw.view(np.uint8 if dtype == "int1" else storage)
        self.inner = self.whole[GUARD:GUARD + size]
        self.before = self.whole.copy()
        self.copy = upload(self.whole) if gpu else None

    def argument(self) -> Typed:
        return Typed(self.inner, self.dtype, self.copy,
                     GUARD * self.whole.itemsize)

    def stored(self, written) -> np.ndarray:
        """What was written; nothing else may have been."""
        if self.copy is not None:
            self.whole[:] = self.copy.cpu().numpy().view(self.whole.dtype)
        touched = np.ones(self.whole.size, dtype=bool)
        touched[GUARD:GUARD + self.inner.size][written] = False
        assert (self.whole[touched] == self.before[touched]).all(), (
            "elements were written that the mask leaves out"
        )
        result = self.inner[written]
        if self.dtype == "int1":
            assert (result <= 1).all(), "a bool is neither 0 nor 1"
            return result.astype(np.bool_)
        return result


_counter = itertools.count()


def make_kernel(source: str, jit, language, **names):
    """The function `kernel` of a text."""
    file = f"<op {next(_counter)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope = {"__name__": "ops", "jit": jit, "tl": language, **names}
    exec(compile(source, file, "exec"), scope)
    return scope["kernel"]


def map_source(body: str, inputs: int, others: list) -> str:
    """A kernel that applies an expression of x, y and z element by element."""
    names = "xyz"[:inputs]
    loads = "".join(
        f"    {v} = tl.load({v}_ptr + offs, mask=mask, other={other})\n"
        for v, other in zip(names, others)
    )
    params = "".join(f"{v}_ptr, " for v in names)
    return (
        "@jit\n"
        f"def kernel({params}out_ptr, n, BLOCK: tl.constexpr):\n"
        "    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
        "    mask = offs < n\n"
        f"{loads}"
        f"    r = {body}\n"
        "    tl.store(out_ptr + offs, r, mask=mask)\n"
    )


def _index(shape: tuple) -> str:
    """The offsets of a contiguous tile."""
    terms, stride = [], 1
    for axis in reversed(range(len(shape))):
        spread = ", ".join(":" if a == axis else "None"
                           for a in range(len(shape)))
        terms.append(f"tl.arange(0, {shape[axis]})[{spread}] * {stride}")
        stride *= shape[axis]
    return " + ".join(terms) or "0"


def tile_source(body: str, shapes: list, out_shapes: list,
                limits: tuple | None, other: str) -> str:
    """A kernel that computes tiles of whole tiles. With `limits`, only so many
    elements along each axis are loaded; the rest are `other`."""
    lines = ["@jit"]
    params = [f"{v}_ptr" for v, _ in zip("xyz", shapes)]
    params += [f"out{i}_ptr" for i in range(len(out_shapes))]
    params += [f"limit{a}" for a in range(len(limits or ()))]
    lines.append(f"def kernel({', '.join(params)}):")
    for v, shape in zip("xyz", shapes):
        mask = ""
        if limits:
            terms = []
            for axis in range(len(shape)):
                spread = ", ".join(":" if a == axis else "None"
                                   for a in range(len(shape)))
                terms.append(
                    f"(tl.arange(0, {shape[axis]})[{spread}] < limit{axis})"
                )
            mask = f", mask={' & '.join(terms)}, other={other}"
        lines.append(f"    {v} = tl.load({v}_ptr + {_index(shape)}{mask})")
    results = ", ".join(f"r{i}" for i in range(len(out_shapes)))
    lines.append(f"    {results} = {body}")
    for i, shape in enumerate(out_shapes):
        lines.append(f"    tl.store(out{i}_ptr + {_index(shape)}, r{i})")
    return "\n".join(lines) + "\n"


def to_torch(stored: np.ndarray, dtype: str):
    """A tensor over the same memory, for Triton's interpreter."""
    import torch

    if dtype in FLOAT8:
        kind = torch.float8_e5m2 if dtype == "float8e5" else (
            torch.float8_e4m3fn)
        return torch.from_numpy(stored).view(kind)
    if dtype == "bfloat16":
        return torch.from_numpy(stored.view(np.int16)).view(torch.bfloat16)
    if dtype == "int1":
        return torch.from_numpy(stored.view(np.bool_))
    return torch.from_numpy(stored)

