# RUN: %run %s
# Kernels that read and write the same memory.

import triton
import triton.language as tl


@triton.jit
def reverse(x, n, BLOCK: tl.constexpr):
    # All is read before anything is written.
    i = tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(x + i, mask=mask)
    tl.store(x + (n - 1 - i), v, mask=mask)


@triton.jit
def prefix(x, n):
    # Each step reads what the one before it wrote.
    for i in range(1, n):
        tl.store(x + i, tl.load(x + i) + tl.load(x + i - 1))


# run:    reverse(x=f32[100]:iota, n=100, BLOCK=128)
# expect: x == 99 - iota
# run:    prefix(x=i32[8]:1, n=8)
# expect: x == iota + 1
