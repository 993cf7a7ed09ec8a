# RUN: %run %s
# Loops whose variable comes close to what its type holds: its values are those
# of Python's `range`. And steps that are not positive.

import triton
import triton.language as tl


@triton.jit
def count(out, first, last, STEP: tl.constexpr):
    n = 0
    for i in range(first, last, STEP):
        tl.store(out + 1 + n, i)
        n += 1
    tl.store(out, n)


@triton.jit
def count_unsigned(out, first: tl.uint32, last: tl.uint32, STEP: tl.constexpr):
    n = 0
    for i in range(first, last, STEP):
        tl.store(out + 1 + n, i)
        n += 1
    tl.store(out, n)


@triton.jit
def count_longest(out, bounds, STEP: tl.constexpr):
    n = 0
    for i in range(tl.load(bounds), tl.load(bounds + 1), STEP):
        tl.store(out + 1 + n, i)
        n += 1
    tl.store(out, n)


@triton.jit
def count_to_zero(out, n: tl.uint32, m: tl.uint64):
    for i in range(n - 1, -1, -1):
        tl.store(out + i, i)
    for i in range(m - 1, -1, -1):
        tl.store(out + n + i, i)


@triton.jit
def count_by(out, first, last, step):
    n = 0
    for i in range(first, last, step):
        tl.store(out + 1 + n, i)
        n += 1
    tl.store(out, n)


@triton.jit
def steps_of_memory(out, steps):
    pid = tl.program_id(0)
    n = 0
    for i in range(0, 10, tl.load(steps + pid)):
        n += 1
    tl.store(out + pid, n)


@triton.jit
def products_of_memory(x, out, steps, n, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    for s in range(n):
        acc = tl.zeros((N, N), tl.float32)
        for k in range(0, 2, tl.load(steps + s)):
            a = tl.load(x + k * N * N + at)
            acc = tl.dot(a, a, acc)
        tl.store(out + s * N * N + at, acc)


@triton.jit
def strided_sum(x, out, last, STEP: tl.constexpr, BLOCK: tl.constexpr):
    """A tile is read where the variable is near the end."""
    acc = tl.zeros((BLOCK,), tl.float32)
    for k in range(last - 2 * STEP, last, STEP):
        i = k - (last - 2 * STEP) + tl.arange(0, BLOCK)
        acc += tl.load(x + i)
    tl.store(out + tl.arange(0, BLOCK), acc)


@triton.jit
def advance_by_memory(x, out, steps, BLOCK: tl.constexpr):
    """A pointer moves in a loop that may run no iteration."""
    pid = tl.program_id(0)
    at = x + tl.arange(0, BLOCK)
    for i in range(0, 3, tl.load(steps + pid)):
        at += BLOCK
    tl.store(out + pid * BLOCK + tl.arange(0, BLOCK), tl.load(at))


# run:    count(out=i64[8], first=2147483645, last=2147483647, STEP=5)
# expect: out[0:2] == 1 2147483645
# run:    count(out=i64[8], first=-2147483646, last=-2147483648, STEP=-5)
# expect: out[0:2] == 1 -2147483646
# run:    count(out=i64[8], first=-2147483648, last=2147483647, STEP=2147483647)
# expect: out[0:4] == 3 -2147483648 -1 2147483646
# run:    count(out=i64[8], first=2147483647, last=-2147483648,
#             STEP=-2147483647)
# expect: out[0:4] == 3 2147483647 0 -2147483647
# run:    count(out=i64[8], first=2147483647, last=-2147483648,
#             STEP=-2147483648)
# expect: out[0:3] == 2 2147483647 -1
# run:    count(out=i64[8], first=5, last=2147483647, STEP=4294967296)
# expect: out[0:2] == 1 5
# run:    count(out=i64[8]:-1, first=2147483647, last=-2147483648, STEP=5)
# expect: out == 0 -1 -1 -1 -1 -1 -1 -1
# run:    count(out=i64[8], first=9223372036854775805,
#             last=9223372036854775807, STEP=5)
# expect: out[0:2] == 1 9223372036854775805
# run:    count(out=i64[8], first=-9223372036854775806,
#             last=-9223372036854775808, STEP=-5)
# expect: out[0:2] == 1 -9223372036854775806
# run:    count(out=i64[8], first=-9223372036854775808,
#             last=9223372036854775807, STEP=6917529027641081856)
# expect: out[0:2] == 3 -9223372036854775808
# expect: out[2:4] == -2305843009213693952 4611686018427387904
# run:    count_unsigned(out=i64[8], first=4294967293, last=4294967295, STEP=5)
# expect: out[0:2] == 1 4294967293
# run:    count_unsigned(out=i64[8], first=4294967295, last=2, STEP=-2147483648)
# expect: out[0:3] == 2 4294967295 2147483647
# run:    count_longest(out=u64[8], STEP=5,
#             bounds=u64[2]:[18446744073709551613 18446744073709551615])
# expect: out[0:2] == 1 18446744073709551613
# run:    count_longest(out=u64[8], STEP=2,
#             bounds=u64[2]:[9223372036854775806 9223372036854775809])
# expect: out[0:3] == 2 9223372036854775806 9223372036854775808
# run:    count_longest(out=u64[8], STEP=-2,
#             bounds=u64[2]:[9223372036854775809 9223372036854775806])
# expect: out[0:3] == 2 9223372036854775809 9223372036854775807
# run:    count_longest(out=u64[8], bounds=u64[2]:[3 0], STEP=-2)
# expect: out[0:3] == 2 3 1
# run:    count_to_zero(out=i64[8]:-1, n=3, m=4)
# expect: out == 0 1 2 0 1 2 3 -1

# run:    count_by(out=i64[8], first=2147483640, last=2147483647, step=5)
# expect: out[0:3] == 2 2147483640 2147483645
# run:    count_by(out=i64[8], first=-2147483648, last=2147483647,
#             step=2147483647)
# expect: out[0:4] == 3 -2147483648 -1 2147483646

# run:    steps_of_memory[grid=5](out=i32[5]:-1, steps=i32[5]:[3 0 -1 10 1])
# expect: out == 4 0 0 1 10
# run:    products_of_memory(x=f32[2, 16, 16]:1, out=f32[4, 16, 16]:-1,
#             steps=i32[4]:[1 0 -1 2], n=4, N=16)
# expect: out[0:256] == 32
# expect: out[256:768] == 0
# expect: out[768:1024] == 16
# run:    advance_by_memory[grid=4](x=f32[64]:iota, out=f32[4, 16],
#             steps=i32[4]:[0 -3 2 -1], BLOCK=16)
# expect: out[0:32] == col
# expect: out[32:48] == col + 32
# expect: out[48:64] == col
# run:    strided_sum(x=f32[64]:iota, out=f32[32], last=2147483647, STEP=32,
#             BLOCK=32)
# expect: out == iota*2 + 32
