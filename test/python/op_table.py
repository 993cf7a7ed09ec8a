"""The op suite as a table: each op, what it should give, and how exactly.

`Map` rows are expressions of x, y and z, element by element. `Tile` rows are
expressions of whole tiles. A tolerance is in units of the last place of the
result; a half is correct rounding, zero is every bit.
"""

import math
from dataclasses import dataclass
from typing import Callable

import numpy as np
from op_harness import (
    FLOAT8, FLOATS, INTS, SIGNED, UNSIGNED, bits, encode_float8, is_float,
)

REAL = ("float32", "float64")


@dataclass
class Map:
    name: str
    body: str
    want: Callable  # of decoded inputs; gives decoded results
    dtypes: tuple  # of the inputs; a tuple is one for each
    inputs: int = 1
    out: object = None  # a dtype, or a function of the inputs' dtypes
    ulp: object = 0.5  # a number, or one for each dtype in a dict
    domain: str = "normal"
    second: str = ""  # the domain of y, where it is another
    interpreter: bool = True  # Triton's interpreter has it
    # Of the decoded inputs: the bound of fp32 results on a GPU, where it is
    # another there (docs/maths.md, "On a GPU").
    gpu_ulp: Callable | None = None


def gpu_quotient(x, y):
    return 2


def gpu_exponential(x):
    return 2 + 1.17 * float(np.abs(x).max())


@dataclass
class Tile:
    name: str
    body: str
    want: Callable
    dtypes: tuple
    shapes: tuple
    out_shapes: tuple
    out: object = None  # as in Map; a tuple for several results
    ulp: object = 0
    limits: tuple | None = None
    other: Callable | None = None  # of the dtype: what is not loaded
    domain: str = "small"
    interpreter: bool = True


def promote(a: str, b: str) -> str:
    """The type of a sum of two."""
    if a == b:
        return a
    if is_float(a) or is_float(b):
        if a in FLOAT8 and b in FLOAT8:
            return "float16"
        if "bfloat16" in (a, b) and (a in FLOAT8 or b in FLOAT8):
            return "float32"
        if is_float(a) and is_float(b):
            return a if bits(a) > bits(b) else (
                b if bits(b) > bits(a) else "float32"
            )
        return a if is_float(a) else b
    if a.startswith("u") == b.startswith("u"):
        return a if bits(a) >= bits(b) else b
    unsigned, signed = (a, b) if a.startswith("u") else (b, a)
    return unsigned if bits(unsigned) >= bits(signed) else signed


def quotient_type(a: str, b: str) -> str:
    """Of `/`: halves and integers become fp32."""
    common = promote(a, b)
    if common in FLOAT8:
        return common
    return common if common == "float64" else "float32"


def wrap(dtype: str, function):
    """Integers in the common type, as they are before and after an op."""
    modulus = 1 << bits(dtype)

    def into(value):
        value = int(value) % modulus
        if dtype.startswith("int") and value >= modulus // 2:
            value -= modulus
        return value

    return lambda *args: into(function(*map(into, args)))


def whole(function):
    """An op of integers, in the type that both operands become."""

    def want(*args, dtypes):
        common = dtypes[0]
        for dtype in dtypes[1:]:
            common = promote(common, dtype)
        return np.frompyfunc(wrap(common, function), len(args), 1)(*args)

    return want


def truncated_quotient(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def remainder(a, b):
    return a - b * truncated_quotient(a, b)


def compare(function):
    def want(x, y, dtypes):
        if not (is_float(dtypes[0]) or is_float(dtypes[1])):
            common = promote(*dtypes)
            convert = np.frompyfunc(wrap(common, lambda v: v), 1, 1)
            x, y = convert(x), convert(y)
        return function(x, y).astype(int)

    return want


def real(function):
    """An op of floats; the reference sees long doubles."""

    def want(*args, dtypes):
        with np.errstate(all="ignore"):
            return function(*args)

    return want


def each(function):
    return np.frompyfunc(lambda v: np.longdouble(function(float(v))), 1, 1)


def erf(x):
    return each(math.erf)(x).astype(np.longdouble)


def whole_of_bits(function):
    """An op of the unsigned numbers that the bits of integers make."""

    def want(x, y, dtypes):
        width = bits(dtypes[0])
        modulus = 1 << width
        compute = wrap(dtypes[0], lambda a, b: function(
            a % modulus, b % modulus, width))
        return np.frompyfunc(compute, 2, 1)(x, y)

    return want


MIXED_INTS = (
    ("int8", "int32"), ("uint8", "int8"), ("uint8", "int16"),
    ("uint32", "int32"), ("int64", "uint32"), ("uint64", "int64"),
    ("uint16", "uint64"), ("int16", "uint8"),
)
MIXED_FLOATS = (
    ("float16", "float32"), ("bfloat16", "float16"), ("float32", "float64"),
    ("int32", "float32"), ("float16", "int64"), ("uint8", "bfloat16"),
    ("float8e4nv", "float8e5"), ("float8e5", "bfloat16"),
    ("float16", "float8e4nv"), ("float8e4nv", "float32"),
)

ARITHMETIC = [
    Map("add", "x + y", real(np.add), FLOATS, 2),
    Map("sub", "x - y", real(np.subtract), FLOATS, 2),
    Map("mul", "x * y", real(np.multiply), FLOATS, 2),
    Map("div", "x / y", real(np.divide), FLOATS, 2, quotient_type,
        gpu_ulp=gpu_quotient),
    Map("mod", "x % y", real(np.fmod), REAL, 2, domain="small",
        second="nonzero"),
    Map("neg", "-x", real(np.negative), FLOATS),
    Map("add", "x + y", whole(lambda a, b: a + b), INTS + MIXED_INTS, 2,
        promote),
    Map("sub", "x - y", whole(lambda a, b: a - b), INTS + MIXED_INTS, 2,
        promote),
    Map("mul", "x * y", whole(lambda a, b: a * b), INTS + MIXED_INTS, 2,
        promote),
    Map("floordiv", "x // y", whole(truncated_quotient),
        INTS + (("int8", "int32"), ("uint16", "uint64")), 2, promote,
        second="nonzero"),
    Map("mod", "x % y", whole(remainder),
        INTS + (("int8", "int32"), ("uint16", "uint64")), 2, promote,
        second="nonzero"),
    Map("div", "x / y",
        lambda x, y, dtypes: (x.astype(np.float32) / y.astype(np.float32)
                              ).astype(np.longdouble),
        ("int8", "int32", "uint16"), 2, "float32", second="nonzero",
        gpu_ulp=gpu_quotient),
    Map("neg", "-x", whole(lambda a: -a), SIGNED),
    Map("and", "x & y", whole(lambda a, b: a & b), INTS + MIXED_INTS, 2,
        promote),
    Map("or", "x | y", whole(lambda a, b: a | b), INTS + MIXED_INTS, 2,
        promote),
    Map("xor", "x ^ y", whole(lambda a, b: a ^ b), INTS + MIXED_INTS, 2,
        promote),
    Map("invert", "~x", whole(lambda a: ~a), INTS),
    Map("shl", "x << y", whole(lambda a, b: a << b), INTS, 2,
        second="shift"),
    Map("shr", "x >> y", whole(lambda a, b: a >> b), INTS, 2,
        second="shift"),
    Map("mixed add", "x + y", real(np.add), MIXED_FLOATS, 2, promote,
        domain="small"),
    Map("mixed mul", "x * y", real(np.multiply), MIXED_FLOATS, 2, promote,
        domain="small"),
    Map("add constant", "x + 3", whole(lambda a: a + 3), INTS),
    Map("subtract from constant", "100 - x", whole(lambda a: 100 - a), INTS),
    Map("multiply by float", "x * 0.5", real(lambda x: x * 0.5), FLOATS),
    Map("functions", "tl.add(x, tl.mul(x, tl.sub(y, x)))",
        whole(lambda a, b: a + a * (b - a)), ("int32", "uint64"), 2, promote),
]

COMPARISONS = [
    Map(name, f"x {operator} y", compare(function),
        FLOATS + INTS + MIXED_INTS, 2, "int1", 0, domain="few")
    for name, operator, function in (
        ("lt", "<", np.less), ("le", "<=", np.less_equal),
        ("gt", ">", np.greater), ("ge", ">=", np.greater_equal),
        ("eq", "==", np.equal), ("ne", "!=", np.not_equal),
    )
] + [
    Map("compare with constant", "x > 1",
        lambda x, dtypes: (x > 1).astype(int), FLOATS + INTS, 1, "int1", 0,
        domain="few"),
    Map("both", "(x > y) & (x != 0)",
        lambda x, y, dtypes: ((x > y) & (x != 0)).astype(int),
        ("int32", "float32"), 2, "int1", 0, domain="few"),
    Map("either, and not", "(x > y) | ~(x != 0)",
        lambda x, y, dtypes: ((x > y) | (x == 0)).astype(int),
        ("int32", "float32"), 2, "int1", 0, domain="few"),
]

SELECTION = [
    Map("where", "tl.where(x > y, x, y)",
        lambda x, y, dtypes: np.where(x > y, x, y), FLOATS + INTS, 2, ulp=0,
        domain="few"),
    Map("where constant", "tl.where(x > 0, x, 0)",
        lambda x, dtypes: np.where(x > 0, x, 0), FLOATS + INTS, 1, ulp=0),
    Map("maximum", "tl.maximum(x, y)",
        lambda x, y, dtypes: np.where(x > y, x, y), FLOATS + INTS, 2, ulp=0),
    Map("minimum", "tl.minimum(x, y)",
        lambda x, y, dtypes: np.where(x < y, x, y), FLOATS + INTS, 2, ulp=0),
    Map("maximum and nan", "tl.maximum(x, y)", real(np.fmax), REAL, 2, ulp=0,
        domain="nan", interpreter=False),
    Map("minimum and nan", "tl.minimum(x, y)", real(np.fmin), REAL, 2, ulp=0,
        domain="nan", interpreter=False),
    Map("maximum propagating nan",
        "tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)",
        real(np.maximum), REAL, 2, ulp=0, domain="nan"),
    Map("clamp", "tl.clamp(x, -1.0, 1.0)", real(lambda x: np.clip(x, -1, 1)),
        REAL, ulp=0),
    Map("abs", "tl.abs(x)", real(np.abs), FLOATS, ulp=0),
    Map("abs", "tl.abs(x)", whole(abs), SIGNED),
    Map("cdiv", "tl.cdiv(x, y)",
        whole(lambda a, b: truncated_quotient(a + b - 1, b)),
        ("int32", "int64", "uint32"), 2, domain="small", second="nonzero"),
    Map("umulhi", "tl.umulhi(x, y)",
        whole_of_bits(lambda a, b, width: a * b >> width),
        ("uint32", "uint64"), 2),
    Map("umulhi", "tl.umulhi(x, y)",
        whole_of_bits(lambda a, b, width: a * b >> width),
        ("int32", "int64"), 2, interpreter=False),
]

MATHS = [
    Map("exp", "tl.exp(x)", real(np.exp), REAL, ulp=2,
        gpu_ulp=gpu_exponential),
    Map("exp2", "tl.exp2(x)", real(np.exp2), REAL, ulp=2),
    Map("exp of large", "tl.exp(x)", real(np.exp), REAL, ulp=2,
        domain="exponents", gpu_ulp=gpu_exponential),
    Map("log", "tl.log(x)", real(np.log), REAL, ulp=2, domain="positive"),
    Map("log2", "tl.log2(x)", real(np.log2), REAL, ulp=2, domain="positive"),
    Map("sqrt", "tl.sqrt(x)", real(np.sqrt), REAL, ulp=1, domain="positive"),
    Map("sqrt_rn", "tl.sqrt_rn(x)", real(np.sqrt), ("float32",),
        domain="positive"),
    Map("rsqrt", "tl.rsqrt(x)", real(lambda x: 1 / np.sqrt(x)), REAL, ulp=2,
        domain="positive"),
    Map("sin", "tl.sin(x)", real(np.sin), REAL, ulp=2),
    Map("cos", "tl.cos(x)", real(np.cos), REAL, ulp=2),
    Map("sin of large", "tl.sin(x)", real(np.sin), REAL, ulp=2,
        domain="thousands"),
    Map("floor", "tl.floor(x)", real(np.floor), REAL, ulp=0),
    Map("ceil", "tl.ceil(x)", real(np.ceil), REAL, ulp=0),
    Map("erf", "tl.erf(x)", real(erf), REAL,
        ulp={"float32": 2, "float64": 4}),
    Map("sigmoid", "tl.sigmoid(x)", real(lambda x: 1 / (1 + np.exp(-x))), REAL,
        ulp=3, gpu_ulp=gpu_exponential),
    Map("fma", "tl.fma(x, y, z)", real(lambda x, y, z: x * y + z),
        ("float32",), 3, interpreter=False),
    Map("fdiv", "tl.fdiv(x, y)", real(np.divide), REAL, 2, ulp=1,
        gpu_ulp=gpu_quotient),
    Map("div_rn", "tl.div_rn(x, y)", real(np.divide), ("float32",), 2),
    Map("math.exp", "tl.math.exp(x)", real(np.exp), REAL, ulp=2,
        gpu_ulp=gpu_exponential),
    Map("libdevice.tanh", "tl.extra.libdevice.tanh(x)", real(np.tanh), REAL,
        ulp=2, interpreter=False),
    Map("method", "x.exp()", real(np.exp), REAL, ulp=2,
        gpu_ulp=gpu_exponential),
]


def identity(x, dtypes):
    return x


def casts():
    """From every type to every other. Values fit both."""
    rows = []
    every = FLOATS + INTS
    for source in every:
        for target in every:
            rows.append(
                Map(f"to {target}", f"x.to(tl.{target})",
                    identity, (source,), 1, target,
                    domain="casts")
            )
        rows.append(
            Map("to int1", "x.to(tl.int1)",
                lambda x, dtypes: (x != 0).astype(int), (source,), 1, "int1", 0,
                domain="few")
        )
    for target in every:
        rows.append(Map(f"to {target}", f"x.to(tl.{target})", identity,
                        ("int1",), 1, target, domain="few"))
    rows += [
        Map("round to float16", "tl.cast(x, tl.float16)", identity, REAL, 1,
            "float16"),
        Map("round to bfloat16", "tl.cast(x, tl.bfloat16)", identity, REAL, 1,
            "bfloat16"),
        Map("round to float8e4nv", "tl.cast(x, tl.float8e4nv)", identity,
            FLOATS, 1, "float8e4nv", interpreter=False),
        Map("round to float8e5", "tl.cast(x, tl.float8e5)", identity, FLOATS,
            1, "float8e5", interpreter=False),
        Map("bitcast", "x.to(tl.uint8, bitcast=True)",
            lambda x, dtypes: encode_float8(x, dtypes[0]).astype(object),
            FLOAT8, 1, "uint8"),
        Map("wrap to int8", "x.to(tl.int8)",
            lambda x, dtypes: np.frompyfunc(wrap("int8", lambda v: v), 1, 1)(x),
            ("int16", "int32", "int64", "uint32"), 1, "int8"),
        Map("bitcast", "x.to(tl.int32, bitcast=True)",
            lambda x, dtypes: x.astype(np.float32).view(np.int32).astype(
                object),
            ("float32",), 1, "int32"),
        Map("bitcast", "x.to(tl.float32, bitcast=True)",
            lambda x, dtypes: x.astype(np.int32).view(np.float32).astype(
                np.longdouble), ("int32",), 1, "float32", 0, domain="floats"),
        Map("bitcast", "x.to(tl.uint16, bitcast=True)",
            lambda x, dtypes: x.astype(np.float16).view(np.uint16).astype(
                object),
            ("float16",), 1, "uint16"),
        Map("bitcast", "x.to(tl.uint64, bitcast=True)",
            lambda x, dtypes: x.astype(np.float64).view(np.uint64).astype(
                object),
            ("float64",), 1, "uint64"),
    ]
    return rows


MAPS = ARITHMETIC + COMPARISONS + SELECTION + MATHS + casts()


# Tiles.

def lowest(dtype):
    if is_float(dtype):
        return "-float('inf')"
    return "0" if dtype.startswith("u") else str(-(1 << (bits(dtype) - 1)))


def highest(dtype):
    if is_float(dtype):
        return "float('inf')"
    return str((1 << (bits(dtype) - dtype.startswith("int"))) - 1)


def zero(dtype):
    return "0"


def sum_type(dtype):
    if is_float(dtype) or bits(dtype) >= 32:
        return dtype
    return "uint32" if dtype.startswith("u") else "int32"


SHAPE, LIMITS = (16, 32), (13, 29)
ALL = FLOATS + INTS


def loaded(x):
    return x[:LIMITS[0], :LIMITS[1]]


def reduction(name, body, function, other, dtypes=ALL, out=None):
    """Along each axis and over all, of a tile that is not wholly loaded."""
    rows = []
    for axis, shape in ((0, (32,)), (1, (16,)), (None, ())):
        def want(x, dtypes, axis=axis, shape=shape):
            result = np.asarray(function(loaded(x), axis))
            fill = function(np.array([[FILL[other](dtypes[0])]], dtype=object),
                            None)
            full = np.full(shape, fill, dtype=object)
            full[tuple(slice(e) for e in result.shape)] = result
            return full
        rows.append(Tile(f"{name} along {axis}", body.format(axis=axis), want,
                         dtypes, (SHAPE,), (shape,), out, limits=LIMITS,
                         other=other))
    return rows


FILL = {
    zero: lambda dtype: 0,
    lowest: lambda dtype: (-np.inf if is_float(dtype) else int(lowest(dtype))),
    highest: lambda dtype: (np.inf if is_float(dtype)
                            else int(highest(dtype))),
}


def xor_reduce(x, axis):
    return np.bitwise_xor.reduce(x.astype(object), axis=axis) if (
        axis is not None) else np.bitwise_xor.reduce(x.astype(object).ravel())


REDUCTIONS = (
    reduction("sum", "tl.sum(x, axis={axis})",
              lambda x, axis: x.sum(axis=axis), zero, ALL, sum_type)
    + reduction("max", "tl.max(x, axis={axis})",
                lambda x, axis: x.max(axis=axis), lowest)
    + reduction("min", "tl.min(x, axis={axis})",
                lambda x, axis: x.min(axis=axis), highest)
    + reduction("xor_sum", "tl.xor_sum(x, axis={axis})", xor_reduce, zero, INTS)
    + reduction("method sum", "x.sum(axis={axis})",
                lambda x, axis: x.sum(axis=axis), zero, ("float32",))
    + [
        Tile("keep_dims", "tl.sum(x, axis=1, keep_dims=True)",
             lambda x, dtypes: x.sum(axis=1, keepdims=True), ("float32",),
             (SHAPE,), ((16, 1),)),
        Tile("argmax", "tl.argmax(x, axis=1)",
             lambda x, dtypes: x.argmax(axis=1).astype(object),
             ("float32", "int32", "int64", "float16"), (SHAPE,), ((16,),),
             "int32"),
        Tile("argmin", "tl.argmin(x, axis=0)",
             lambda x, dtypes: x.argmin(axis=0).astype(object),
             ("float32", "int32", "uint8"), (SHAPE,), ((32,),), "int32"),
        Tile("max with indices", "tl.max(x, axis=1, return_indices=True)",
             lambda x, dtypes: (x.max(axis=1), x.argmax(axis=1).astype(object)),
             ("float32", "int32"), (SHAPE,), ((16,), (16,)),
             lambda d: (d, "int32")),
        Tile("softmax", "tl.softmax(x)",
             lambda x, dtypes: np.exp(x - x.max(axis=0))
             / np.exp(x - x.max(axis=0)).sum(axis=0), ("float32",), (SHAPE,),
             (SHAPE,), ulp=8),
    ]
)

SHAPES = [
    Tile("reshape", "tl.reshape(x, (8, 64))",
         lambda x, dtypes: x.reshape(8, 64), ALL, (SHAPE,), ((8, 64),)),
    Tile("reshape to three axes", "x.reshape(2, 8, 32)",
         lambda x, dtypes: x.reshape(2, 8, 32), ("int32", "float16"), (SHAPE,),
         ((2, 8, 32),)),
    Tile("ravel", "tl.ravel(x)", lambda x, dtypes: x.ravel(),
         ("int32", "float16"), (SHAPE,), ((512,),)),
    Tile("trans", "tl.trans(x)", lambda x, dtypes: x.T, ALL, (SHAPE,),
         ((32, 16),)),
    Tile("T", "x.T", lambda x, dtypes: x.T, ("float32",), (SHAPE,),
         ((32, 16),)),
    Tile("permute", "tl.permute(x, (2, 0, 1))",
         lambda x, dtypes: x.transpose(2, 0, 1), ("int32", "float16", "int8"),
         ((4, 8, 16),), ((16, 4, 8),)),
    Tile("trans with axes", "tl.trans(x, 1, 2, 0)",
         lambda x, dtypes: x.transpose(1, 2, 0), ("int32", "float64"),
         ((4, 8, 16),), ((8, 16, 4),)),
    Tile("expand_dims", "tl.expand_dims(x, 1)",
         lambda x, dtypes: x[:, None], ("int32", "float16"), (SHAPE,),
         ((16, 1, 32),)),
    Tile("broadcast_to", "tl.broadcast_to(x, (8, 16))",
         lambda x, dtypes: np.broadcast_to(x, (8, 16)), ALL, ((8, 1),),
         ((8, 16),)),
    Tile("broadcasting", "x + y", lambda x, y, dtypes: x + y,
         ("int32", "float32"), ((16, 1), (1, 32)), (SHAPE,)),
    Tile("join", "tl.join(x, y)",
         lambda x, y, dtypes: np.stack([x, y], axis=-1), ALL,
         (SHAPE, SHAPE), ((16, 32, 2),)),
    Tile("split", "tl.split(x)",
         lambda x, dtypes: (x[..., 0], x[..., 1]), ALL, ((8, 16, 2),),
         ((8, 16), (8, 16)), lambda d: (d, d)),
    Tile("interleave", "tl.interleave(x, y)",
         lambda x, y, dtypes: np.stack([x, y], axis=-1).reshape(16, 64),
         ("int32", "float16"), (SHAPE, SHAPE), ((16, 64),)),
    Tile("cat", "tl.cat(x, y, can_reorder=True)",
         lambda x, y, dtypes: np.concatenate([x, y]), ("int32", "float16"),
         ((32,), (32,)), ((64,),)),
    Tile("flip", "tl.flip(x, 1)", lambda x, dtypes: x[:, ::-1],
         ("int32", "float16"), (SHAPE,), (SHAPE,)),
    Tile("full", "tl.full((16, 32), 3, x.dtype) + x",
         lambda x, dtypes: x + 3, ALL, (SHAPE,), (SHAPE,)),
    Tile("zeros_like", "tl.zeros_like(x) + x", lambda x, dtypes: x, ALL,
         (SHAPE,), (SHAPE,)),
]


def product(x, y, dtypes):
    return x @ y


def accumulated(dtype):
    if dtype == "int8":
        return "int32"
    return "float64" if dtype == "float64" else "float32"


# Small whole numbers: every order of the additions is exact.
DOTS = [
    Tile(f"dot {m}x{n}x{k}", "tl.dot(x, y)", product,
         ("float16", "bfloat16", "float32", "int8"),
         ((m, k), (k, n)), ((m, n),), accumulated)
    for m, n, k in ((16, 16, 16), (32, 64, 16), (64, 32, 128))
] + [
    Tile("dot float64", "tl.dot(x, y, out_dtype=tl.float64)", product,
         ("float64",), ((16, 32), (32, 16)), ((16, 16),)),
    Tile("dot with accumulator", "tl.dot(x, y, tl.full((16, 16), 2.0, "
         "tl.float32))", lambda x, y, dtypes: x @ y + 2, ("float16", "float32"),
         ((16, 32), (32, 16)), ((16, 16),), "float32"),
    Tile("dot of a transposed tile", "tl.dot(x, tl.trans(y))",
         lambda x, y, dtypes: x @ y.T, ("float16", "float32", "bfloat16"),
         ((16, 32), (64, 32)), ((16, 64),), "float32"),
    Tile("dot, partly loaded", "tl.dot(x, y)",
         lambda x, y, dtypes: np.pad(loaded(x), ((0, 3), (0, 3)))
         @ np.pad(y[:13, :29], ((0, 19), (0, 3))),
         ("float16", "float32"), (SHAPE, (32, 32)), ((16, 32),), "float32",
         limits=LIMITS, other=zero),
    Tile("dot, out_dtype", "tl.dot(x, y, out_dtype=tl.float16)", product,
         ("float16",), ((16, 16), (16, 16)), ((16, 16),), "float16"),
    Tile("dot", "tl.dot(x, y)", product, FLOAT8, ((32, 64), (64, 32)),
         ((32, 32),), "float32"),
    Tile("dot of two types", "tl.dot(x, y)", product,
         (("float8e4nv", "float8e5"), ("float8e5", "float8e4nv")),
         ((64, 64), (64, 32)), ((64, 32),), "float32"),
    Tile("dot of a transposed tile", "tl.dot(x, tl.trans(y))",
         lambda x, y, dtypes: x @ y.T, FLOAT8, ((16, 32), (64, 32)),
         ((16, 64),), "float32"),
    Tile("dot, out_dtype", "tl.dot(x, y, out_dtype=tl.float16)", product,
         FLOAT8, ((16, 32), (32, 16)), ((16, 16),), "float16"),
    Tile("dot, limited imprecision",
         "tl.dot(x, y, tl.full((16, 16), 2.0, tl.float32), "
         "max_num_imprecise_acc=32)", lambda x, y, dtypes: x @ y + 2, FLOAT8,
         ((16, 32), (32, 16)), ((16, 16),), "float32"),
    Tile("dot, ieee", "tl.dot(x, y, input_precision='ieee')", product,
         ("float32",), ((16, 16), (16, 16)), ((16, 16),), "float32"),
]



def scan(name, body, function, dtypes, out=None, domain="small"):
    """Along each axis, both ways, of a tile that is not wholly loaded."""
    rows = []
    for axis in (0, 1):
        for reverse in (False, True):
            def want(x, dtypes, axis=axis, reverse=reverse):
                x = np.pad(loaded(x), [(0, 16 - LIMITS[0]), (0, 32 - LIMITS[1])])
                x = np.flip(x, axis) if reverse else x
                result = function(x, axis, dtypes[0])
                return np.flip(result, axis) if reverse else result
            rows.append(Tile(
                f"{name} along {axis}{' backwards' if reverse else ''}",
                body.format(axis=axis, reverse=reverse), want, dtypes, (SHAPE,),
                (SHAPE,), out, limits=LIMITS, other=zero, domain=domain))
    return rows


def products(x, axis, dtype):
    result = np.multiply.accumulate(x, axis=axis)
    if is_float(dtype):
        return result
    return np.frompyfunc(wrap(dtype, lambda v: v), 1, 1)(result)


def in_float32(dtype: str) -> str:
    return "float32" if dtype == "bfloat16" else dtype


def sums_type(dtype: str) -> str:
    return in_float32(dtype) if is_float(dtype) else sum_type(dtype)


def sorted_rows(x, dtypes):
    return np.sort(x, axis=-1)


SCANS = (
    scan("cumsum", "tl.cumsum(x, {axis}, reverse={reverse})",
         lambda x, axis, dtype: np.add.accumulate(x, axis=axis), ALL, sums_type)
    + scan("cumsum in float64",
           "tl.cumsum(x, {axis}, reverse={reverse}, dtype=tl.float64)",
           lambda x, axis, dtype: np.add.accumulate(x, axis=axis),
           ("float32", "int32"), "float64")
    # Added to, so that what is not loaded does not make all of it zero.
    + scan("cumprod", "tl.cumprod(x + 1, {axis}, reverse={reverse})",
           lambda x, axis, dtype: products(x + 1, axis, dtype),
           ("int32", "int64", "uint32", "float64"), domain="ones")
    + [
        Tile("cumsum of a vector", "tl.cumsum(x, 0)",
             lambda x, dtypes: np.add.accumulate(x),
             ("float32", "int32", "float16", "int8"), ((1024,),), ((1024,),),
             sums_type, domain="few"),
        Tile("cumsum of a short vector", "tl.cumsum(x, 0)",
             lambda x, dtypes: np.add.accumulate(x), ("float32", "int64"),
             ((2,),), ((2,),)),
        Tile("cumsum of three axes", "tl.cumsum(x, 1)",
             lambda x, dtypes: np.add.accumulate(x, axis=1),
             ("float32", "int32"), ((4, 8, 16),), ((4, 8, 16),)),
        Tile("gather along 0", "tl.gather(x, y, 0)",
             lambda x, y, dtypes: np.take_along_axis(x, y.astype(int), 0),
             tuple((d, "int32") for d in ALL), ((8, 16), (32, 16)),
             ((32, 16),), lambda d: d, domain="index"),
        Tile("gather along 1", "tl.gather(x, y, 1)",
             lambda x, y, dtypes: np.take_along_axis(x, y.astype(int), 1),
             (("float32", "int32"), ("int8", "int64"), ("float16", "uint8")),
             ((16, 32), (16, 8)), ((16, 8),), lambda d: d, domain="index"),
        Tile("gather of a vector", "x.gather(y, axis=0)",
             lambda x, y, dtypes: x[y.astype(int)],
             (("float32", "int32"), ("int64", "int32")), ((8,), (256,)),
             ((256,),), lambda d: d, domain="index"),
        Tile("sort", "tl.sort(x)", sorted_rows, ALL, (SHAPE,), (SHAPE,)),
        Tile("sort a vector", "tl.sort(x)", sorted_rows,
             ("float32", "int32", "float16"), ((256,),), ((256,),),
             domain="thousands"),
        Tile("sort descending", "tl.sort(x, descending=True)",
             lambda x, dtypes: np.flip(np.sort(x, axis=-1), -1),
             ("float32", "int32", "uint8"), (SHAPE,), (SHAPE,)),
        Tile("topk", "tl.topk(x, 4)",
             lambda x, dtypes: np.flip(np.sort(x, axis=-1), -1)[:, :4],
             ("float32", "int32"), (SHAPE,), ((16, 4),)),
        Tile("histogram", "tl.histogram(x, 8)",
             lambda x, dtypes: np.bincount(
                 x[(x >= 0) & (x < 8)].astype(int), minlength=8).astype(object),
             ("int32", "uint8", "int64"), ((128,),), ((8,),), "int32",
             domain="casts", interpreter=False),  # counts 8 as 7
        Tile("histogram with mask", "tl.histogram(x, 16, x != 3)",
             lambda x, dtypes: np.bincount(
                 x[(x >= 0) & (x != 3)].astype(int),
                 minlength=16).astype(object),
             ("int32", "uint32"), ((64,),), ((16,),), "int32", domain="index"),
    ]
)


def philox(seed: int, offsets, word: int):
    """Word `word` of Philox's four at offsets, ten rounds."""
    low = (1 << 32) - 1
    c = [offsets & low, offsets >> 32 & low, offsets * 0, offsets * 0]
    key = [seed & low, seed >> 32 & low]
    a, b = 0xD2511F53, 0xCD9E8D57
    for _ in range(10):
        c = [b * c[2] >> 32 ^ c[1] ^ key[0], b * c[2] & low,
             a * c[0] >> 32 ^ c[3] ^ key[1], a * c[0] & low]
        key = [key[0] + 0x9E3779B9 & low, key[1] + 0xBB67AE85 & low]
    return c[word]


def at_offsets(word: int = 0, seed: int = 42, then=lambda bits: bits):
    def want(x, dtypes):
        width = 64 if bits(dtypes[0]) == 64 else 32
        return then(philox(seed, x % (1 << width), word))

    return want


def uniform(bits):
    signed = np.array([int(b) - (b >> 31 << 32) for b in bits])
    folded = np.where(signed < 0, ~signed, signed).astype(np.float32)
    return folded * np.float32(4.6566127342e-10)


def as_normal(x, dtypes):
    u1, u2 = (uniform(philox(42, x % (1 << 32), w)).astype(float)
              for w in (0, 1))
    # So that it is far from zero.
    return 8 + np.sqrt(-2 * np.log(np.maximum(u1, 1e-7))) * np.cos(
        2 * np.pi * u2)


RANDOM = [
    Map("randint", "tl.randint(42, x)", at_offsets(),
        ("int32", "uint32", "int64"), out="uint32"),
    Map("randint with a wide seed", "tl.randint(0x123456789ABCDEF, x)",
        at_offsets(seed=0x123456789ABCDEF), ("int32",), out="uint32"),
    Map("randint4x", "tl.randint4x(42, x)[3]", at_offsets(3),
        ("int32", "int64"), out="uint32"),
    Map("rand", "tl.rand(42, x)", at_offsets(then=uniform), ("int32",),
        out="float32", ulp=1),
    Map("rand4x", "tl.rand4x(42, x)[2]", at_offsets(2, then=uniform),
        ("int32", "uint32"), out="float32", ulp=1),
    Map("randn", "tl.randn(42, x) + 8", as_normal, ("int32",), out="float32",
        ulp=16),
]
MAPS = MAPS + RANDOM

TILES = REDUCTIONS + SHAPES + DOTS + SCANS
