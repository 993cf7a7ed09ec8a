# RUN: %run %s
# Launches that are refused, before anything is written.

import triton
import triton.language as tl


@triton.jit
def copy(x, out, n, BLOCK: tl.constexpr = 8):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def stepped(out, n, s):
    for i in range(0, n, s):
        tl.store(out + i, i)


@triton.jit
def stepped_maybe(out, n, s):
    if s != 0:
        for i in range(0, n, s):
            tl.store(out + i, i)


@triton.jit
def stepped_unsigned(out, n, s: tl.uint32):
    for i in range(0, n, s):
        tl.store(out + i, i)


@triton.jit
def typed(out, n: tl.int8, flag: tl.int1):
    tl.store(out, n)


# run:    copy[grid=0](x=f32[8]:1, out=f32[8]:0, n=8)
# expect: error launch-grid
# run:    copy[grid=(1, -1)](x=f32[8]:1, out=f32[8]:0, n=8)
# expect: error launch-grid
# run:    copy[grid=2147483648](x=f32[8]:1, out=f32[8]:0, n=8)
# expect: error launch-grid
# run:    copy[grid=(1, 1, 65536)](x=f32[8]:1, out=f32[8]:0, n=8)
# expect: error launch-grid
# run:    copy(x=f32[8]:1, out=f32[8]:0)
# expect: error argument-missing
# run:    copy(x=f32[8]:1, out=f32[8]:0, n=8, m=3)
# expect: error argument-name
# run:    copy(x=f32[8]:1, out=const f32[8]:0, n=8)
# expect: error read-only-argument
# run:    copy(x=f32[8]:1, out=f32[8]:0, n='8')
# expect: error argument-type
# run:    copy(x=f32[8]:1, out=f32[8]:0, n=8, BLOCK=f32[8])
# expect: error argument-type
# run:    copy[num_warps=3](x=f32[8]:1, out=f32[8]:0, n=8)
# expect: error launch-option
# run:    typed(out=i8[1], n=128, flag=True)
# expect: error argument-range
# run:    typed(out=i8[1], n=0.5, flag=True)
# expect: error argument-type
# run:    typed(out=i8[1], n=1, flag=2)
# expect: error argument-range
# run:    typed(out=i8[1], n=i8[1], flag=1)
# expect: error argument-type
# run:    nothing(out=i8[1])
# expect: error unknown-kernel

# Every launch counts by it.
# run:    stepped(out=i32[8]:-1, n=8, s=0)
# expect: error argument-range
# run:    stepped(out=i32[8]:-1, n=8, s=-2)
# expect: error argument-range
# run:    stepped_unsigned(out=i32[8]:-1, n=8, s=0)
# expect: error argument-range
# run:    stepped_unsigned(out=i32[8]:-1, n=8, s=2147483649)
# expect: out == 0 -1 -1 -1 -1 -1 -1 -1
# run:    stepped(out=i32[8]:-1, n=8, s=3)
# expect: out == 0 -1 -1 3 -1 -1 6 -1
# Not every launch does.
# run:    stepped_maybe(out=i32[8]:-1, n=8, s=0)
# expect: out == -1

# A read-only input is fine.
# run:    copy(x=const f32[8]:3, out=f32[8]:0, n=8)
# expect: out == 3
