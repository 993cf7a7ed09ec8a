# RUN: %run %s
# Reductions along a row that is shorter than the block.

import triton
import triton.language as tl


@triton.jit
def softmax(x, out, n, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    a = tl.load(x + row * stride + i, mask=i < n, other=-float("inf"))
    e = tl.exp(a - tl.max(a, axis=0))
    tl.store(out + row * stride + i, e / tl.sum(e, axis=0), mask=i < n)


@triton.jit
def extremes(x, low, high, total, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    a = tl.load(x + row * n + i, mask=i < n, other=0)
    tl.store(low + row, tl.min(tl.where(i < n, a, 1 << 20), axis=0))
    tl.store(high + row, tl.max(tl.where(i < n, a, -(1 << 20)), axis=0))
    tl.store(total + row, tl.sum(a, axis=0))


# run:    softmax[grid=3](x=f32[3, 5]:2, out=f32[3, 5], n=5, stride=5,
#             BLOCK=8) ulp=2
# expect: out == 0.2 ulp=2
# run:    softmax[grid=2](x=f32[2, 2]:col*10000, out=f32[2, 2], n=2, stride=2,
#             BLOCK=4) ulp=2
# expect: out == 0 1 0 1

# run:    extremes[grid=2](x=i32[2, 6]:iota*7%12 - 5, low=i32[2], high=i32[2],
#             total=i32[2], n=6, BLOCK=8)
# expect: low   == -5 -4
# expect: high  == 6 5
# expect: total == 3 3
