# RUN: %run %s
# Integer division truncates, shifts and sums wrap, nothing traps.

import triton
import triton.language as tl


@triton.jit
def divide(x, y, q, r, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(q + i, a // b)
    tl.store(r + i, a % b)


@triton.jit
def wrap(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(out + i, v + v)


# run:    divide(x=i32[4]:[7 -7 7 -7], y=i32[4]:[2 2 -2 -2], q=i32[4],
#             r=i32[4], BLOCK=4)
# expect: q == 3 -3 -3 3
# expect: r == 1 -1 1 -1
# run:    divide(x=u8[2]:[250 7], y=u8[2]:[7 2], q=u8[2], r=u8[2], BLOCK=2)
# expect: q == 35 3
# expect: r == 5 1
# run:    wrap(x=i8[4]:[100 -100 127 1], out=i8[4], BLOCK=4)
# expect: out == -56 56 -2 2
# run:    wrap(x=i32[1]:2147483647, out=i32[1], BLOCK=1)
# expect: out == -2
