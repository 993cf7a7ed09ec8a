# RUN: %run %s
# Combining the elements up to each, and picking elements by their index.

import triton
import triton.language as tl


@triton.jit
def sums(x, out, reverse: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i), 0, reverse=reverse))


@triton.jit
def affine(a1, b1, a2, b2):
    # The map a2 * (a1 * x + b1) + b2: no two commute.
    return a2 * a1, a2 * b1 + b2


@triton.jit
def recurrence(a, b, out, AXIS: tl.constexpr, REVERSE: tl.constexpr,
               M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    _, r = tl.associative_scan((tl.load(a + at), tl.load(b + at)), AXIS,
                               affine, REVERSE)
    tl.store(out + at, r)


@triton.jit
def last_seen(a, i, b, j):
    # A value with the index it was seen at, of two dtypes; -1 is none.
    return tl.where(j < 0, a, b), tl.where(j < 0, i, j)


@triton.jit
def fill_gaps(x, out, where, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    v, at = tl.associative_scan((v, tl.where(v != 0, i, -1)), 0, last_seen)
    tl.store(out + i, v, mask=i < n)
    tl.store(where + i, at, mask=i < n)


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def running_max(x, out, n, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    v = tl.load(x + i * n + j, mask=j < n, other=-1000)
    tl.store(out + i * n + j, tl.associative_scan(v, 1, larger), mask=j < n)


@triton.jit
def compact(x, out, count, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    keep = v % 3 == 0
    to = tl.cumsum(keep.to(tl.int32), 0) - 1
    tl.store(out + to, v, mask=keep)
    tl.store(count, tl.sum(keep.to(tl.int32), 0))


@triton.jit
def pick(x, index, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    v = tl.load(x + i * N + tl.arange(0, N)[None, :])
    at = i * K + tl.arange(0, K)[None, :]
    tl.store(out + at, tl.gather(v, tl.load(index + at), 1))


@triton.jit
def in_place(x, N: tl.constexpr):
    at = tl.arange(0, 1)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    tl.store(x + at, tl.gather(v, tl.zeros((1, N), tl.int32), 0) + 1)


@triton.jit
def carried(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.load(x + i)
    for _ in range(n):
        acc = tl.cumsum(acc, 0)
    tl.store(out + i, acc)


# run:    sums(x=i32[8]:iota, out=i32[8], reverse=False, BLOCK=8)
# expect: out == 0 1 3 6 10 15 21 28
# run:    sums(x=f32[8]:iota, out=f32[8], reverse=True, BLOCK=8)
# expect: out == 28 28 27 25 22 18 13 7
# run:    sums(x=f32[1024]:1, out=f32[1024], reverse=True, BLOCK=1024)
# expect: out == 1024 - iota
# run:    sums(x=f16[256]:1, out=f16[256], reverse=False, BLOCK=256)
# expect: out == iota + 1
# run:    sums(x=i8[128]:1, out=i32[128], reverse=False, BLOCK=128)
# expect: out == iota + 1
# run:    sums(x=bf16[4]:1, out=f32[4], reverse=False, BLOCK=4)
# expect: out == 1 2 3 4

# run:    recurrence(a=i32[4, 8]:2, b=i32[4, 8]:row + col, out=i32[4, 8], AXIS=1, REVERSE=False, M=4, N=8)
# expect: out[0, 0:8] == 0 1 4 11 26 57 120 247
# run:    recurrence(a=i32[4, 8]:2, b=i32[4, 8]:row + col, out=i32[4, 8], AXIS=1, REVERSE=True, M=4, N=8)
# expect: out[0, 0:8] == 1538 769 384 191 94 45 20 7
# run:    recurrence(a=i64[8, 4]:3, b=i64[8, 4]:row, out=i64[8, 4], AXIS=0, REVERSE=False, M=8, N=4)
# expect: out[0:4, 2] == 0 1 5 18
# run:    recurrence(a=i32[8, 4]:3, b=i32[8, 4]:row, out=i32[8, 4], AXIS=0, REVERSE=True, M=8, N=4)
# expect: out[5:8, 1] == 86 27 7

# run:    fill_gaps(x=f32[6]:[3 0 0 5 0 1], out=f32[6], where=i32[6], n=6, BLOCK=8)
# expect: out   == 3 3 3 5 5 1
# expect: where == 0 0 0 3 3 5

# run:    running_max(x=i32[2, 5]:iota*7%11, out=i32[2, 5], n=5, M=2, N=8)
# expect: out == 0 7 7 10 10 2 9 9 9 9

# run:    compact(x=i32[16]:iota + 1, out=i32[16], count=i32[1], BLOCK=16)
# expect: count == 5
# expect: out[0:5] == 3 6 9 12 15

# run:    pick(x=f32[2, 4]:iota, index=i32[2, 8]:col % 5 - 1, out=f32[2, 8], M=2, N=4, K=8)
# expect: out == 3 0 1 2 3 3 0 1 7 4 5 6 7 7 4 5
# run:    pick(x=i8[2, 16]:iota, index=i64[2, 2]:iota * 5, out=i8[2, 2], M=2, N=16, K=2)
# expect: out == 0 5 26 31

# run:    carried(x=i64[8]:1, out=i64[8], n=3, BLOCK=8)
# expect: out == 1 4 10 20 35 56 84 120

# run:    in_place(x=f32[32]:iota, N=32)
# expect: x == iota + 1
