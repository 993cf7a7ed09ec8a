import triton
import triton.language as tl


@triton.jit
def product(a, ids_ptr, scale, n: "a number", DTYPE: tl.constexpr,
            BLOCK: tl.constexpr, IS_WIDE: tl.constexpr):
    rows = tl.load(ids_ptr + tl.arange(0, 32))
    place = rows[:, None] * n + tl.arange(0, BLOCK)[None, :]
    base = a
    x = tl.load(base + place)
    y = first(x, scale)
    if IS_WIDE:
        y = y * 2
    tl.store(a + place, tl.dot(y.to(DTYPE), x))  # of 32 x 32


@triton.jit
def first(x, scale):
    return x * scale


@triton.jit
def unused(x):
    return x + 1


@triton.jit
def halves(q, k, out):
    at = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    x = tl.load(q + at).to(tl.float16)
    tl.store(out + at, tl.dot(x, tl.load(k + at)))
