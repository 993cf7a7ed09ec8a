# RUN: %run %s
# Calls of jit functions, constants of the file, and constants of a launch.

import math

import triton
import triton.language as tl

SCALE = 1.0 / math.sqrt(4.0)
SHIFTS = (1, 10, 100)
KIND: tl.constexpr = tl.constexpr("double")
WIDE = tl.int64


@triton.jit
def double(x):
    return x * 2


@triton.jit
def polynomial(x, a: tl.constexpr, b=3):
    return double(x) * a + b, x


@triton.jit
def kernel(x, out, ACT: tl.constexpr, MODE: tl.constexpr = "plain",
           BLOCK: tl.constexpr = 4):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    if KIND == "double":
        v = v * SCALE
    p, _ = polynomial(v, 4)
    if MODE == "shifted":
        p += SHIFTS[1]
    if ACT is not None:
        p = ACT(p)
    tl.store(out + i, p.to(WIDE))


# run:    kernel(x=f32[4]:iota*2, out=i64[4], ACT=None)
# expect: out == 3 11 19 27
# run:    kernel(x=f32[4]:iota*2, out=i64[4], ACT=None, MODE='shifted')
# expect: out == 13 21 29 37
