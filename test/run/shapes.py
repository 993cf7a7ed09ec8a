# RUN: %run %s
# Tiles that change their shape.

import triton
import triton.language as tl


@triton.jit
def transpose(x, out, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    v = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(out + j[:, None] * M + i[None, :], tl.trans(v))


@triton.jit
def interleave(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.join(tl.load(x + i), tl.load(y + i))
    tl.store(out + tl.arange(0, 2 * BLOCK), tl.reshape(v, (2 * BLOCK,)))
    a, b = tl.split(v)
    tl.store(x + i, b)
    tl.store(y + i, a)


@triton.jit
def column_sums(x, out, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    v = tl.load(x + tl.expand_dims(i, 1) * N + j)
    tl.store(out + j, tl.sum(v, axis=0))


# run:    transpose(x=f32[4, 8]:iota, out=f32[8, 4], M=4, N=8)
# expect: out == row + col * 8
# run:    interleave(x=i32[4]:iota, y=i32[4]:iota + 10, out=i32[8], BLOCK=4)
# expect: out == 0 10 1 11 2 12 3 13
# expect: x   == 10 11 12 13
# expect: y   == 0 1 2 3
# run:    column_sums(x=f32[16, 4]:row + col, out=f32[4], M=16, N=4)
# expect: out == 120 136 152 168
