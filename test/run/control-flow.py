# RUN: %run %s
# Branches and loops on values that are only known at run time.

import triton
import triton.language as tl


@triton.jit
def collatz(x, steps):
    i = tl.program_id(0)
    n = tl.load(x + i)
    count = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        count += 1
    tl.store(steps + i, count)


@triton.jit
def early(x, out, n):
    i = tl.program_id(0)
    if i >= n:
        return
    tl.store(out + i, tl.load(x + i) * 2)


@triton.jit
def fibonacci(out, n):
    a = 0
    b = 1
    for i in range(n):
        tl.store(out + i, a)
        a, b = b, a + b


@triton.jit
def far(out, n):
    """Bounds that need 64 bits."""
    for i in range(2**40, 2**40 + 3):
        tl.store(out + i - 2**40, i)
    for i in range(-(2**33), 1 - 2**33):
        tl.store(out + 3, i)
    for i in range(n, 2**32, 2**31):
        tl.store(out + 4 + (i >> 31), i)
    for i in range(2**33, 2**33 - 2, -1):
        tl.store(out + 6 + 2**33 - i, i)


# run:    collatz[grid=7](x=i32[7]:iota + 1, steps=i32[7])
# expect: steps == 0 1 7 2 5 8 16
# run:    early[grid=5](x=f32[5]:iota, out=f32[5]:-1, n=3)
# expect: out == 0 2 4 -1 -1
# run:    fibonacci(out=i32[10], n=10)
# expect: out == 0 1 1 2 3 5 8 13 21 34
# run:    far(out=i64[8], n=5)
# expect: out[0:3] == 1099511627776 1099511627777 1099511627778
# expect: out[3:6] == -8589934592 5 2147483653
# expect: out[6:8] == 8589934592 8589934591
